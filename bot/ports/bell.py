"""A bell between processes on one store, and the posts of which each has one process at a time."""

from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Protocol, TypeAlias

SCHEDULE_POST = "what is due"
"""The post of the process that does what is due by itself."""

MOST_ASKED = 7_000
"""The most bytes of a question to a post, and of its answer."""


class Peal(StrEnum):
    """The reason for which one process rings the others."""

    WORK = "work"
    """A chat has work."""
    STOP = "stop"
    """The drain of a chat has to look at its rows again, right now."""
    OWED = "owed"
    """A message is owed to a chat."""
    ASKED = "asked"
    """A card or a plan of a chat has changed, which open pages show."""
    LOOKED = "looked"
    """A process has open pages."""
    SHOWN = "shown"
    """A message has changed that open pages may show."""
    BESIDE = "beside"
    """Tasks or passages have changed, so that something may be due."""


Hearer: TypeAlias = Callable[[Peal, int], None]
"""Is told the reason and the chat."""

Answerer: TypeAlias = Callable[[str], Awaitable[str]]
"""Returns the answer to a question of another process."""


class Bell(Protocol):
    """Rings all other processes; a ring may be lost, and a look finds what it was about."""

    def ring(self, peal: Peal, chat: int) -> None:
        """Rings soon, and returns at once."""
        ...

    def hear(self, hearer: Hearer) -> None:
        """Has somebody told of each ring of another process from now on."""
        ...


class PostLines(Protocol):
    """Carries questions to the processes with a post, and their answers."""

    def answer(self, post: str, answerer: Answerer) -> None:
        """Has questions to the post answered while this process has it."""
        ...

    async def ask(self, post: str, question: str) -> str:
        """Returns the answer of the process with the post; raises TimeoutError without one.

        Of a post that several share, all hear the question, and the first answer counts.
        """
        ...

    def share(self, post: str, answerer: Answerer) -> None:
        """Has this process answer questions to a post that any number of processes have."""
        ...

    def tell(self, post: str, words: str) -> None:
        """Tells the other processes that share a post; it may be lost, and nobody answers."""
        ...


class Posts(PostLines, Protocol):
    """Gives each post to one process of those that want it; a dead one loses it at once."""

    async def keep(self, post: str, work: Callable[[], Awaitable[None]]) -> None:
        """Does the work of a post whenever this process has it, until cancelled or done.

        The work is cancelled at once when the post is lost.
        """
        ...

    def has(self, post: str) -> bool:
        """Returns True while this process has the post."""
        ...


class NoBell:
    """Says that there is no other process to ring."""

    def ring(self, peal: Peal, chat: int) -> None: ...

    def hear(self, hearer: Hearer) -> None: ...


class OwnPosts:
    """Gives every post to the only process."""

    async def keep(self, post: str, work: Callable[[], Awaitable[None]]) -> None:
        del post
        await work()

    def has(self, post: str) -> bool:
        del post
        return True

    def answer(self, post: str, answerer: Answerer) -> None: ...

    def share(self, post: str, answerer: Answerer) -> None: ...

    def tell(self, post: str, words: str) -> None: ...

    async def ask(self, post: str, question: str) -> str:
        del question
        raise TimeoutError(f"no other process has a post: {post}")
