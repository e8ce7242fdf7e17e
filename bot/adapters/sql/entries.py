"""The log: its end, the right to move that end, and its lines."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.prepared import Prepared
from bot.adapters.sql.tables import chat, conversation, entry
from bot.domain.change import Append, Change, Fence
from bot.domain.talk.errors import Conflict, FenceLost
from bot.domain.turn.transcript import Entry

_FIELDS = names(Entry)
_ENTRIES = (
    select(*columns(entry, Entry))
    .where(entry.c.conversation == bindparam("of"), entry.c.seq > bindparam("after"))
    .order_by(entry.c.seq)
)
_OF_CONVERSATION = Prepared(_ENTRIES)
_SHARED = _ENTRIES.where(entry.c.seq <= bindparam("last"))
_PAST = Prepared(
    select(conversation.c.parent, conversation.c.shared).where(
        conversation.c.id == bindparam("of"), conversation.c.parent.is_not(None)
    )
)
_MOVE = (
    update(chat)
    .where(chat.c.id == bindparam("of"), chat.c.last_seq == bindparam("before"))
    .values(last_seq=bindparam("end"))
)
_ADVANCE = Prepared(_MOVE)
_ADVANCE_FENCED = Prepared(_MOVE.where(chat.c.fence == bindparam("number")))
_ADD = Prepared(insert(entry))
_HOLD = Prepared(
    select(chat.c.id)
    .where(chat.c.id == bindparam("of"), chat.c.fence == bindparam("number"))
    .with_for_update(key_share=True)
)
_FENCE = select(chat.c.fence).where(chat.c.id == bindparam("of"))


def guard(connection: Connection, change: Change) -> None:
    """Checks the fence and moves the ends of the logs, in one statement if both are due."""
    appended = _appended(change)
    fence = change.fence
    if fence is not None and fence.chat not in appended:
        _hold(connection, fence)
    for of, entries in appended.items():
        fenced = fence if fence is not None and fence.chat == of else None
        _advance(connection, of, entries, fenced)


def append(connection: Connection, writes: Sequence[Append], _at: datetime) -> None:
    """Adds lines below the end of a log, which `guard` has moved before."""
    rows = [
        {"chat": write.chat, **values(line, _FIELDS)} for write in writes for line in write.entries
    ]
    _ADD.run(connection, *rows)


def load(connection: Connection, conversation: str, after: int) -> list[Entry]:
    """Returns the entries of a conversation behind those that it shares with its parents."""
    rows: list[Any] = _OF_CONVERSATION.rows(connection, {"of": conversation, "after": after})
    for parent, last in past_of(connection, conversation):
        if last > after:
            shared = {"of": parent, "after": after, "last": last}
            rows = [*connection.execute(_SHARED, shared), *rows]
    return [Entry(*row) for row in rows]


def past_of(connection: Connection, conversation: str) -> list[tuple[str, int]]:
    """Returns the parents of a conversation, the nearest first, each with its last shared number.

    A parent is read up to that number: what is said in it later belongs to it alone.
    """
    found: list[tuple[str, int]] = []
    while (row := _PAST.first(connection, {"of": conversation})) is not None:
        conversation, shared = row
        found.append((conversation, shared))
    return found


def _appended(change: Change) -> dict[int, list[Entry]]:
    appended: dict[int, list[Entry]] = {}
    for write in change.writes:
        if isinstance(write, Append) and write.entries:
            appended.setdefault(write.chat, []).extend(write.entries)
    return appended


def _hold(connection: Connection, fence: Fence) -> None:
    found = _HOLD.first(connection, {"of": fence.chat, "number": fence.number})
    if found is None:
        raise FenceLost(f"chat {fence.chat} has a newer owner than {fence.number}")


def _advance(connection: Connection, of: int, entries: list[Entry], fence: Fence | None) -> None:
    first = entries[0].seq
    if any(line.seq != first + place for place, line in enumerate(entries)):
        raise Conflict(f"the new entries of chat {of} are not numbered one by one")
    ends = {"of": of, "before": first - 1, "end": entries[-1].seq}
    if fence is None:
        moved = _ADVANCE.run(connection, ends)
    else:
        moved = _ADVANCE_FENCED.run(connection, {**ends, "number": fence.number})
    if moved:
        return
    if fence is not None:
        owner = connection.execute(_FENCE, {"of": of}).scalar()
        if owner != fence.number:
            raise FenceLost(f"chat {of} has a newer owner than {fence.number}")
    raise Conflict(f"the log of chat {of} does not end at {first - 1}")
