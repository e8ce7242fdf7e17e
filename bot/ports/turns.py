"""The rows of turns, settled ones too."""

from collections.abc import Sequence
from typing import Protocol

from bot.domain.turn.turn import Turn


class TurnRows(Protocol):
    async def get(self, turn: str) -> Turn | None:
        """Returns the row of a turn; None when there is none with this id."""
        ...

    async def at_work(self, origin: str) -> Sequence[Turn]:
        """Returns the running and the queued turns of an origin, oldest first."""
        ...
