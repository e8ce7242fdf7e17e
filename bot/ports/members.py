"""What the rows say of a person: when they wrote, and what stands in their name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.domain.approval import Approval
from bot.domain.message import Address
from bot.domain.turn import Turn


@dataclass(frozen=True, slots=True)
class Waiting:
    """A message that waits for its turn: where it stands and when it came."""

    address: Address
    message_id: str
    since: datetime


@dataclass(frozen=True, slots=True)
class Standing:
    """What a person has going on, in any chat; `asked` when they ever had a turn."""

    turns: tuple[Turn, ...] = ()
    cards: tuple[Approval, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    asked: bool = False


class Members(Protocol):
    async def standing(self, person: int) -> Standing:
        """Unsettled turns and open cards of a person, oldest first, and their waiting messages."""
        ...

    async def seen(self) -> Mapping[int, datetime]:
        """When the newest message of each person arrived."""
        ...

    async def owner_chats(self) -> Sequence[int]:
        """A private chat with each account of an owner who has written there, first owners first.

        It has the number of the account it is with. The machine's own channel is left out, since
        it is open only while someone sits there.
        """
        ...

    async def for_owners(self) -> Sequence[Approval]:
        """Open cards that owners are asked for in their private chats, oldest first."""
        ...

    async def nth_newest(self, person: int, nth: int, until: datetime) -> datetime | None:
        """When the nth newest message taken from a person arrived; None when there are fewer.

        Those after `until` do not count: the clock has been set back since.
        """
        ...
