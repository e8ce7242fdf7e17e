"""The reading side of a port: what one statement finds, as values of the domain."""

from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Executable

from bot.adapters.sql.database import Database
from bot.adapters.sql.prepared import Prepared

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
