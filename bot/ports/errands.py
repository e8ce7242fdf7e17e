"""Finds errands."""

from collections.abc import Sequence
from typing import Protocol

from bot.domain.assignments.errand import Errand
from bot.domain.value import frozen


@frozen
class ErrandProgress:
    """An errand with the counts of its turn."""

    errand: Errand
    rounds: int
    calls: int
    resting: bool = False
    """True while its turn rests after failures and waits for its next trial."""


class Errands(Protocol):
    async def get(self, id: str) -> Errand | None: ...

    async def of_chat(self, chat: int) -> Sequence[ErrandProgress]:
        """Returns the errands of a chat whose results are not taken, oldest first."""
        ...
