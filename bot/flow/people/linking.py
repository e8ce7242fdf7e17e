"""The command of owners that makes two accounts one person."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from bot.domain.change import AddAudit, JoinPeople, LinkAccount, Show, Write
from bot.domain.talk.message import Markdown, Outbound, OutboundKind
from bot.domain.talk.person import AT_THE_MACHINE, ON_NO_PLATFORM, Person, Role
from bot.domain.text.names import named
from bot.domain.value import frozen, replace
from bot.flow.commanding.choices import choice
from bot.flow.commanding.effects import Recount
from bot.flow.commanding.table import Answer, Command, Invocation, Topic
from bot.flow.people.accounts import BRIEF, WHO, account_meant, account_of, called, sender_of, whom
from bot.flow.people.knocks import Knocks
from bot.ports.clock import Clock
from bot.ports.members import Members
from bot.ports.outbox import DeliveryState, Outbox, OutboxRow
from bot.ports.people import People

TERMINAL = "terminal"
"""The command by which an owner says that a terminal is theirs."""

_UNASKED = (
    "That terminal has not asked for this chat within the last hour. Start `steward chat --with …` "
    "in it first. "
    "Nothing was changed."
)
_ASKED_FOR = timedelta(hours=1)
"""Time that the question of a terminal stays open: whoever sits there then is still the same."""

_JOIN = "join"
_SAME = "🔗 They are the same person"
_A = {Role.OWNER: "an owner", Role.MEMBER: "a member"}
_NOTHING = "Nothing was changed."


@frozen
class _Holder:
    """A person with accounts, of whom one was named."""

    person: Person
    account: str
    keys: tuple[str, ...] = ()
    """All accounts; the named one is the first."""

    @property
    def called(self) -> str:
        return called(self.person, self.account)


@frozen
class LinkCommand:
    _people: People
    _members: Members
    _outbox: Outbox
    _knocks: Knocks
    _clock: Clock

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command(
                "link",
                "make two accounts one person",
                self.link,
                f"{WHO} <channel:id> [join]",
                Topic.PEOPLE,
                brief=f"{BRIEF} <second account>",
                chosen=True,
            ),
            Command(
                TERMINAL,
                "say that a terminal is yours",
                self.take_terminal,
                "<user>",
                Topic.PEOPLE,
                chosen=True,
                away=True,
            ),
        )

    async def link(self, asked: Invocation) -> Answer:
        agreed = [word.lower() for word in asked.words[-1:]] == [_JOIN]
        account, second = _accounts(replace(asked, words=asked.words[:-1]) if agreed else asked)
        if account is None:
            return Answer(whom(asked))
        if second is None:
            return Answer(f"Which second account? Write it as in `/link {account} discord:77`.")
        person = await self._people.by_sender(sender_of(account))
        if person is None:
            return Answer(f"{account} has no access. /allow lets them in.")
        holder = await self._people.by_sender(sender_of(second))
        if holder is None:
            link = LinkAccount(second, person.id)
            return await self._linked(asked, _Holder(person, account), (second,), link)
        if holder.id == person.id:
            return Answer(f"{second} is {named(person.name)} already.")
        known = await self._people.accounts()
        others = (key for key, one in known if one.id == holder.id and key != second)
        leaving = _Holder(holder, second, (second, *others))
        return await self._joined(asked, _Holder(person, account), leaving, agreed=agreed)

    async def take_terminal(self, asked: Invocation) -> Answer:
        """Makes the terminal of a user of the machine an account of the person who asks.

        A terminal shows its person's private chats, so only they can say that it is theirs, and
        only in the chat where the terminal has asked.
        """
        terminal, person = f"{AT_THE_MACHINE}:{' '.join(asked.words)}", asked.person
        known = await self._people.accounts()
        holder = next((one for key, one in known if key == terminal), None)
        if holder is None:
            return Answer("No such terminal was here. Start `steward chat` there first.")
        if holder.id == person.id:
            return Answer(f"{terminal} is yours already.")
        keys = [key for key, one in known if one.id == holder.id]
        if any(key.partition(":")[0] not in ON_NO_PLATFORM for key in keys):
            return Answer(f"{terminal} belongs to {named(holder.name)}. {_NOTHING}")
        staying = _Holder(person, asked.message.sender.key)
        question = await self._outbox.row(question_key(terminal, staying.account))
        if question is None or question.chat != asked.chat.id:
            return Answer(_UNASKED)
        if not is_open(question, self._clock.now()):
            return Answer(_UNASKED)
        leaving = _Holder(holder, terminal, tuple(sorted(keys, key=terminal.__ne__)))
        answer = await self._joined(asked, staying, leaving, agreed=True)
        if not answer.writes:
            return answer
        told = Outbound(OutboundKind.NOTICE, (Markdown(answer.text),))
        return replace(answer, writes=(*answer.writes, Show(question.key, question.chat, told)))

    async def _joined(
        self, asked: Invocation, staying: _Holder, leaving: _Holder, *, agreed: bool
    ) -> Answer:
        """Joins two people, or asks for it when the leaving one has used the bot before."""
        if leaving.person.is_owner and not staying.person.is_owner:
            return Answer(_demoting(asked, staying, leaving))
        stands = await self._members.open_work(leaving.person.id)
        if stands.turns or stands.cards or stands.waiting:
            told = f"Something is still open for {leaving.called}: wait until it is done, or send"
            return Answer(f"{told} `/stop all` there. Then link again. {_NOTHING}")
        if (stands.asked or _is_known(leaving)) and not agreed:
            return _question(staying, leaving)
        # Something that opens until the commit is a Conflict, and the command runs again.
        join = JoinPeople(leaving.person.id, staying.person.id)
        return await self._linked(asked, staying, leaving.keys, join)

    async def _linked(
        self, asked: Invocation, staying: _Holder, keys: Sequence[str], write: Write
    ) -> Answer:
        name, chat, by = named(staying.person.name), asked.chat.id, asked.person.id
        now, how = self._clock.now(), {"how": f"to {staying.account}"}
        audits = [AddAudit(now, chat, by, "person.linked", key, how) for key in keys]
        decided = f"✅ Linked to {name}"
        cards = [show for key in keys for show in await self._knocks.decided(key, decided)]
        told = f"{keys[0]} is now a second account of {name}: both"
        if len(keys) > 1:
            told = f"{', '.join(keys)} are now accounts of {name}: all"
        told = f"{told} have the same memory, rights and budget."
        return Answer(told, (write, *audits, *cards), (Recount(),))


def question_key(terminal: str, account: str) -> str:
    """Returns the outbound key of the question to an account if a terminal is theirs."""
    return f"{TERMINAL}:{terminal}:{account}"


def is_open(question: OutboxRow, now: datetime) -> bool:
    """Returns True for an hour while nobody has answered; one that was given up is on no screen."""
    given_up = question.state is DeliveryState.DEAD
    fresh = now - question.created_at < _ASKED_FOR
    return fresh and not given_up and question.content.kind is OutboundKind.OPTION


def _accounts(asked: Invocation) -> tuple[str | None, str | None]:
    """Returns the account that stays and the one that is linked to it, as far as words name them.

    As a reply with one account, the first one is the author's.
    """
    account, rest = account_meant(asked)
    quote = asked.message.quote
    if quote is not None and quote.account is not None and len(asked.words) == 1:
        account, rest = quote.account, asked.words
    second = account_of(rest[0], "") if len(rest) == 1 and ":" in rest[0] else None
    return account, second


def _is_known(holder: _Holder) -> bool:
    """Returns True for an owner, and for a person with another account or with words of theirs."""
    person = holder.person
    said = person.about or person.timezone
    return person.is_owner or len(holder.keys) > 1 or bool(said)


def _question(staying: _Holder, leaving: _Holder) -> Answer:
    words = (staying.account, leaving.account, _JOIN)
    button = choice(_SAME, "link", *words)
    how = "press the button" if button else f"send `/link {' '.join(words)}`"
    name, others = named(staying.person.name), ", ".join(leaving.keys[1:])
    role, rights = _A[leaving.person.role], _A[staying.person.role]
    told = (
        f"{leaving.called} is {role} and has used me before. If this is the same person as "
        f"{staying.called}, {how}. Then their notes, answers, rules, tasks, goals and costs count "
        f"for {staying.called}, whose rights as {rights} hold on both accounts."
    )
    too = f" {others} will belong to {name} too." if others else ""
    return Answer(f"{told}{too} This cannot be undone.", buttons=(button,) if button else ())


def _demoting(asked: Invocation, staying: _Holder, leaving: _Holder) -> str:
    told = f"{leaving.called} is an owner, and would lose an owner's rights."
    if leaving.person.id == asked.person.id:
        told = f"{leaving.account} is yours, and you would lose an owner's rights."
    swapped = f"`/link {leaving.account} {staying.account}`"
    return f"{told} {_NOTHING} Send {swapped}: then both accounts are an owner's."
