"""Descriptions of skills and tools: the search by their meaning, and the rows of their vectors."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from bot.domain.change import AddUsage
from bot.domain.money.budget import Cause
from bot.domain.tools.shelf import Shelf


class Descriptions(Protocol):
    def keep(self, shelf: Shelf) -> None:
        """Notes that these will be searched; they have vectors as long as somebody holds them."""
        ...

    async def search(
        self, words: str, shelf: Shelf, by_words: Sequence[str], cause: Cause
    ) -> Sequence[str]:
        """Returns the names that fit, the best first, with those that were found by words.

        Without an answer of the embedder in time these are all.
        """
        ...

    async def run(self) -> None:
        """Gives descriptions their vectors until it is cancelled."""
        ...


class DescriptionRows(Protocol):
    """Keeps the vector of each description under a key, for all processes of a database."""

    async def held(self, keys: Sequence[str]) -> Mapping[str, bytes]:
        """Returns the vectors that are kept; an empty one means that the embedder refuses it."""
        ...

    async def claim(self, keys: Sequence[str], at: datetime, before: datetime) -> Collection[str]:
        """Returns those of these without a vector that nobody has claimed since `before`.

        A claim that is as far ahead of `at` counts no more: its clock was set back since.
        Whoever gets them has them embedded and pays for it; nobody else does meanwhile.
        """
        ...

    async def keep(
        self, vectors: Mapping[str, bytes], at: datetime, records: Sequence[AddUsage]
    ) -> None:
        """Keeps vectors, and what they cost, in one transaction."""
        ...

    async def drop(self, keys: Sequence[str]) -> None: ...

    async def sweep(self, used: Sequence[str], at: datetime, before: datetime) -> None:
        """Notes that these are used, and deletes those that nobody has used since `before`."""
        ...
