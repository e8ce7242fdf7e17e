"""The tag of the workers that have a folder."""

from collections.abc import Mapping
from functools import partial

from sqlalchemy import Connection, bindparam, func, select

from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import folder
from bot.adapters.sql.upsert import Upsert

_TAG = select(folder.c.tag).where(folder.c.name == bindparam("of"))
_COUNTS = select(folder.c.tag, func.count()).group_by(folder.c.tag).order_by(folder.c.tag)
_CLAIM = Upsert(folder, ["name"])


class SqlFolderPlaces(Reads):
    """The port `FolderPlaces`; of two claims at once, one is the first."""

    async def claim(self, folder: str, tag: str) -> str:
        found = await self._scalar(_TAG, of=folder)
        if found is None:
            # Durable: files are written as soon as it is known where they are.
            claim = partial(_claim, name=folder, tag=tag)
            await self._database.write(claim, durable=True, repeatable=True)
            found = await self._scalar(_TAG, of=folder)
        return found

    async def counts(self) -> Mapping[str, int]:
        return {tag: count for tag, count in await self._database.fetch(_COUNTS)}


def _claim(connection: Connection, name: str, tag: str) -> None:
    _CLAIM.run(connection, {"name": name, "tag": tag})
