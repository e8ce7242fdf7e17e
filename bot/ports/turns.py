"""The rows of turns, settled ones too."""

from typing import Protocol

from bot.domain.turn import Turn


class TurnRows(Protocol):
    async def get(self, turn: str) -> Turn | None:
        """Returns the row of a turn; None when there is none with this id."""
        ...
