"""The commands of owners that let people and their accounts in, and the line that tells them."""

from collections.abc import Sequence

from bot.domain.change import AddAudit, LinkAccount, Revoke, Show, Write
from bot.domain.message import Address, Outbound, OutboundKind, Plain
from bot.domain.person import Person, Role
from bot.domain.turn import ACCESS_ENDED
from bot.flow.commands.accounts import (
    BRIEF,
    WHO,
    account_meant,
    account_named,
    account_of,
    called,
    sender_of,
    whom,
)
from bot.flow.commands.knocks import Knocks, admitted
from bot.flow.commands.table import Answer, Command, Invocation, Topic
from bot.flow.commands.terms import named
from bot.ports.chats import Chats
from bot.ports.clock import Clock
from bot.ports.members import Members
from bot.ports.people import People

LET_IN = "You can use me now. Just write to me; /start shows what you can try."


class LettingInCommands:
    def __init__(
        self, people: People, members: Members, chats: Chats, knocks: Knocks, clock: Clock
    ) -> None:
        self._people = people
        self._members = members
        self._chats = chats
        self._knocks = knocks
        self._clock = clock

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command("allow", "let someone in", self.allow, WHO, Topic.PEOPLE, brief=BRIEF),
            Command(
                "link",
                "add a second account",
                self.link,
                f"{WHO} <channel:id>",
                Topic.PEOPLE,
                brief=f"{BRIEF} <channel:number>",
            ),
        )

    async def allow(self, asked: Invocation) -> Answer:
        account, rest = account_meant(asked)
        if account is None or rest:
            return Answer(whom(asked))
        known = await self._people.by_sender(sender_of(account))
        if known is not None:
            return Answer(f"{called(known, account)} can use me already.")
        person = await self._people.admit(account_named(asked, account), Role.MEMBER)
        now, by = self._clock.now(), asked.person.id
        audit = AddAudit(now, asked.chat.id, by, "person.allowed", account, {})
        told = await self._told(account, asked.row)
        cards = await self._knocks.decided(account, admitted(sender_of(account)))
        return Answer(f"{called(person, account)} can use me now.", (audit, *told, *cards))

    async def _told(self, account: str, row: int) -> Sequence[Write]:
        """Returns the line for a newcomer; none where they never wrote to the bot in private."""
        chats = await self._chats.within(Address.from_key(account))
        home = next((chat.id for chat in chats if chat.private), None)
        return () if home is None else (let_in(account, str(row), home),)

    async def link(self, asked: Invocation) -> Answer:
        account, rest = account_meant(asked)
        quote = asked.message.quote
        if quote is not None and quote.account is not None and len(asked.words) == 1:
            account, rest = quote.account, asked.words
        second = account_of(rest[0], "") if len(rest) == 1 and ":" in rest[0] else None
        if account is None:
            return Answer(whom(asked))
        if second is None:
            return Answer(f"Which second account? Write it as in `/link {account} discord:77`.")
        person = await self._people.by_sender(sender_of(account))
        if person is None:
            return Answer(f"{account} has no access. /allow lets them in.")
        name, holder = named(person.name), await self._people.by_sender(sender_of(second))
        if holder is not None and holder.id == person.id:
            return Answer(f"{second} is {name} already.")
        before: tuple[Write, ...] = ()
        if holder is not None:
            if await self._has_a_life(holder):
                told = f"{second} belongs to {named(holder.name)}, who is somebody else here"
                return Answer(f"{told}. It is not linked; /revoke {second} first.")
            before = (Revoke(holder.id, ACCESS_ENDED),)
        now, by, how = self._clock.now(), asked.person.id, {"how": f"to {account}"}
        audit = AddAudit(now, asked.chat.id, by, "person.linked", second, how)
        cards = await self._knocks.decided(second, f"✅ Linked to {name}")
        writes = (*before, LinkAccount(second, person.id), audit, *cards)
        told = f"{second} is now a second account of {name}: both have the same memory, rights and"
        return Answer(f"{told} budget.", writes)

    async def _has_a_life(self, person: Person) -> bool:
        """Returns true for an owner, or a person with turns, messages or a second account."""
        accounts = [key for key, one in await self._people.accounts() if one.id == person.id]
        stands = await self._members.standing(person.id)
        return person.is_owner or len(accounts) > 1 or stands.asked or bool(stands.waiting)


def let_in(account: str, occasion: str, chat: int) -> Show:
    """Returns the line that tells people that they are let in, once for each occasion."""
    told = Outbound(OutboundKind.NOTICE, (Plain(LET_IN),))
    return Show(f"let in:{account}:{occasion}", chat, told)
