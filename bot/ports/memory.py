"""The memory: passages as they are stored, and the indexes that find them."""

from collections.abc import Sequence
from typing import Protocol

from bot.domain.memory.fit import Explained
from bot.domain.memory.passage import Hit, Passage, Whose
from bot.domain.talk.chat import Chat
from bot.domain.turn.turn import Turn
from bot.domain.value import frozen


@frozen
class Past:
    """A conversation from before the memory, with its turns that ended with an answer."""

    chat: Chat
    conversation: str
    turns: tuple[Turn, ...]


@frozen
class MemoryCondition:
    """The state of the memory."""

    passages: int
    """Passages that are kept."""
    owed: int
    """Passages that the index of words does not have yet."""
    past_read: int
    """Conversations from before the memory that have been read."""
    past: int
    """All conversations from before the memory; 0 when there is nothing left to read."""
    past_open: bool = False
    """True until it is noted that nothing from before the memory is left to read."""


class OwedPassages(Protocol):
    """The passages that the index of words is owed."""

    async def owed(self, limit: int) -> Sequence[Passage]:
        """Returns the oldest of them."""
        ...

    async def count_owed(self) -> int:
        """Returns their number, along an index of these alone."""
        ...


class Memory(OwedPassages, Protocol):
    """Passages as they are stored; they are written by changes of the journal."""

    async def get(self, id: str) -> Passage | None: ...

    async def around(self, ids: Sequence[str]) -> Sequence[Passage]:
        """Returns these passages and the ones just before and after each in its conversation.

        They come in the order in which they were kept, each once.
        """
        ...

    async def past(self) -> Past | None:
        """Returns the next conversation to read from before the memory; None when none is left."""
        ...

    async def condition(self) -> MemoryCondition: ...


class Index(Protocol):
    """Finds passages by words, or by their meaning."""

    async def take_in(self, passages: Sequence[Passage]) -> None:
        """Indexes passages, and records that they are owed no longer; twice is like once.

        Without any it only looks after the index: one that is missing is owed everything.
        """
        ...

    async def search(self, words: str, whose: Whose, limit: int) -> Sequence[Hit]:
        """Returns what fits these words best among somebody's passages, the best first.

        Nothing in the words is an operator. Returns nothing when no word tells anything. An index
        of meaning returns only what it takes for a fit; of words, `Hit.share` tells.
        """
        ...

    async def explained(self, words: str, whose: Whose, limit: int) -> Explained:
        """Returns what `search` does, and what counted for it, for people."""
        ...

    async def wishes(self, words: str, whose: Whose) -> Sequence[Hit]:
        """Returns somebody's newest wishes that hold always, what fits these words best first."""
        ...

    async def start_anew(self) -> None:
        """Empties the index; every passage is owed to it again."""
        ...
