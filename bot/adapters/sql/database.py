"""An open database that runs pieces of work, each in a transaction of its own."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from sqlalchemy import Connection

T = TypeVar("T")
Work = Callable[[Connection], T]
"""Statements in order, without async: the database decides on which thread they wait."""


class Database(Protocol):
    """Runs work; both methods raise Conflict or a StoreError, and then nothing was written."""

    async def read(self, work: Work[T]) -> T:
        """Runs work that only reads, on one snapshot of the data."""
        ...

    async def write(self, work: Work[T], *, durable: bool = False) -> T:
        """Runs work and commits it; a cancel reaches the caller only after the outcome is decided.

        With `durable` the result survives a power loss, otherwise the death of the process.
        """
        ...
