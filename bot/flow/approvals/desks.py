"""Sends presses and replies to the right desk, and holds the texts that all desks share."""

from collections.abc import Mapping
from enum import Enum
from typing import Protocol

from bot.domain.message import Press
from bot.domain.person import Person
from bot.ports.outbox import Outbox

NOT_OURS = "This button does nothing."
SPENT = "This is decided already."
NOT_APPROVER = "Only an owner may approve this. You may still deny or stop it."
NOT_YOURS = "Only the one who asked, or an owner, may decide this."
UNSHOWN = "The whole of it is not on the screen yet. Look at the document first."


class Taken(Enum):
    """The effect of a reply to a card: none, a decision, or a change.

    WISHED means that the reply changes the card and is also the next message of the chat.
    """

    NO = "no"
    DECIDED = "decided"
    WISHED = "wished"


class Desk(Protocol):
    async def press(self, press: Press, chat: int, person: Person | None) -> str:
        """Takes a press; returns the private answer to the person who pressed."""
        ...

    async def reply(self, chat: int, key: str, text: str, person: Person) -> Taken:
        """Takes a reply to the message with this outbound key."""
        ...


class Desks:
    """The desks by the first letter of their buttons' data."""

    def __init__(self, outbox: Outbox, desks: Mapping[str, Desk]) -> None:
        self._outbox = outbox
        self._desks = desks

    async def press(self, press: Press, chat: int, person: Person | None) -> str:
        desk = self._desks.get(press.data.partition(":")[0])
        return NOT_OURS if desk is None else await desk.press(press, chat, person)

    async def reply(self, chat: int, message_id: str, text: str, person: Person) -> Taken:
        key = await self._outbox.key_of(chat, message_id)
        if key is None:
            return Taken.NO
        for desk in self._desks.values():
            taken = await desk.reply(chat, key, text, person)
            if taken is not Taken.NO:
                return taken
        return Taken.NO
