"""Asks owners whether to let in a stranger who wrote to the bot, and takes their answers."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.domain.change import AddAudit, Change, Show, Write
from bot.domain.message import (
    Address,
    Button,
    Outbound,
    OutboundKind,
    Plain,
    Press,
    PressAnswer,
)
from bot.domain.person import Person, Role, Sender
from bot.flow.approvals.desks import NOT_OURS, SPENT, Taken, refused
from bot.flow.commands.accounts import sender_of
from bot.flow.commands.letting_in import let_in
from bot.flow.groups.news import News, named
from bot.ports.chats import Chats
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.outbox import Outbox
from bot.ports.people import Door, People

PREFIX = "k"
"""The first letter of the button data of every such card."""

MOST_A_DAY = 5
"""Strangers a day for whom owners are asked, so that nobody can fill an owner's chat."""

_OWNERS_ONLY = "Only an owner can decide this."


class KnockVerb(StrEnum):
    """The answers of an owner."""

    LET_IN = "in"
    IGNORE = "no"


@dataclass(frozen=True, slots=True)
class _Meant:
    """The meaning of a button: an account, and the answer."""

    account: str
    verb: KnockVerb


class Knocking:
    """The desk of those cards; a card without buttons is decided."""

    def __init__(
        self,
        people: People,
        door: Door,
        chats: Chats,
        news: News,
        outbox: Outbox,
        journal: Journal,
        clock: Clock,
    ) -> None:
        self._people = people
        self._door = door
        self._chats = chats
        self._news = news
        self._outbox = outbox
        self._journal = journal
        self._clock = clock
        self._day = ""
        self._claimed: set[int] = set()
        self._deciding = asyncio.Lock()

    async def asked(self, sender: Sender) -> list[Show]:
        """Returns the cards for owners, to be stored with the mark of the stranger's message.

        Empty when no owner has a private chat on this platform, or enough were asked today.
        """
        homes = await self._news.homes(sender.channel)
        if not homes:
            return []
        day = f"{self._clock.now():%Y%m%d}"
        if day != self._day:
            self._day, self._claimed = day, set()
        for number in range(MOST_A_DAY):
            if number in self._claimed:
                continue
            # Claimed before the look: another stranger may write meanwhile.
            self._claimed.add(number)
            keys = [_key(day, number, home) for home in homes]
            if all([await self._outbox.row(key) is None for key in keys]):
                card = _card(sender)
                return [Show(key, home, card) for key, home in zip(keys, homes, strict=True)]
        return []

    async def press(self, press: Press, chat: int, person: Person | None) -> PressAnswer:
        # One at a time: two owners may press in their own chats at the same moment.
        async with self._deciding:
            return await self._decide(press, chat, person)

    async def _decide(self, press: Press, chat: int, person: Person | None) -> PressAnswer:
        meant = _parsed(press.data)
        key = (
            None if press.message_id is None else await self._outbox.key_of(chat, press.message_id)
        )
        row = await self._outbox.row(key) if key is not None else None
        if meant is None or row is None or not row.key.startswith("knock:"):
            return refused(NOT_OURS)
        if person is None or not person.is_owner:
            return refused(_OWNERS_ONLY)
        if not row.content.buttons:
            return PressAnswer(SPENT)
        _, day, number, _ = row.key.split(":")
        verdict, writes = await self._carried_out(meant, f"{day}:{number}", chat, person)
        decided = Outbound(OutboundKind.CARD, (*row.content.blocks[:1], Plain(verdict)))
        shows = [
            Show(_key(day, int(number), home), home, decided)
            for home in await self._news.homes(sender_of(meant.account).channel)
        ]
        await self._journal.commit(Change((*shows, *writes), durable=True))
        return PressAnswer()

    async def _carried_out(
        self, meant: _Meant, occasion: str, chat: int, person: Person
    ) -> tuple[str, Sequence[Write]]:
        """Lets the sender in or ignores them; returns the verdict and the rows to store."""
        sender = sender_of(meant.account)
        told: tuple[Write, ...] = ()
        if meant.verb is KnockVerb.LET_IN:
            await self._people.admit(sender, Role.MEMBER)
            here = await self._chats.at(Address(sender.channel, sender.user_id), private=True)
            told = (let_in(meant.account, occasion, here.id),)
            verdict, action = "✅ Let in", "person.allowed"
        elif await self._people.by_sender(sender) is not None:
            # Let in by `/allow` meanwhile: a silence stored now would outlast a later `/revoke`.
            return f"✅ Let in already. /revoke {sender.user_id} takes access back.", ()
        else:
            await self._door.ignore(meant.account)
            verdict, action = "Ignored: I stay silent.", "person.ignored"
        audit = AddAudit(self._clock.now(), chat, person.id, action, meant.account, {})
        return verdict, (*told, audit)

    async def reply(
        self, chat: int, key: str, text: str, person: Person, *, asked: bool = False
    ) -> Taken:
        """Takes no words: a reply to the card is a message like any other."""
        return Taken.NO

    async def card_key(self, data: str, chat: int) -> str | None:
        """Returns None: the message of a press names its card, so no copy is told apart."""
        return None

    async def holds_up(self, chat: int, person: Person) -> bool:
        """Returns False: no turn waits for this card."""
        return False


def _card(sender: Sender) -> Outbound:
    def button(label: str, verb: KnockVerb) -> Button:
        return Button(label, f"{PREFIX}:{verb}:{sender.key}")

    who = f"{named(sender.name)} (number {sender.user_id})" if sender.name else sender.key
    asked = Plain(f"👋 {who} wants to use me.")
    means = Plain("If you let them in, they can chat with me, and approve what they ask for.")
    row = (button("✅ Let in", KnockVerb.LET_IN), button("Ignore", KnockVerb.IGNORE))
    return Outbound(OutboundKind.CARD, (asked, means), (row,))


def _key(day: str, number: int, home: int) -> str:
    return f"knock:{day}:{number}:{home}"


def _parsed(data: str) -> _Meant | None:
    match data.split(":"):
        case [prefix, verb, channel, number] if prefix == PREFIX and verb in set(KnockVerb):
            return _Meant(f"{channel}:{number}", KnockVerb(verb))
        case _:
            return None
