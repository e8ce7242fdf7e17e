"""Commands of owners about people: rights, accounts and the end of access."""

from collections.abc import Sequence
from datetime import datetime

from bot.domain.change import AddAudit, Revoke, SaveTerms
from bot.domain.person import Person
from bot.domain.rights import Pace
from bot.domain.turn import ACCESS_ENDED, TurnState
from bot.domain.zones import Zones
from bot.flow.approvals.undecided import CardEnding
from bot.flow.commands.accounts import (
    NUMBERS,
    WHO,
    account_meant,
    called,
    sender_of,
    whom,
)
from bot.flow.commands.consequences import Interrupt, Unqueue, Wake
from bot.flow.commands.table import Answer, Command, Invocation, Topic
from bot.flow.commands.terms import amended, described, named
from bot.flow.models.preamble import PreambleMaker
from bot.ports.clock import Clock
from bot.ports.members import Members, Standing
from bot.ports.people import People

_FOR = Topic.PEOPLE
_TERMS = "[commands on|off] [approve on|off] [tools all|a,b] [pace off|default|20/min,200/h]"
_RIGHTS = f"Usage: `/rights {WHO} {_TERMS}`"


def _may(person: Person, common: Pace) -> str:
    """Returns what a person may do; the words of `/rights` are set as code."""
    told = described(person, common)
    return told if person.is_owner else f"`{told}`"


class PeopleCommands:
    """Governs people; `common` is the pace of members without a pace of their own."""

    def __init__(
        self,
        people: People,
        members: Members,
        ending: CardEnding,
        preamble: PreambleMaker,
        clock: Clock,
        common: Pace,
        zones: Zones,
    ) -> None:
        self._people = people
        self._members = members
        self._ending = ending
        self._preamble = preamble
        self._clock = clock
        self._common = common
        self._zones = zones

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command("people", "who may use me, and what each may do", self.people, "", _FOR),
            Command("revoke", "take access back", self.revoke, WHO, _FOR),
            Command("rights", "what someone may do", self.rights, f"{WHO} {_TERMS}", _FOR),
        )

    async def people(self, asked: Invocation) -> Answer:
        accounts: dict[Person, list[str]] = {}
        for key, person in await self._people.accounts():
            accounts.setdefault(person, []).append(key)
        seen = await self._members.seen()
        lines = [
            f"- {named(person.name)} ({person.role}): {', '.join(f'`{key}`' for key in keys)} · "
            f"{_may(person, self._common)} · {self._last(seen.get(person.id), asked)}"
            for person, keys in accounts.items()
        ]
        return Answer("\n".join(lines))

    def _last(self, at: datetime | None, asked: Invocation) -> str:
        if at is None:
            return "no message yet"
        return f"last message {self._zones.told(at, asked.person)}"

    async def revoke(self, asked: Invocation) -> Answer:
        account, rest = account_meant(asked)
        if account is None or rest:
            return Answer(whom(asked))
        person = await self._people.by_sender(sender_of(account))
        if person is None:
            return Answer(f"{account} has no access.")
        if person.id == asked.person.id:
            return Answer("You cannot revoke yourself.")
        stands = await self._members.standing(person.id)
        # Other cards end with their turns.
        await self._ending.withdraw([c for c in stands.cards if c.set_aside], asked.person)
        keys = [key for key, owner in await self._people.accounts() if owner.id == person.id]
        audits = [self._audit(asked, "person.revoked", key) for key in keys]
        told = f"{called(person, ', '.join(keys))} can no longer use me."
        running = {t.chat for t in stands.turns if t.state is TurnState.RUNNING}
        return Answer(
            f"{told}{_ended(stands)}",
            (Revoke(person.id, ACCESS_ENDED), *audits),
            (
                Unqueue(stands.waiting),
                *(Interrupt(chat) for chat in running),
                *(Wake(chat) for chat in {t.chat for t in stands.turns} - running),
            ),
        )

    async def rights(self, asked: Invocation) -> Answer:
        account, wishes = account_meant(asked)
        if account is None:
            return Answer(f"{NUMBERS} {_RIGHTS}")
        person = await self._people.by_sender(sender_of(account))
        if person is None:
            return Answer(f"{account} has no access. /allow lets them in.")
        name = named(person.name)
        if person.is_owner:
            return Answer(f"{name} is an owner. Owners may do everything.")
        if not wishes:
            told = f"{name}: `{described(person, self._common)}`."
            return Answer(f"{told} {_RIGHTS}")
        known = {spec.name for spec in self._preamble.house(asked.chat)}
        for server in await self._preamble.servers(asked.chat):
            known |= {spec.name for spec in server.tools}
        try:
            rights, pace = amended(person, wishes, known)
        except ValueError as fault:
            return Answer(f"{fault} {_RIGHTS}")
        now = Person(person.id, person.name, person.role, rights, pace)
        told = described(now, self._common)
        audit = self._audit(asked, "person.rights", account, told)
        return Answer(f"{name}: `{told}`.", (SaveTerms(person.id, rights, pace), audit))

    def _audit(self, asked: Invocation, action: str, account: str, how: str = "") -> AddAudit:
        details = {"how": how} if how else {}
        return AddAudit(self._clock.now(), asked.chat.id, asked.person.id, action, account, details)


def _ended(stands: Standing) -> str:
    counts = ((len(stands.turns), "turn"), (len(stands.cards), "open card"))
    counted = (*counts, (len(stands.waiting), "waiting message"))
    parts = [f"{n} {what}{'' if n == 1 else 's'}" for n, what in counted if n]
    return f" Ended: {', '.join(parts)}." if parts else ""
