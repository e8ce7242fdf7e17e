"""The command of owners that lets people in, and the line that tells them."""

from collections.abc import Sequence

from bot.domain.change import AddAudit, Show, Write
from bot.domain.talk.message import Address, Outbound, OutboundKind, Plain
from bot.domain.talk.person import Person, Role
from bot.domain.talk.reach import Level
from bot.domain.talk.session import PAGE
from bot.domain.value import frozen
from bot.flow.commanding.table import Answer, Command, Invocation, Topic
from bot.flow.people.accounts import (
    BRIEF,
    account_meant,
    account_named,
    called,
    sender_of,
    whom,
)
from bot.flow.people.knocks import Knocks, admitted
from bot.flow.people.levels import TOLD, level_buttons
from bot.flow.people.page_newcomers import BY_PAGE, PageNewcomers
from bot.ports.chats import Chats
from bot.ports.clock import Clock
from bot.ports.people import People

LET_IN = "You can use me now. Just write to me; /start shows what you can try."


@frozen
class LettingInCommand:
    _people: People
    _chats: Chats
    _knocks: Knocks
    _clock: Clock
    _newcomers: PageNewcomers

    @property
    def table(self) -> Sequence[Command]:
        told, usage = "let someone in", "<id | channel:id | page name>"
        return (
            Command("allow", told, self.allow, usage, Topic.PEOPLE, brief=BRIEF, on_pages=True),
        )

    async def allow(self, asked: Invocation) -> Answer:
        if asked.words and asked.words[0].lower() == BY_PAGE:
            return await self._newcomers.named(asked, asked.words[1:])
        account, rest = account_meant(asked)
        if account is None or rest:
            return Answer(whom(asked))
        if account.startswith(f"{PAGE}:"):
            return await self._newcomers.again(asked, account)
        known = await self._people.by_sender(sender_of(account))
        if known is not None:
            return _told(known, account, "already")
        person = await self._people.admit(account_named(asked, account), Role.MEMBER)
        now, by = self._clock.now(), asked.person.id
        audit = AddAudit(now, asked.chat.id, by, "person.allowed", account, {})
        told = await self._told(account, asked.row)
        buttons = level_buttons(account, Level.TALK)
        cards = await self._knocks.decided(account, admitted(sender_of(account)), buttons)
        return _told(person, account, "now", (audit, *told, *cards))

    async def _told(self, account: str, row: int) -> Sequence[Write]:
        """Returns the line for a newcomer; none where they never wrote to the bot in private."""
        chats = await self._chats.within(Address.from_key(account))
        home = next((chat.id for chat in chats if chat.private), None)
        return () if home is None else (let_in(account, str(row), home),)


def _told(person: Person, account: str, when: str, writes: tuple[Write, ...] = ()) -> Answer:
    """Returns that somebody can use the bot, what that means, and how to give them more."""
    can = f"{called(person, account)} can use me {when}."
    if person.is_owner:
        return Answer(can, writes)
    level = person.rights.level
    buttons = level_buttons(account, level)
    return Answer(f"{can} {TOLD[level]}", writes, buttons=buttons, optional=True)


def let_in(account: str, occasion: str, chat: int) -> Show:
    """Returns the line that tells people that they are let in, once for each occasion."""
    told = Outbound(OutboundKind.NOTICE, (Plain(LET_IN),))
    return Show(f"let in:{account}:{occasion}", chat, told)
