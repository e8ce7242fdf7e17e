"""Notes of the store about the index of meaning: its name, and what it is owed."""

from collections.abc import Sequence, Set

from sqlalchemy import Connection, bindparam, delete, func, select, union_all, update

from bot.adapters.sql.columns import columns, values
from bot.adapters.sql.ledger import put_usage
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import UNMEANT, leaving, meaning, passage
from bot.adapters.sql.upsert import Upsert, overwrite
from bot.domain.change import AddUsage
from bot.domain.memory.passage import Passage, Whose
from bot.domain.talk.errors import Conflict
from bot.domain.value import frozen
from bot.ports.meaning import Begun, Leaving, PassagePlace, Sample

_KEEPER = 6_120_551_847
"""The key of the one process that keeps the index."""

_BEGUN = select(*columns(meaning, Begun)).where(meaning.c.id == 1)
_OWED = (
    select(*columns(passage, Passage))
    .where(UNMEANT)
    .order_by(passage.c.number)
    .limit(bindparam("most"))
)
_COUNT = select(func.count()).select_from(passage).where(UNMEANT)
_PLACES = select(*columns(passage, PassagePlace)).where(
    passage.c.number.in_(bindparam("numbers", expanding=True))
)
_LEAVING = (
    select(leaving.c.number, leaving.c.whose)
    .order_by(leaving.c.whose, leaving.c.number)
    .limit(bindparam("most"))
)
_MARK = (
    update(passage)
    .where(passage.c.number == bindparam("of"), passage.c.whose == bindparam("owner"))
    .values(meant=True)
)
_ALL_OWED = update(passage).where(passage.c.meant).values(meant=False)
_AGAIN = (
    update(passage)
    .where(
        passage.c.meant, passage.c.number == bindparam("of"), passage.c.whose == bindparam("owner")
    )
    .values(meant=False)
)
_GONE = delete(leaving).where(
    leaving.c.number == bindparam("of"), leaving.c.whose == bindparam("owner")
)
_OF_INDEX = ("name", "space", "weight", "weighed")
_NOTE = Upsert(meaning, ["id"], overwrite(*_OF_INDEX))
_ENDS = select(func.min(passage.c.number), func.max(passage.c.number))
_SAMPLE = (
    select(*columns(passage, Passage))
    .where(
        passage.c.number.in_(bindparam("numbers", expanding=True)),
        passage.c.question != "",
        passage.c.answer != "",
    )
    .order_by(passage.c.number)
)
_LEAVE = Upsert(leaving, ["number", "whose"])
_HAS = select(passage.c.number, passage.c.whose).where(passage.c.meant)
_MAY_HAVE = union_all(
    select(passage.c.number, passage.c.whose), select(leaving.c.number, leaving.c.whose)
)


@frozen
class Promised:
    """The vectors that the index of meaning has and may have, as the rows of a moment say."""

    index: str
    """The name of the index."""
    has: Set[tuple[int, Whose]]
    may_have: Set[tuple[int, Whose]]


def promised(connection: Connection) -> Promised | None:
    """Returns what the rows promise of the index; None when none was begun."""
    begun = connection.execute(_BEGUN).first()
    if begun is None:
        return None
    has, may_have = (
        {(row.number, row.whose) for row in connection.execute(told)} for told in (_HAS, _MAY_HAVE)
    )
    return Promised(begun.name, has, may_have)


class SqlMeant(Reads):
    """The port `Meant`."""

    async def begun(self) -> Begun | None:
        return await self._one(Begun, _BEGUN)

    async def begin(self, index: Begun | None) -> None:
        def begin(connection: Connection) -> None:
            connection.execute(_ALL_OWED)
            connection.execute(delete(leaving))
            if index is None:
                connection.execute(delete(meaning))
            else:
                _NOTE.run(connection, {"id": 1, **values(index, _OF_INDEX)})

        await self._database.write(begin, repeatable=True)

    async def held(self) -> bool:
        return await self._database.hold(_KEEPER)

    async def places(self, numbers: Sequence[int]) -> Sequence[PassagePlace]:
        return await self._all(PassagePlace, _PLACES, numbers=list(numbers))

    async def count_owed(self) -> int:
        return await self._scalar(_COUNT)


class SqlMeaningDebts(Reads):
    """The port `MeaningDebts`."""

    async def owed(self, limit: int) -> Sequence[Passage]:
        return await self._all(Passage, _OWED, most=limit)

    async def taken_in(
        self, passages: Sequence[Passage], index: str, records: Sequence[AddUsage] = ()
    ) -> None:
        def note(connection: Connection) -> None:
            _check(connection, index)
            put_usage(connection, records)
            for one in passages:
                if not connection.execute(_MARK, {"of": one.number, "owner": one.whose}).rowcount:
                    # It was forgotten or moved meanwhile, so its vector must not stay.
                    _LEAVE.run(connection, {"number": one.number, "whose": one.whose})

        await self._database.write(note)

    async def leaving(self, limit: int) -> Sequence[Leaving]:
        return await self._all(Leaving, _LEAVING, most=limit)

    async def taken_out(self, left: Sequence[Leaving], index: str) -> None:
        rows = [{"of": one.number, "owner": one.whose} for one in left]

        def note(connection: Connection) -> None:
            _check(connection, index)
            connection.execute(_AGAIN, rows)
            connection.execute(_GONE, rows)

        if rows:
            await self._database.write(note)


class SqlWeights(Reads):
    """The port `Weights`."""

    async def sample(self, limit: int) -> Sample:
        def read(connection: Connection) -> Sample:
            first, newest = connection.execute(_ENDS).one()
            if newest is None:
                return Sample((), 0)
            # Evenly by number, so that a large memory is not read as a whole.
            numbers = {first + (newest - first) * n // max(limit - 1, 1) for n in range(limit)}
            rows = connection.execute(_SAMPLE, {"numbers": sorted(numbers)})
            return Sample([Passage(*row) for row in rows], newest)

        return await self._database.read(read)

    async def weigh(self, index: Begun) -> None:
        def note(connection: Connection) -> None:
            _check(connection, index.name)
            connection.execute(update(meaning).values(values(index, ("weight", "weighed"))))

        await self._database.write(note, repeatable=True)


def _check(connection: Connection, index: str) -> None:
    row = connection.execute(_BEGUN).first()
    if row is None or row.name != index:
        raise Conflict("another index of meaning was begun")
