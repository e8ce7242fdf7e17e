"""Passages: what was asked and answered, as it is remembered."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Connection,
    Text,
    bindparam,
    delete,
    func,
    inspect,
    select,
    text,
    type_coerce,
    union_all,
)

from bot.adapters.sql.chats import one
from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.leaving import leaving_of
from bot.adapters.sql.prepared import Prepared
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import UNINDEXED, chat, conversation, entry, passage, past, turn
from bot.adapters.sql.upsert import Upsert, overwrite
from bot.domain.change import DropPassage, KeepPassage, ReadPast
from bot.domain.change.erasing import MARKED, is_erased
from bot.domain.memory.passage import Passage
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.turn import Turn, TurnState
from bot.ports.memory import MemoryCondition, Past

_FIELDS = tuple(name for name in names(Passage) if name != "number")
_PASSAGES = select(*columns(passage, Passage))
_BY_ID = _PASSAGES.where(passage.c.id == bindparam("of"))
_OWED = Prepared(_PASSAGES.where(UNINDEXED).order_by(passage.c.number).limit(bindparam("most")))
_HIT = passage.alias("hit")
_OTHER = passage.alias("other")


def _beside(nearest: Any, earlier: bool) -> Any:
    """Returns the number of the passage before or after a hit in its conversation."""
    other, hit = _OTHER.c, _HIT.c
    return (
        select(nearest(other.number))
        .where(
            other.conversation == hit.conversation,
            # Joined to nothing: PostgreSQL would read the owner's whole index for each hit.
            other.whose.concat("") == hit.whose,
            hit.conversation != "",
            other.number < hit.number if earlier else other.number > hit.number,
        )
        .scalar_subquery()
    )


_FOUND = _HIT.c.id.in_(bindparam("ids", expanding=True))
_AROUND = _PASSAGES.where(
    passage.c.number.in_(
        union_all(
            select(_HIT.c.number).where(_FOUND),
            select(_beside(func.max, earlier=True)).select_from(_HIT).where(_FOUND),
            select(_beside(func.min, earlier=False)).select_from(_HIT).where(_FOUND),
        )
    )
).order_by(passage.c.number)
_PAST = select(past.c.conversation, past.c.ended).where(past.c.id == 1)
_NEXT = (
    select(conversation.c.id, conversation.c.chat)
    .where(conversation.c.id > bindparam("last"))
    .order_by(conversation.c.id)
    .limit(1)
)
_ANSWERED = (
    select(*columns(turn, Turn))
    .where(
        turn.c.chat == bindparam("of"),
        turn.c.conversation == bindparam("within"),
        turn.c.state == TurnState.SETTLED,
        turn.c.stop_reason == StopReason.FINAL_ANSWER,
    )
    .order_by(turn.c.created_at, turn.c.id)
)
_HELD = (
    select(chat.c.id)
    .join(conversation, conversation.c.chat == chat.c.id)
    .where(conversation.c.id == bindparam("of"))
    .with_for_update(of=chat)
)
_ERASED = select(entry.c.turn, entry.c.body).where(
    entry.c.conversation == bindparam("of"), type_coerce(entry.c.body, Text).like(f"%{MARKED}%")
)
_HOME = select(passage.c.conversation).where(passage.c.id == bindparam("of"))
_COUNT = select(func.count()).select_from(passage)
_COUNT_OWED = _COUNT.where(UNINDEXED)
_CONVERSATIONS = select(func.count()).select_from(conversation)
_READ = _CONVERSATIONS.where(conversation.c.id <= bindparam("last"))
_NUMBERS = select(passage.c.number).where(passage.c.id.in_(bindparam("ids", expanding=True)))
_LEAVE = leaving_of(passage.c.number.in_(bindparam("numbers", expanding=True)))
_DROP = delete(passage).where(passage.c.number.in_(bindparam("numbers", expanding=True)))
_WORDS_OUT = text("DELETE FROM passage_words WHERE rowid = :number")
_AT_ONCE = 500
"""Passages that one statement names; a database bounds the values of a statement."""

_KEEP = Upsert(passage, ["id"])
_NOTE = Upsert(past, ["id"], overwrite("conversation", "ended"))


class SqlMemory(Reads):
    async def get(self, id: str) -> Passage | None:
        return await self._one(Passage, _BY_ID, of=id)

    async def around(self, ids: Sequence[str]) -> Sequence[Passage]:
        if not ids:
            return ()
        return await self._all(Passage, _AROUND, ids=list(ids))

    async def owed(self, limit: int) -> Sequence[Passage]:
        return await self._all(Passage, _OWED, most=limit)

    async def past(self) -> Past | None:
        return await self._database.read(_past)

    async def count_owed(self) -> int:
        return await self._scalar(_COUNT_OWED)

    async def condition(self) -> MemoryCondition:
        return await self._database.read(_condition)


def _past(connection: Connection) -> Past | None:
    last, ended = _read_so_far(connection)
    following = None if ended else connection.execute(_NEXT, {"last": last}).first()
    if following is None:
        return None
    place = one(connection, following.chat)
    rows = connection.execute(_ANSWERED, {"of": place.id, "within": following.id})
    return Past(place, following.id, tuple(Turn(*row) for row in rows))


def _condition(connection: Connection) -> MemoryCondition:
    last, ended = _read_so_far(connection)
    kept = connection.execute(_COUNT).scalar_one()
    owed = connection.execute(_COUNT_OWED).scalar_one()
    if ended:
        return MemoryCondition(kept, owed, 0, 0)
    read = connection.execute(_READ, {"last": last}).scalar_one()
    total = connection.execute(_CONVERSATIONS).scalar_one()
    return MemoryCondition(kept, owed, read, total, past_open=True)


def _read_so_far(connection: Connection) -> tuple[str, bool]:
    row = connection.execute(_PAST).first()
    return ("", False) if row is None else (row.conversation, row.ended)


def keep_passages(connection: Connection, writes: Sequence[KeepPassage], _at: datetime) -> None:
    """Adds passages; one that is there stays as it is."""
    _KEEP.run(connection, *(values(w.passage, _FIELDS) | {"indexed": False} for w in writes))


def read_past(connection: Connection, writes: Sequence[ReadPast], _at: datetime) -> None:
    for write in writes:
        # Whoever erases holds the chat too: either sees what the other one did.
        connection.execute(_HELD, {"of": write.conversation})
        erased = {
            turn
            for turn, body in connection.execute(_ERASED, {"of": write.conversation})
            if is_erased(body)
        }
        drop_passages(connection, sorted(erased))
    rows = ({"id": 1, "conversation": w.conversation, "ended": w.ended} for w in writes)
    _NOTE.run(connection, *rows)


def forget_passages(connection: Connection, writes: Sequence[DropPassage], _at: datetime) -> None:
    """Takes answers out of the memory that no other conversation shows, and nothing else."""
    for write in writes:
        home = connection.scalar(_HOME, {"of": write.id})
        shown = views_of(connection, write.id, home or "")
        if all(view == write.conversation for view in shown):
            drop_passages(connection, [write.id])


def drop_passages(connection: Connection, ids: Sequence[str]) -> None:
    """Removes passages and their words; PostgreSQL removes the words with the row.

    Their vectors are owed to be taken out of the index of meaning.
    """
    for n in range(0, len(ids), _AT_ONCE):
        _drop(connection, connection.execute(_NUMBERS, {"ids": ids[n : n + _AT_ONCE]}).scalars())


def _drop(connection: Connection, found: Iterable[int]) -> None:
    numbers = list(found)
    if not numbers:
        return
    if connection.dialect.name == "sqlite" and inspect(connection).has_table("passage_words"):
        for number in numbers:
            connection.execute(_WORDS_OUT, {"number": number})
    connection.execute(_LEAVE, {"numbers": numbers})
    connection.execute(_DROP, {"numbers": numbers})


_FIRST = select(func.min(entry.c.seq)).where(
    entry.c.conversation == bindparam("of"), entry.c.turn == bindparam("told")
)
_TOLD = type_coerce(entry.c.body, Text)
_TAKEN_OUT = select(func.min(entry.c.seq)).where(
    entry.c.conversation == bindparam("of"),
    _TOLD.like('%"kind":"cut"%'),
    _TOLD.like(bindparam("named")),
)
_BRANCHES = select(conversation.c.id, conversation.c.shared).where(
    conversation.c.parent == bindparam("of"), conversation.c.shared >= bindparam("least")
)


def views_of(connection: Connection, turn: str, home: str) -> Iterator[str]:
    """Yields the conversations in which a turn of the conversation `home` is in view.

    A branch reads its parent up to the entry that it shares last. So a turn that the parent takes
    out of view later stays in view in the branch.
    """
    first = connection.scalar(_FIRST, {"of": home, "told": turn})
    if first is None:
        return
    left = [home]
    while left:
        of = left.pop()
        out = connection.scalar(_TAKEN_OUT, {"of": of, "named": f'%"{turn}"%'})
        if out is None:
            yield of
        branches = connection.execute(_BRANCHES, {"of": of, "least": first})
        left += [id for id, shared in branches if out is None or shared < out]
