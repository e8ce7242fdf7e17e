"""An open database that runs pieces of work, each in a transaction of its own."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection, Executable

from bot.adapters.sql.prepared import Prepared, Values

T = TypeVar("T")
Work = Callable[[Connection], T]
"""Statements in order, without async: the database decides on which thread they wait."""

Now = Callable[[], datetime]
"""Tells the time, with its zone, for rows that carry none of their own."""


def wall_clock() -> datetime:
    """Returns the time of this machine, in UTC."""
    return datetime.now(UTC)


class Database(Protocol):
    """Runs work; both methods raise Conflict or a StoreError, and then nothing was written."""

    async def fetch(
        self, statement: Executable | Prepared, values: Values | None = None
    ) -> Sequence[Any]:
        """Returns the rows of one statement that only reads; it needs no transaction."""
        ...

    async def read(self, work: Work[T]) -> T:
        """Runs work that only reads, on one snapshot of the data."""
        ...

    async def write(self, work: Work[T], *, durable: bool = False, repeatable: bool = False) -> T:
        """Runs work and commits it; a cancel reaches the caller only after the outcome is decided.

        With `durable` the result survives a power loss, otherwise the death of the process; on a
        server it always survives both, since this process may outlive the server. Work that is
        `repeatable` does the same when it is done once more, so that a commit in doubt needs no
        look.
        """
        ...

    async def hold(self, key: int) -> bool:
        """Returns True while no other process on this database holds the key.

        It is held until the database is closed, or the process dies.
        """
        ...


def first_of(rows: Sequence[Any]) -> Any:
    """Returns the first row; None when there is none."""
    return rows[0] if rows else None
