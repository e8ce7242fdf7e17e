"""Lanes: each chat has one owner at a time."""

from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Protocol, TypeAlias

Drain: TypeAlias = Callable[[int], Awaitable[None]]
"""Does all the work of a chat and returns when nothing is left."""


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
        """Starts a drain of the chat soon; a wake-up is never lost."""
        ...

    def interrupt(self, chat: int) -> None:
        """Cancels the work of the chat's lane, then wakes the lane."""
        ...
