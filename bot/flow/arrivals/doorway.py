"""Receives strangers: the pairing link makes one an owner; others get one polite line a day."""

import hashlib
import logging
import secrets
from collections import deque
from collections.abc import Sequence
from datetime import datetime, timedelta

from bot.domain.change import AddAudit, Change, InboundState, MarkInbound, Show, Write
from bot.domain.talk.message import InboundMessage, Outbound, OutboundKind, Plain
from bot.domain.talk.person import Person, Sender, owned_on_a_platform
from bot.flow.arrivals.knocking import Knocking
from bot.flow.arrivals.marks import marked
from bot.ports.chats import Chats
from bot.ports.clock import Clock
from bot.ports.inbox import InboundRow
from bot.ports.journal import Journal
from bot.ports.people import Door, People

_LOG = logging.getLogger(__name__)

_NEW = (InboundState.NEW,)
PAIRING_MINUTES = 15
MOST_GREETED = 100
"""Strangers a day who get a line, so that nobody can fill the store with chats."""

WELCOME = (
    "Welcome! You own this assistant now. Write to me as you would write to a person. I ask before "
    "I change anything. /help shows what else I understand."
)
_NOBODYS = (
    "Hello! I am a new assistant, and nobody owns me here yet. Do you run my program? Then open "
    f"the link that it printed when it started: it works for {PAIRING_MINUTES} minutes. A restart "
    "prints a new one."
)
_DEAD_LINK = (
    "This link is no longer good. It works once, and for "
    f"{PAIRING_MINUTES} minutes. Restart my program: it prints a new one."
)
_DEAD_AND_OWNED = "This link is no longer good: somebody owns this assistant already."


class Doorway:
    """Receives messages of people whom the bot does not know."""

    def __init__(
        self,
        door: Door,
        people: People,
        knocking: Knocking,
        chats: Chats,
        journal: Journal,
        clock: Clock,
    ) -> None:
        self._door = door
        self._people = people
        self._knocking = knocking
        self._chats = chats
        self._journal = journal
        self._clock = clock
        self._dead_links = _DeadLinks()

    async def pairing_code(self) -> str:
        """Returns a new code for the pairing link and makes older codes void.

        Only the hash of the code is stored.
        """
        code = secrets.token_urlsafe(16)
        expires = self._clock.now() + timedelta(minutes=PAIRING_MINUTES)
        await self._door.offer(_hash(code), expires)
        return code

    async def owned(self) -> bool:
        """Returns true when an owner has an account on a platform; the terminal is none."""
        return owned_on_a_platform(await self._people.accounts())

    async def knock(self, row: InboundRow, message: InboundMessage) -> None:
        """Handles a message of a stranger and marks its row."""
        owner = await self._paired(message)
        if owner is not None:
            await self._answer(row, message, WELCOME, owner)
            return
        line, asked = await self._line(message) if message.private else ("", ())
        if line:
            await self._answer(row, message, line, None, asked)
        else:
            # Else strangers could fill the store, with words that nobody here may read.
            told = marked(row, InboundState.DONE, "a stranger", forget=True)
            await self._journal.commit(told)

    async def _paired(self, message: InboundMessage) -> Person | None:
        code = _code_in(message)
        if not code:
            return None
        return await self._door.redeem(_hash(code), message.sender, self._clock.now())

    async def _line(self, message: InboundMessage) -> tuple[str, Sequence[Write]]:
        """Returns the line that is due to a stranger, and the question it puts to the owners."""
        now, sender = self._clock.now(), message.sender
        if _code_in(message):
            if not self._dead_links.may_be_told(sender.key, now):
                return "", ()
            return _DEAD_AND_OWNED if await self.owned() else _DEAD_LINK, ()
        if not await self._door.greet(sender.key, now.date(), MOST_GREETED):
            return "", ()
        if not await self.owned():
            return _NOBODYS, ()
        asked = await self._knocking.asked(sender)
        return _polite(sender, asked=bool(asked)), asked

    async def _answer(
        self,
        row: InboundRow,
        message: InboundMessage,
        text: str,
        owner: Person | None,
        asked: Sequence[Write] = (),
    ) -> None:
        chat = await self._chats.at(message.address, private=message.private)
        content = Outbound(OutboundKind.NOTICE, (Plain(text),))
        writes: list[Write] = [
            MarkInbound(row.id, InboundState.DONE, _NEW, chat.id, reason="a stranger", forget=True),
            Show(f"door:{row.id}", chat.id, content),
            *asked,
        ]
        if owner is not None:
            now, sender = self._clock.now(), message.sender
            writes.append(AddAudit(now, chat.id, owner.id, "person.paired", sender.key, {}))
            _LOG.info("%s is the owner now", sender.key)
        await self._journal.commit(Change(tuple(writes), durable=True))


class _DeadLinks:
    """Counts lines about dead links: 5 an hour for one account, 30 for all strangers together."""

    def __init__(self) -> None:
        self._told: deque[tuple[datetime, str]] = deque(maxlen=30)

    def may_be_told(self, account: str, now: datetime) -> bool:
        """Returns true, and counts the line, when it is within both bounds."""
        while self._told and self._told[0][0] <= now - timedelta(hours=1):
            self._told.popleft()
        full = len(self._told) == self._told.maxlen
        if full or sum(key == account for _, key in self._told) >= 5:
            return False
        self._told.append((now, account))
        return True


def _code_in(message: InboundMessage) -> str:
    """Returns the code behind a typed `/start` in a private chat; empty for any other message."""
    command, _, code = message.text.strip().partition(" ")
    ordered = command == "/start" and message.private and message.commands
    return code.strip() if ordered else ""


def _hash(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def _polite(sender: Sender, *, asked: bool) -> str:
    private = "Hello! This is a private assistant, so I cannot help you yet."
    if asked:
        return f"{private} I have told my owner that you wrote. Your number is {sender.user_id}."
    return f"{private} To get access, send this number to my owner: {sender.user_id}"
