"""The index of meaning: its vectors, and what the store notes about them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from bot.domain.change import AddUsage
from bot.domain.memory.earned import UNMEASURED
from bot.domain.memory.meaning import Vector
from bot.domain.memory.passage import Hit, Passage, Whose
from bot.domain.money.budget import Cause
from bot.domain.value import frozen


@frozen
class Begun:
    """The index of meaning that the store's notes are about."""

    name: str
    """Names the index; it gets another name each time it is made anew."""
    space: str
    """The embedder's name and the size of its vectors; others do not fit into the index."""
    weight: float | None = None
    """Its part beside words, from 0 to 1; None until that is measured."""
    weighed: int = 0
    """The number of the newest passage when it was measured; 0 when it never was."""


@frozen
class Leaving:
    """A vector that the index still has to take out."""

    number: int
    whose: Whose


@frozen
class PassagePlace:
    """A passage that a vector stands for."""

    number: int
    id: str
    at: datetime
    whose: Whose


@frozen
class MeaningCondition:
    """The state of memory by meaning."""

    owed: int
    """Passages that the index does not have yet."""
    fault: str
    """The reason for which words serve alone; empty when there is none."""
    ready: bool
    """True when the index can be searched."""
    weight: float | None = None
    """The part of the index beside words, from 0 to 1; None until that is measured."""


@frozen
class MeantHits:
    """The passages that a search by meaning found, the best first."""

    hits: Sequence[Hit] = ()
    """`Hit.score` says by how many spreads a passage is nearer than chance, `share` how near."""
    records: tuple[AddUsage, ...] = ()
    """The records of what the search cost, which the caller writes."""
    weight: float = UNMEASURED
    """The part of these hits beside those of words, from 0 to 1."""


@frozen
class Sample:
    """Passages with a question and an answer, from all times and of all owners."""

    passages: Sequence[Passage]
    newest: int
    """The number of the newest passage of all; 0 when there is none."""


class MeaningIndex(Protocol):
    """Finds passages by their meaning, and keeps up with what it is owed."""

    async def search(self, words: str, whose: Whose, limit: int, cause: Cause) -> MeantHits:
        """Returns the nearest passages; nothing while it is not ready. Raises a MeaningError."""
        ...

    def wake(self) -> None:
        """Notes that something may be owed."""
        ...

    async def condition(self) -> MeaningCondition: ...

    async def run(self) -> None:
        """Gives the index what it is owed until it is cancelled."""
        ...


class Meant(Protocol):
    """Notes which index of meaning there is, and finds the passages of its vectors."""

    async def begun(self) -> Begun | None:
        """Returns the index that was begun last; None when there is none."""
        ...

    async def begin(self, index: Begun | None) -> None:
        """Notes a new, empty index: every passage is owed to it. None ends the only one."""
        ...

    async def held(self) -> bool:
        """Returns True while this process keeps the index; one on each database does.

        Each would find the index of another one gone, and pay for making it anew.
        """
        ...

    async def places(self, numbers: Sequence[int]) -> Sequence[PassagePlace]: ...

    async def count_owed(self) -> int:
        """Returns the number of passages that the index of meaning does not have yet."""
        ...


class MeaningDebts(Protocol):
    """Debts to the index of meaning: passages to take in, and vectors to take out."""

    async def owed(self, limit: int) -> Sequence[Passage]:
        """Returns the oldest passages that the index of meaning is owed."""
        ...

    async def taken_in(
        self, passages: Sequence[Passage], index: str, records: Sequence[AddUsage] = ()
    ) -> None:
        """Notes that the index has these, and what it cost, in one transaction.

        The vectors of those that went meanwhile are leaving. Raises Conflict when another index
        was begun meanwhile.
        """
        ...

    async def leaving(self, limit: int) -> Sequence[Leaving]:
        """Returns vectors that the index has to take out, the oldest first."""
        ...

    async def taken_out(self, left: Sequence[Leaving], index: str) -> None:
        """Notes that these are gone; a passage that came back to its owner is owed again.

        Raises Conflict when another index was begun meanwhile.
        """
        ...


class Weights(Protocol):
    """Keeps what the index of meaning counts beside that of words."""

    async def sample(self, limit: int) -> Sample:
        """Returns passages that are spread evenly over all, at most so many."""
        ...

    async def weigh(self, index: Begun) -> None:
        """Notes the weight of this index. Raises Conflict when another index was begun."""
        ...


class Vectors(Protocol):
    """Holds vectors for each owner apart; all methods raise VectorsAway or VectorsLost.

    It knows no words. A method that was cancelled may have been carried out.
    """

    async def open(self, name: str) -> bool:
        """Returns True when the index of this name is there and sound; otherwise it is not open."""
        ...

    async def make(self, name: str) -> None:
        """Makes an empty index of this name and opens it; any other of this program goes."""
        ...

    async def put(self, whose: Whose, vectors: Sequence[tuple[int, Vector]]) -> None:
        """Puts vectors by the numbers of their passages, in place of those they had."""
        ...

    async def remove(self, whose: Whose, numbers: Sequence[int]) -> None:
        """Takes vectors out, from the disk too; those that are not there count as taken out."""
        ...

    async def nearest(
        self, whose: Whose, vector: Vector, limit: int
    ) -> Sequence[tuple[int, float]]:
        """Returns numbers with their nearness (the cosine), the nearest first."""
        ...
