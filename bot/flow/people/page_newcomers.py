"""Lets in people who have a browser alone: an owner passes a sign-in link on to them."""

from bot.domain.change import AddAudit
from bot.domain.talk.person import Person, Role, Sender
from bot.domain.talk.reach import Level
from bot.domain.talk.session import CODE_MINUTES, PAGE
from bot.domain.text.names import named, plain_name
from bot.domain.value import frozen
from bot.flow.commanding.table import Answer, Invocation
from bot.flow.people.levels import TOLD, level_buttons
from bot.flow.people.signing_in import LoginCommand
from bot.ports.clock import Clock
from bot.ports.members import Members
from bot.ports.people import People

BY_PAGE = "page"
"""The word of `/allow` that stands for the page, in place of an account of a platform."""

_NAME = "Who? Write their name, as in `/allow page Bob`."
_PRIVATE = "A sign-in link is for one person. Send me this in our private chat."
_LINK = (
    "{name} can use me now, in a browser ({account}). Pass this link on to them, and to nobody "
    "else:\n\n{link}\n\nIt works once, for {minutes} minutes. Whoever opens it and presses Sign in "
    "there is {name} for me.{here} {can}\n\n"
    "Not opened in time? `/allow {account}` makes a new link. `/revoke {account}` takes access "
    "back."
)
_UNKNOWN = (
    "{account} is nobody's number. `/allow page Bob` lets somebody in who has a browser alone."
)
_BEEN_HERE = (
    "{name} can use me already. I make no second link: it would open their conversations to anyone "
    "who has it. In a browser where they are signed in, /login makes one for them. If they have "
    "lost it, let them in anew with `/allow page` and their name; then /link makes both one person."
)


@frozen
class PageNewcomers:
    """Makes people of the page alone, and links for them."""

    _people: People
    _members: Members
    _clock: Clock
    _login: LoginCommand

    async def named(self, asked: Invocation, words: tuple[str, ...]) -> Answer:
        """Lets a person of this name in; two people may have the same name."""
        refused = self._refused(asked)
        if refused or not words:
            return Answer(refused or _NAME)
        # A command that is carried out again after a crash means the same person.
        number = int(asked.message.sent_at.timestamp()) * 1_000_000 + abs(asked.row) % 1_000_000
        sender = Sender(PAGE, str(number), plain_name(" ".join(words)))
        person = await self._people.admit(sender, Role.MEMBER)
        now, by = self._clock.now(), asked.person.id
        audit = AddAudit(now, asked.chat.id, by, "person.allowed", sender.key, {})
        return await self._link(asked, person, sender.key, audit)

    async def again(self, asked: Invocation, account: str) -> Answer:
        """Makes a new link for a person who has not been here; nobody else gets one by this."""
        person = await self._people.by_sender(Sender(PAGE, account.partition(":")[2], ""))
        if refused := self._refused(asked):
            return Answer(refused)
        if person is None:
            return Answer(_UNKNOWN.format(account=account))
        accounts = [key for key, one in await self._people.accounts() if one.id == person.id]
        been = (await self._members.open_work(person.id)).asked
        if len(accounts) > 1 or person.is_owner or been or await self._login.is_in(person.id):
            return Answer(_BEEN_HERE.format(name=named(person.name)))
        return await self._link(asked, person, account)

    def _refused(self, asked: Invocation) -> str:
        return self._login.off or ("" if asked.chat.private else _PRIVATE)

    async def _link(
        self, asked: Invocation, person: Person, account: str, *audits: AddAudit
    ) -> Answer:
        link, offered = await self._login.offered(asked, person.id)
        told = _LINK.format(
            name=named(person.name),
            account=account,
            link=link,
            minutes=CODE_MINUTES,
            here=self._login.here,
            can=TOLD[Level.TALK],
        )
        buttons = level_buttons(account, Level.TALK)
        return Answer(told, (*audits, offered), buttons=buttons, optional=True)
