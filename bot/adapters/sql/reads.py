"""The reading side of a port: what one statement finds, as values of the domain."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Executable, Select, bindparam, tuple_

from bot.adapters.sql.database import Database
from bot.adapters.sql.prepared import Prepared
from bot.ports.listed import ListPlace

T = TypeVar("T")


class Reads:
    """Reads from a database; the values of a statement are given by their names."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def _all(
        self, kind: Callable[..., T], statement: Executable | Prepared, **values: Any
    ) -> list[T]:
        """Returns each row as a value of this kind."""
        return [kind(*row) for row in await self._database.fetch(statement, values)]

    async def _part(
        self,
        kind: Callable[..., T],
        statement: Select[Any],
        by: Sequence[ColumnElement[Any]],
        place: ListPlace[Any] | None,
        *,
        falling: bool = False,
        **values: Any,
    ) -> list[T]:
        """Returns the rows next to a place in the order of their keys."""
        found = await self._all(kind, placed(statement, by, place, falling=falling), **values)
        return found[::-1] if place is not None and place.back else found

    async def _one(
        self, kind: Callable[..., T], statement: Executable | Prepared, **values: Any
    ) -> T | None:
        """Returns the first row as a value of this kind; None when there is none."""
        rows = await self._database.fetch(statement, values)
        return kind(*rows[0]) if rows else None

    async def _scalar(self, statement: Executable, **values: Any) -> Any:
        """Returns the first value of the first row; None when there is none."""
        return await self._database.read(lambda c: c.execute(statement, values).scalar())

    async def _scalars(self, statement: Executable, **values: Any) -> list[Any]:
        """Returns the first value of each row."""
        return await self._database.read(lambda c: list(c.execute(statement, values).scalars()))


def placed(
    statement: Select[Any],
    by: Sequence[ColumnElement[Any]],
    place: ListPlace[Any] | None,
    *,
    falling: bool = False,
) -> Select[Any]:
    """Returns a statement for the rows next to a place, the nearest one first."""
    back = place is not None and place.back
    down = falling != back
    wanted = statement.order_by(*(one.desc() if down else one for one in by))
    if place is None:
        return wanted
    key = tuple_(*(bindparam(None, v, type_=c.type) for v, c in zip(place.key, by, strict=True)))
    return wanted.where(tuple_(*by) < key if down else tuple_(*by) > key)
