"""Asks owners whether to let in a stranger who wrote to the bot, and takes their answers."""

import asyncio
from collections.abc import Sequence

from bot.domain.change import AddAudit, Change, Show, Write
from bot.domain.talk.message import Address, Press, PressAnswer
from bot.domain.talk.person import Person, Role, Sender
from bot.flow.commanding.desks import NOT_OURS, Desk, refused, spent
from bot.flow.groups.news import News
from bot.flow.people.accounts import sender_of
from bot.flow.people.knocks import (
    KNOCK_BUTTONS,
    KnockButton,
    Knocks,
    KnockVerb,
    account_of_card,
    admitted,
    card_about,
    ignored,
    key_of,
    occasion_of,
)
from bot.flow.people.letting_in import let_in
from bot.flow.people.levels import level_buttons
from bot.ports.chats import Chats
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.outbox import Outbox
from bot.ports.people import Door, People

MOST_A_DAY = 5
"""Strangers a day for whom owners are asked, so that nobody can fill an owner's chat."""

_OWNERS_ONLY = "Only an owner can decide this."


class Knocking(Desk[KnockButton]):
    """The desk of those cards."""

    buttons = (KNOCK_BUTTONS,)

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
        self._knocks = Knocks(outbox)
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
            keys = [key_of(day, number, home) for home in homes]
            if all([await self._outbox.row(key) is None for key in keys]):
                card = card_about(sender)
                return [Show(key, home, card) for key, home in zip(keys, homes, strict=True)]
        return []

    async def press(
        self, meant: KnockButton, press: Press, chat: int, person: Person | None
    ) -> PressAnswer:
        # One at a time: two owners may press in their own chats at the same moment.
        async with self._deciding:
            return await self._decide(meant, press, chat, person)

    async def _decide(
        self, meant: KnockButton, press: Press, chat: int, person: Person | None
    ) -> PressAnswer:
        key = (
            None if press.message_id is None else await self._outbox.key_of(chat, press.message_id)
        )
        row = await self._outbox.row(key) if key is not None else None
        occasion = occasion_of(row.key) if row is not None else None
        if row is None or occasion is None:
            return refused(NOT_OURS)
        if person is None or not person.is_owner:
            return refused(_OWNERS_ONLY)
        if account_of_card(row.content) is None:
            return spent()
        account, verb = meant.account, meant.verb
        verdict, writes = await self._carried_out(account, verb, occasion, chat, person)
        known = await self._people.by_sender(sender_of(account))
        buttons = () if known is None else level_buttons(account, known.rights.level)
        shows = await self._knocks.decided(account, verdict, buttons)
        await self._journal.commit(Change((*shows, *writes), durable=True))
        return PressAnswer()

    async def _carried_out(
        self, account: str, verb: KnockVerb, occasion: str, chat: int, person: Person
    ) -> tuple[str, Sequence[Write]]:
        """Lets the sender in or ignores them; returns the verdict and the rows to store."""
        sender, told = sender_of(account), tuple[Write, ...]()
        if await self._people.by_sender(sender) is not None:
            # Let in by another way meanwhile: nobody is told again, and a silence stored now would
            # outlast a later `/revoke`.
            return f"✅ Let in already. /revoke {sender.user_id} takes access back.", ()
        if verb is KnockVerb.LET_IN:
            await self._people.admit(sender, Role.MEMBER)
            here = await self._chats.at(Address(sender.channel, sender.user_id), private=True)
            told = (let_in(account, occasion, here.id),)
            verdict, action = admitted(sender), "person.allowed"
        else:
            await self._door.ignore(account)
            verdict, action = ignored(sender), "person.ignored"
        audit = AddAudit(self._clock.now(), chat, person.id, action, account, {})
        return verdict, (*told, audit)
