"""Lanes of a process that carries out no turns: it rings those that do."""

from typing import Any, Self

from bot.ports.bell import Bell, Peal


class RingingLanes:
    """Leaves every chat to the processes that work; what no ring reached, their looks find."""

    def __init__(self, bell: Bell) -> None:
        self._bell = bell

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: Any) -> None: ...

    def wake(self, chat: int) -> None:
        self._bell.ring(Peal.WORK, chat)

    def interrupt(self, chat: int) -> None:
        self._bell.ring(Peal.STOP, chat)
