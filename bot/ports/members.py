"""The rows about a person: their messages, turns and cards."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from bot.domain.consent.approval import Approval
from bot.domain.talk.message import Address
from bot.domain.turn.turn import Turn
from bot.domain.value import frozen


@frozen
class Waiting:
    """A message that waits for its turn: its chat and its arrival."""

    address: Address
    message_id: str
    since: datetime


@frozen
class OpenWork:
    """The open work of a person in all chats; `asked` is true when they ever wrote to the bot."""

    turns: tuple[Turn, ...] = ()
    cards: tuple[Approval, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    asked: bool = False


class Members(Protocol):
    async def open_work(self, person: int) -> OpenWork:
        """Returns a person's unsettled turns and open cards, oldest first, and waiting messages."""
        ...

    async def seen(self) -> Mapping[int, datetime]:
        """Returns the arrival of the newest message of each person."""
        ...

    async def owner_chats(self) -> Sequence[int]:
        """Returns the private chats in which owners have written, those of the first owners first.

        The number of such a chat is the number of its account. The machine's own terminal is left
        out, because it is open only while a person sits there.
        """
        ...

    async def for_owners(self) -> Sequence[Approval]:
        """Returns open cards that owners see in their private chats, oldest first."""
        ...

    async def nth_newest(self, person: int, nth: int, until: datetime) -> datetime | None:
        """Returns the arrival of a person's nth newest taken message; None when there are fewer.

        Messages after `until` do not count: then the clock was set back after they arrived.
        """
        ...
