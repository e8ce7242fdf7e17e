"""Notes that people wanted to be remembered."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, or_, select

from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.erasing_traces import erase_shown
from bot.adapters.sql.memory import drop_passages
from bot.adapters.sql.prepared import Prepared
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import note, outbox
from bot.adapters.sql.upsert import Upsert
from bot.domain.change import AddNote, DropNote
from bot.domain.change.erasing import mark_of
from bot.domain.memory.note import Note, asking, passage_of, shown_by
from bot.domain.memory.passage import Whose
from bot.ports.listed import ListPlace
from bot.ports.records import RowKey

_NOTES = select(*columns(note, Note))
_OF = Prepared(
    _NOTES.where(note.c.whose == bindparam("of"))
    .order_by(note.c.at.desc(), note.c.id)
    .limit(bindparam("most"))
    .offset(bindparam("skip"))
)
_PART = _NOTES.where(note.c.whose == bindparam("of")).limit(bindparam("most"))
_ORDER = note.c.at, note.c.id
_BY_ID = _NOTES.where(note.c.id == bindparam("of"))
_DROP = delete(note).where(note.c.id == bindparam("of"))
_ADD = Upsert(note, ["id"])


class SqlNotes(Reads):
    async def of(self, whose: Whose, limit: int, skip: int = 0) -> Sequence[Note]:
        return await self._all(Note, _OF, of=whose, most=limit, skip=skip)

    async def part(
        self, whose: Whose, place: ListPlace[RowKey] | None, limit: int
    ) -> Sequence[Note]:
        at = None if place is None else ListPlace((place.key.at, place.key.id), place.back)
        return await self._part(Note, _PART, _ORDER, at, falling=True, of=whose, most=limit)

    async def get(self, id: str) -> Note | None:
        return await self._one(Note, _BY_ID, of=id)


def add_notes(connection: Connection, writes: Sequence[AddNote], _at: datetime) -> None:
    """Adds notes; one that is there stays as it is."""
    _ADD.run(connection, *(values(write.note, names(Note)) for write in writes))


def drop_notes(connection: Connection, writes: Sequence[DropNote], at: datetime) -> None:
    """Removes notes, the passages by which they were found, and the words that showed them."""
    for write in writes:
        connection.execute(_DROP, {"of": write.id})
        asked = outbox.c.key.startswith(asking(write.id), autoescape=True)
        erase_shown(connection, or_(outbox.c.key == shown_by(write.id), asked), mark_of(at))
    drop_passages(connection, [passage_of(write.id) for write in writes])
