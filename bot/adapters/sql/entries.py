"""The log: its end, the right to move that end, and its lines."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, insert, select, update

from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.tables import chat, conversation, entry
from bot.domain.change import Append, Change, Fence
from bot.domain.talk.errors import Conflict, FenceLost
from bot.domain.turn.transcript import Entry

_FIELDS = names(Entry)
_OF_CONVERSATION = (
    select(*columns(entry, Entry))
    .where(entry.c.conversation == bindparam("of"), entry.c.seq > bindparam("after"))
    .order_by(entry.c.seq)
)
_SHARED = _OF_CONVERSATION.where(entry.c.seq <= bindparam("last"))
_PAST = select(conversation.c.parent, conversation.c.shared).where(
    conversation.c.id == bindparam("of"), conversation.c.parent.is_not(None)
)
_ADVANCE = (
    update(chat)
    .where(chat.c.id == bindparam("of"), chat.c.last_seq == bindparam("before"))
    .values(last_seq=bindparam("end"))
)
_ADVANCE_FENCED = _ADVANCE.where(chat.c.fence == bindparam("number"))
_HOLD = (
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
    if rows:
        connection.execute(insert(entry), rows)


def load(connection: Connection, conversation: str, after: int) -> list[Entry]:
    """Returns the entries of a conversation behind those that it shares with its parents."""
    rows = connection.execute(_OF_CONVERSATION, {"of": conversation, "after": after}).all()
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
    row = connection.execute(_PAST, {"of": conversation}).first()
    while row is not None:
        found.append((row.parent, row.shared))
        row = connection.execute(_PAST, {"of": row.parent}).first()
    return found


def _appended(change: Change) -> dict[int, list[Entry]]:
    appended: dict[int, list[Entry]] = {}
    for write in change.writes:
        if isinstance(write, Append) and write.entries:
            appended.setdefault(write.chat, []).extend(write.entries)
    return appended


def _hold(connection: Connection, fence: Fence) -> None:
    found = connection.execute(_HOLD, {"of": fence.chat, "number": fence.number}).first()
    if found is None:
        raise FenceLost(f"chat {fence.chat} has a newer owner than {fence.number}")


def _advance(connection: Connection, of: int, entries: list[Entry], fence: Fence | None) -> None:
    first = entries[0].seq
    if any(line.seq != first + place for place, line in enumerate(entries)):
        raise Conflict(f"the new entries of chat {of} are not numbered one by one")
    ends = {"of": of, "before": first - 1, "end": entries[-1].seq}
    if fence is None:
        moved = connection.execute(_ADVANCE, ends).rowcount
    else:
        moved = connection.execute(_ADVANCE_FENCED, {**ends, "number": fence.number}).rowcount
    if moved:
        return
    if fence is not None:
        owner = connection.execute(_FENCE, {"of": of}).scalar()
        if owner != fence.number:
            raise FenceLost(f"chat {of} has a newer owner than {fence.number}")
    raise Conflict(f"the log of chat {of} does not end at {first - 1}")
