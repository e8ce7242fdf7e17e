"""Receives strangers: the pairing link makes one an owner; others get one polite line a day."""

import hashlib
import logging
import secrets
from datetime import timedelta

from bot.domain.change import AddAudit, Change, InboundState, MarkInbound, Show, Write
from bot.domain.message import InboundMessage, Outbound, OutboundKind, Plain
from bot.domain.person import Person, Sender
from bot.ports.chats import Chats
from bot.ports.clock import Clock
from bot.ports.inbox import InboundRow
from bot.ports.journal import Journal
from bot.ports.people import Door

_LOG = logging.getLogger(__name__)

_NEW = (InboundState.NEW,)
PAIRING_MINUTES = 15
WELCOME = (
    "Welcome! You are the owner of this assistant now. Write to me as you would to a person; "
    "/help lists what I understand."
)


class Doorway:
    """Receives messages of people whom the bot does not know."""

    def __init__(self, door: Door, chats: Chats, journal: Journal, clock: Clock) -> None:
        self._door = door
        self._chats = chats
        self._journal = journal
        self._clock = clock

    async def pairing_code(self) -> str:
        """Returns a new code for the pairing link and makes older codes void.

        Only the hash of the code is stored.
        """
        code = secrets.token_urlsafe(16)
        expires = self._clock.now() + timedelta(minutes=PAIRING_MINUTES)
        await self._door.offer(_hash(code), expires)
        return code

    async def knock(self, row: InboundRow, message: InboundMessage) -> None:
        """Handles a message of a stranger and marks its row."""
        owner = await self._paired(message)
        if owner is not None:
            await self._answer(row, message, WELCOME, owner)
        elif message.private and await self._greeting_due(message.sender):
            await self._answer(row, message, _polite(message.sender), None)
        else:
            mark = MarkInbound(row.id, InboundState.DONE, _NEW, reason="a stranger")
            await self._journal.commit(Change((mark,)))

    async def _paired(self, message: InboundMessage) -> Person | None:
        command, _, code = message.text.strip().partition(" ")
        if command != "/start" or not code or not message.private:
            return None
        now = self._clock.now()
        return await self._door.redeem(_hash(code.strip()), message.sender, now)

    async def _greeting_due(self, sender: Sender) -> bool:
        return await self._door.greet(sender.key, self._clock.now().date())

    async def _answer(
        self, row: InboundRow, message: InboundMessage, text: str, owner: Person | None
    ) -> None:
        chat = await self._chats.at(message.address, private=message.private)
        content = Outbound(OutboundKind.NOTICE, (Plain(text),))
        writes: list[Write] = [
            MarkInbound(row.id, InboundState.DONE, _NEW, chat.id, reason="a stranger"),
            Show(f"door:{row.id}", chat.id, content),
        ]
        if owner is not None:
            now, sender = self._clock.now(), message.sender
            writes.append(AddAudit(now, chat.id, owner.id, "person.paired", sender.key, {}))
            _LOG.info("%s is the owner now", sender.key)
        await self._journal.commit(Change(tuple(writes), durable=True))


def _hash(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def _polite(sender: Sender) -> str:
    return (
        "Hello! This is a private assistant, so I cannot help you. If its owner should let you "
        f"in, give them this id: {sender.user_id}"
    )
