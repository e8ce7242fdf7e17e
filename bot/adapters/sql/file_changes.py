"""Changes of files that can be taken back, with the contents that they replaced."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, bindparam, delete, func, select, update

from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import file_change
from bot.adapters.sql.upsert import Upsert
from bot.domain.change import DropFileChange, SaveFileChange
from bot.domain.talk.errors import Conflict
from bot.domain.tools.file_change import FileChange
from bot.ports.file_changes import KeptSize

_OF = bindparam("of")
_FIELDS = tuple(name for name in names(FileChange) if name != "number")
_CHANGES = select(*columns(file_change, FileChange))
_NEWEST = file_change.c.number.desc()
_BY_ID = _CHANGES.where(file_change.c.id == _OF)
_OF_TASK = _CHANGES.where(file_change.c.task == _OF).order_by(_NEWEST)
_ASKED_BY = _CHANGES.where(file_change.c.by == _OF).order_by(_NEWEST)
_NEWEST_TASK = (
    select(file_change.c.task)
    .where(file_change.c.chat == _OF, ~file_change.c.undone)
    .order_by(_NEWEST)
    .limit(1)
)
_DUE = (
    _CHANGES.where(file_change.c.at < bindparam("before"))
    .order_by(file_change.c.number)
    .limit(bindparam("most"))
)
_BYTES = func.coalesce(func.length(file_change.c.content), 0) + func.coalesce(
    func.length(file_change.c.spare), 0
)
_SIZES = select(file_change.c.id, file_change.c.chat, _BYTES).order_by(_NEWEST)
_ADD = Upsert(file_change, ["id"])
_SAVE = update(file_change).where(
    file_change.c.id == _OF, file_change.c.version == bindparam("expected")
)
_DROP = delete(file_change).where(file_change.c.id == _OF)


class SqlFileChanges(Reads):
    async def get(self, id: str) -> FileChange | None:
        found = await self._read(_BY_ID, of=id)
        return found[0] if found else None

    async def of_task(self, turn: str) -> Sequence[FileChange]:
        return await self._read(_OF_TASK, of=turn)

    async def asked_by(self, turn: str) -> Sequence[FileChange]:
        return await self._read(_ASKED_BY, of=turn)

    async def newest_task(self, chat: int) -> str | None:
        return await self._scalar(_NEWEST_TASK, of=chat)

    async def due(self, before: datetime, limit: int) -> Sequence[FileChange]:
        return await self._read(_DUE, before=before, most=limit)

    async def sizes(self) -> Sequence[KeptSize]:
        return await self._all(KeptSize, _SIZES)

    async def _read(self, wanted: Select[Any], **given: Any) -> Sequence[FileChange]:
        return await self._all(FileChange, wanted, **given)


def save_file_changes(
    connection: Connection, writes: Sequence[SaveFileChange], _at: datetime
) -> None:
    for write in writes:
        row = values(write.change, _FIELDS)
        if write.expect is None:
            done = _ADD.run(connection, row)
        else:
            known = {"of": write.change.id, "expected": write.expect}
            done = connection.execute(_SAVE.values(**row), known).rowcount
        if not done:
            raise Conflict(f"the change {write.change.id} of a file is not at its version")


def drop_file_changes(
    connection: Connection, writes: Sequence[DropFileChange], _at: datetime
) -> None:
    connection.execute(_DROP, [{"of": write.id} for write in writes])
