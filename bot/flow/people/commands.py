"""Commands of owners about the people who may use the bot: who they are, and their rights."""

from collections.abc import Sequence
from datetime import datetime

from bot.domain.change import AddAudit, SaveTerms
from bot.domain.clock.zones import Zones
from bot.domain.talk.person import Person
from bot.domain.talk.rights import Pace
from bot.domain.text.names import named
from bot.domain.value import frozen, replace
from bot.flow.commanding.table import Answer, Command, Invocation, Topic
from bot.flow.models.preamble import PreambleMaker
from bot.flow.people.accounts import BRIEF, WHO, account_meant, example, sender_of, whom
from bot.flow.people.levels import TOLD, level_buttons
from bot.flow.people.terms import amended, described, in_words
from bot.ports.clock import Clock
from bot.ports.members import Members
from bot.ports.people import People

_FOR = Topic.PEOPLE
_TERMS = (
    "[approve off|changes|commands] [commands on|off] [tools all|a,b] "
    "[pace off|default|20/min,200/h]"
)
_HOW = """To change a right, write it behind the number, as in `/rights {who} commands off`:

- `approve off`: they only talk; you approve what they want changed
- `approve changes`: they may approve changes of files in the folder of their chat
- `approve commands`: they may also approve commands that a sandbox keeps in that folder
- `commands off`: no commands at all, whoever approves them; `commands on` ends that
- `tools all`: every tool; `tools read_file,list_files`: only these
- `pace 20/min,200/h`: how many messages they can send; `pace off`: as many as they like; \
`pace default`: as many as my settings say"""


@frozen
class PeopleCommands:
    """Governs people; `common` is the pace of members without a pace of their own."""

    _people: People
    _members: Members
    _preamble: PreambleMaker
    _clock: Clock
    _common: Pace
    _zones: Zones

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command("people", "who may use me, and what each may do", self.people, "", _FOR),
            Command(
                "rights",
                "what someone may do",
                self.rights,
                f"{WHO} {_TERMS}",
                _FOR,
                brief=f"{BRIEF} [right] [value]",
                chosen=True,
            ),
        )

    async def people(self, asked: Invocation) -> Answer:
        accounts: dict[Person, list[str]] = {}
        for key, person in await self._people.accounts():
            accounts.setdefault(person, []).append(key)
        seen = await self._members.seen()
        lines = [
            f"- {named(person.name)} ({person.role}): {', '.join(f'`{key}`' for key in keys)} · "
            f"{in_words(person, self._common)} · {self._last(seen.get(person.id), asked)}"
            for person, keys in accounts.items()
        ]
        return Answer("\n".join(lines))

    def _last(self, at: datetime | None, asked: Invocation) -> str:
        if at is None:
            return "asked me nothing yet"
        return f"last asked me {self._zones.told(at, asked.person)}"

    async def rights(self, asked: Invocation) -> Answer:
        account, wishes = account_meant(asked)
        if account is None:
            return Answer(f"{whom(asked)}\n\n{_HOW.format(who=example(asked))}")
        person = await self._people.by_sender(sender_of(account))
        if person is None:
            return Answer(f"{account} has no access. /allow lets them in.")
        name = named(person.name)
        if person.is_owner:
            return Answer(f"{name} is an owner. Owners may do everything.")
        how = _HOW.format(who=account if wishes == asked.words else asked.words[0])
        if not wishes:
            return self._told(account, person, f"\n\n{how}")
        known = {spec.name for spec in self._preamble.house}
        for server in await self._preamble.servers(asked.chat):
            known |= {spec.name for spec in server.tools}
        try:
            rights, pace = amended(person, wishes, known)
        except ValueError as fault:
            return Answer(f"{fault} Nothing was changed.\n\n{how}")
        now = Person(person.id, person.name, person.role, rights, pace)
        audit = self._audit(asked, "person.rights", account, described(now, self._common))
        return replace(self._told(account, now), writes=(SaveTerms(person.id, rights, pace), audit))

    def _told(self, account: str, person: Person, more: str = "") -> Answer:
        """Returns what somebody may do, with the buttons of the levels."""
        level = person.rights.level
        told = f"{named(person.name)}: `{described(person, self._common)}`. {TOLD[level]}{more}"
        return Answer(told, buttons=level_buttons(account, level), optional=True)

    def _audit(self, asked: Invocation, action: str, account: str, how: str = "") -> AddAudit:
        details = {"how": how} if how else {}
        return AddAudit(self._clock.now(), asked.chat.id, asked.person.id, action, account, details)
