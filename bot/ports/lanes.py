"""Who works on which chat."""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias

Drain: TypeAlias = Callable[[int], Awaitable[None]]
"""Does everything a chat has to do and returns when nothing is left."""


class Lanes(Protocol):
    def wake(self, chat: int) -> None:
        """Has the chat drained soon, by one owner at a time; a wake-up is never lost."""
        ...

    def interrupt(self, chat: int) -> None:
        """Cancels what the chat's lane is doing, then wakes it."""
        ...
