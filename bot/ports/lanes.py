"""Lanes: each chat has one owner at a time."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeAlias

from bot.domain.value import frozen

Drain: TypeAlias = Callable[[int], Awaitable[None]]
"""Does all the work of a chat and returns when nothing is left."""


class Lanes(Protocol):
    """Works while entered; leaving cancels the running work and waits for its end."""

    async def __aenter__(self) -> object: ...

    async def __aexit__(self, *_: object) -> bool | None: ...

    def wake(self, chat: int) -> None:
        """Starts a drain of the chat soon; a wake-up is never lost."""
        ...

    def interrupt(self, chat: int) -> None:
        """Cancels the work of the chat's lane, then wakes the lane."""
        ...


@frozen
class ChatWithWork:
    chat: int
    mark: str
    """Changes whenever other work is there."""
    stopped: frozenset[str]
    """Turns that somebody has stopped and that are not over."""


@frozen
class Look:
    """A part of the chats with work, in the order of their numbers."""

    found: Sequence[ChatWithWork]
    up_to: int | None
    """The last chat of the part; None when no chat comes after it."""
    robbed: frozenset[int]
    """Chats that this process does not own any more, because the store was away."""


class OwnedChats(Protocol):
    """Chats of a store that several processes share; each is owned by one process at most.

    A chat is free again when its owner leaves it or dies.
    """

    async def take(self, chat: int) -> bool:
        """Returns True when this process owns the chat now, False when another one does."""
        ...

    def leave(self, chat: int) -> None:
        """Lets another process have the chat, within a look at the latest."""
        ...

    async def free(self) -> None:
        """Waits until another process may wait for a chat that was left, and lets it have it."""
        ...

    async def look(self, after: int) -> Look:
        """Returns chats with work whose numbers are above `after`, without those of others."""
        ...
