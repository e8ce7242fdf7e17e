"""One database, opened: pieces of work run on it, each in a transaction of its own."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from sqlalchemy import Connection

T = TypeVar("T")
Work = Callable[[Connection], T]
"""Statements in plain order; where they wait for the database is the database's affair."""


class Database(Protocol):
    """Both raise Conflict or a StoreError, and then nothing was written."""

    async def read(self, work: Work[T]) -> T:
        """Runs work that only reads, on one snapshot."""
        ...

    async def write(self, work: Work[T], *, durable: bool = False) -> T:
        """Runs work and commits it; a cancelled caller gets the cancel once this is decided.

        With `durable` it survives a power loss, else the death of the process.
        """
        ...
