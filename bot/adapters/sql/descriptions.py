"""Vectors of descriptions, each under its key."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, or_, select, update

from bot.adapters.sql.ledger import put_usage
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import description
from bot.adapters.sql.upsert import Upsert, overwrite
from bot.domain.change import AddUsage

_AT_ONCE = 500
"""Keys of one statement."""

_KEYS = description.c.key.in_(bindparam("keys", expanding=True))
_HELD = select(description.c.key, description.c.vector).where(
    _KEYS, description.c.vector.is_not(None)
)
_LEFT = delete(description).where(
    _KEYS,
    description.c.vector.is_(None),
    # A claim from farther ahead was made by a clock that has been set back since.
    or_(description.c.at < bindparam("before"), description.c.at > bindparam("after")),
)
_CLAIM = Upsert(description, ["key"])
_KEEP = Upsert(description, ["key"], overwrite("vector", "at"))
_USED = update(description).where(_KEYS).values(at=bindparam("now"))
_DROP = delete(description).where(_KEYS)
_UNUSED = delete(description).where(description.c.at < bindparam("before"))


class SqlDescriptions(Reads):
    """The port `DescriptionRows`."""

    async def held(self, keys: Sequence[str]) -> Mapping[str, bytes]:
        found = dict[str, bytes]()
        for some in _portions(keys):
            rows = await self._database.fetch(_HELD, {"keys": some})
            found.update((row.key, bytes(row.vector)) for row in rows)
        return found

    async def claim(self, keys: Sequence[str], at: datetime, before: datetime) -> Collection[str]:
        def claim(connection: Connection) -> Collection[str]:
            ends = {"before": before, "after": at + (at - before)}
            connection.execute(_LEFT, {"keys": list(keys), **ends})
            # In one order, so that two processes never wait for each other.
            return {
                key
                for key in sorted(keys)
                if _CLAIM.run(connection, {"key": key, "vector": None, "at": at})
            }

        return await self._database.write(claim) if keys else ()

    async def keep(
        self, vectors: Mapping[str, bytes], at: datetime, records: Sequence[AddUsage]
    ) -> None:
        def keep(connection: Connection) -> None:
            put_usage(connection, records)
            rows = [{"key": key, "vector": held, "at": at} for key, held in sorted(vectors.items())]
            _KEEP.run(connection, *rows)

        await self._database.write(keep)

    async def drop(self, keys: Sequence[str]) -> None:
        def drop(connection: Connection) -> None:
            for some in _portions(keys):
                connection.execute(_DROP, {"keys": some})

        await self._database.write(drop, repeatable=True)

    async def sweep(self, used: Sequence[str], at: datetime, before: datetime) -> None:
        def sweep(connection: Connection) -> None:
            for some in _portions(sorted(used)):
                connection.execute(_USED, {"keys": some, "now": at})
            connection.execute(_UNUSED, {"before": before})

        await self._database.write(sweep, repeatable=True)


def _portions(keys: Sequence[str]) -> Iterator[list[str]]:
    for n in range(0, len(keys), _AT_ONCE):
        yield list(keys[n : n + _AT_ONCE])
