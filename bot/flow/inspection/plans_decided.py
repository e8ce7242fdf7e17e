"""Decisions on plans that were shown, read from the lines of the record."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from bot.domain.consent.approval import ApprovalState
from bot.domain.plans.plan import decision_of_card
from bot.domain.talk.person import Person
from bot.domain.text.names import plain_name
from bot.domain.value import frozen
from bot.flow.inspection.former_people import names_of
from bot.ports.people import People
from bot.ports.plans import Plans
from bot.ports.records import Decided, RecordFilter, RecordLine, RecordPages

_ABOUT_PLANS = "plan."
_SHOWN = "plan.ready"
_HOW = {
    "plan.approved": "Approved",
    "plan.changed": "Sent back to be changed",
    "plan.cancelled": "Cancelled",
}
_BY_A_MOMENT = timedelta(seconds=1)
_LOOKED_AT = 400
"""Newest lines about plans and their steps in which decisions are looked for."""


@frozen
class PlanDecision:
    """The first decision on a plan since it was shown."""

    id: str
    """Names the plan and its revision."""
    plan: str
    chat: int
    title: str
    how: str
    by: int | None
    name: str
    """The name of the person who decided; empty when nobody did."""
    since: datetime
    at: datetime
    turn: str
    """The turn that carried the plan out; empty for one that was not approved."""

    @property
    def approved(self) -> bool:
        return self.how == _HOW["plan.approved"]

    def told_to(self, reader: Person) -> str:
        """Returns who decided it, as one person reads it; empty where nobody did."""
        return "you" if self.by == reader.id else plain_name(self.name) if self.name else ""

    @property
    def measured(self) -> Decided:
        """Returns it as a measure of consent needs it: a plan is asked about as a card is."""
        pressed = ApprovalState.APPROVED if self.approved else ApprovalState.DENIED
        state = ApprovalState.CANCELLED if self.by is None else pressed
        return Decided(self.by, self.name, state, self.since, self.at)


@frozen
class DecidedPlans:
    """Finds the newest decisions on plans."""

    _records: RecordPages
    _plans: Plans
    _people: People

    async def of(self, asker: int | None) -> "DecisionsFound":
        """Returns decisions on the plans of one asker, or on those of everybody, oldest first."""
        found = await self._found(RecordFilter(action=_ABOUT_PLANS))
        since = None if len(found) < _LOOKED_AT else found[0].at
        every = await self._decisions(found)
        if asker is not None:
            every = [one for one in every if await self._asked_by(asker, one)]
        return DecisionsFound(every, since)

    async def on(self, card: str) -> PlanDecision | None:
        """Returns the decision on the revision of a plan whose card has this outbound key."""
        id, revision = decision_of_card(card)
        plan = await self._plans.get(id)
        if plan is None or (plan.ready and str(plan.revision) == revision):
            return None
        until = None if plan.ended_at is None else plan.ended_at + _BY_A_MOMENT
        chosen = RecordFilter(plan.chat, action=_ABOUT_PLANS, since=plan.created_at, until=until)
        found = await self._decisions(await self._found(chosen))
        return next((one for one in found if one.id == f"{id}:{revision}"), None)

    async def _found(self, chosen: RecordFilter) -> Sequence[RecordLine]:
        """Returns the newest lines of a choice, oldest first."""
        return (await self._records.lines(chosen, None, _LOOKED_AT)).lines[::-1]

    async def _decisions(self, lines: Sequence[RecordLine]) -> Sequence[PlanDecision]:
        names = await names_of(self._people, (line.person for line in lines))
        return [*_decisions(lines, names)]

    async def _asked_by(self, asker: int, one: PlanDecision) -> bool:
        plan = await self._plans.get(one.plan)
        return plan is not None and plan.asker == asker


@frozen
class DecisionsFound:
    """Decisions on plans that were found, oldest first."""

    decisions: Sequence[PlanDecision]
    since: datetime | None = None
    """The time before which nobody has looked; None where all lines were looked at."""


def _decisions(lines: Iterable[RecordLine], names: dict[int, str]) -> Iterator[PlanDecision]:
    """Yields decisions from lines in the order of their times."""
    shown: dict[str, RecordLine] = {}
    for line in lines:
        plan, turn = str(line.details.get("plan", "")), str(line.details.get("turn", ""))
        id = f"{plan}:{line.details.get('revision', '')}"
        if line.action == _SHOWN:
            shown[id] = line
        elif line.action in _HOW and line.chat is not None and id in shown:
            name = "" if line.person is None else names[line.person]
            how, since = _HOW[line.action], shown.pop(id).at
            yield PlanDecision(
                id, plan, line.chat, line.subject, how, line.person, name, since, line.at, turn
            )
