"""What the rows say of a person: when they wrote, and what stands in their name."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.domain.approval import Approval
from bot.domain.turn import Turn


@dataclass(frozen=True, slots=True)
class Standing:
    """What a person has going on, in any chat; `asked` when they ever had a turn."""

    turns: tuple[Turn, ...] = ()
    cards: tuple[Approval, ...] = ()
    waiting: int = 0
    asked: bool = False


class Members(Protocol):
    async def standing(self, person: int) -> Standing:
        """Unsettled turns and open cards of a person, oldest first, and their waiting messages."""
        ...

    async def seen(self) -> Mapping[int, datetime]:
        """When the newest message of each person arrived."""
        ...

    async def nth_newest(self, person: int, nth: int) -> datetime | None:
        """When the nth newest message taken from a person arrived; None when there are fewer."""
        ...
