"""Lanes: each chat is worked on by one owner at a time."""

from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Protocol, TypeAlias

Drain: TypeAlias = Callable[[int], Awaitable[None]]
"""Does everything a chat has to do and returns when nothing is left."""


class Lanes(Protocol):
    """Works while entered; leaving cancels the running work and waits for its end."""

    async def __aenter__(self) -> object: ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None: ...

    def wake(self, chat: int) -> None:
        """Has the chat drained soon, by one owner at a time; a wake-up is never lost."""
        ...

    def interrupt(self, chat: int) -> None:
        """Cancels what the chat's lane is doing, then wakes it."""
        ...
