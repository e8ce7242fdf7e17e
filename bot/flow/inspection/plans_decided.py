"""Decisions on plans that were shown, read from the lines of the record."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from bot.domain.consent.approval import ApprovalState
from bot.domain.plans.plan import Plan, decision_of_card
from bot.domain.talk.person import Person
from bot.domain.text.names import plain_name
from bot.domain.value import frozen, replace
from bot.flow.inspection.former_people import names_of
from bot.ports.listed import ListPlace
from bot.ports.people import People
from bot.ports.plans import Plans
from bot.ports.records import Decided, RecordFilter, RecordLine, RecordPages, RowKey

_SHOWN = "plan.ready"
_HOW = {
    "plan.approved": "Approved",
    "plan.changed": "Sent back to be changed",
    "plan.cancelled": "Cancelled",
}
_BY_A_MOMENT = timedelta(seconds=1)
_READ = 100
"""Lines about plans that are read at once."""

_MEASURED = 1_000
"""Newest lines about plans whose decisions are measured."""

_NEXT = timedelta(microseconds=1)
_LAST = datetime.max.replace(tzinfo=UTC) - _NEXT


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
    def place(self) -> tuple[datetime, int, str]:
        """Returns the values by which decisions on plans and cards are put in order."""
        return self.at, 0, self.id

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

    async def at(
        self, asker: int | None, place: ListPlace[RowKey] | None, most: int
    ) -> Sequence[PlanDecision]:
        """Returns decisions at a place, the newest first; of one asker, or of everybody."""
        back = place is not None and place.back
        key = None if place is None else (place.key.at, place.key.position, place.key.id)
        chosen = _beside(place, asker)
        at: ListPlace[int] | None = ListPlace(0, back=True) if back else None
        # Near the newest line, lines come that were read before.
        found: dict[tuple[datetime, int, str], PlanDecision] = {}
        while True:
            part = await self._records.lines(chosen, at, _READ)
            for one in await self._decisions(part.lines, asker):
                if key is None or (one.place > key if back else one.place < key):
                    found[one.place] = one
            on = part.ways.before if back else part.ways.behind
            if len(found) >= most or on is None:
                break
            at = ListPlace(on, back)
        newest_first = [one for _, one in sorted(found.items(), reverse=True)]
        return newest_first[-most:] if back else newest_first[:most]

    async def since(self, asker: int | None, moment: datetime) -> "DecisionsFound":
        """Returns decisions since a moment, oldest first."""
        chosen = RecordFilter(since=moment, plans=True, planner=asker)
        part = await self._records.lines(chosen, None, _MEASURED)
        bounded = part.ways.behind is not None
        return DecisionsFound(await self._decisions(part.lines, asker), bounded=bounded)

    async def on(self, card: str) -> PlanDecision | None:
        """Returns the decision on the revision of a plan whose card has this outbound key."""
        id, revision = decision_of_card(card)
        plan = await self._plans.get(id)
        if plan is None or (plan.ready and str(plan.revision) == revision):
            return None
        until = None if plan.ended_at is None else plan.ended_at + _BY_A_MOMENT
        found = await self._told(_Lines(await self._of(plan, until)).decided)
        return next((one for one in found if one.id == f"{id}:{revision}"), None)

    async def _of(self, plan: Plan, until: datetime | None) -> Sequence[RecordLine]:
        """Returns the newest lines about a plan until a moment, oldest first."""
        chosen = RecordFilter(plan.chat, since=plan.created_at, until=until, plans=True)
        return (await self._records.lines(chosen, None, _READ)).lines[::-1]

    async def _decisions(
        self, newest_first: Sequence[RecordLine], asker: int | None
    ) -> Sequence[PlanDecision]:
        """Returns the decisions among lines, oldest first.

        Where the line that showed the plan is an older one, the lines about the plan tell if it is
        the first decision.
        """
        found = list[tuple[RecordLine, datetime | None]]()
        for line, since in _Lines(newest_first[::-1]).decided:
            if since is not None and asker is None:
                found.append((line, since))
                continue
            plan = await self._plans.get(_plan_of(line))
            if plan is not None and asker in (None, plan.asker):
                found.append((line, since or await self._shown(plan, line)))
        return await self._told(found)

    async def _shown(self, plan: Plan, decided: RecordLine) -> datetime | None:
        """Returns the time at which a plan was shown; None for a later decision than the first."""
        lines = _Lines(await self._of(plan, decided.at + _NEXT))
        return next((since for line, since in lines.decided if line.id == decided.id), None)

    async def _told(
        self, decided: Sequence[tuple[RecordLine, datetime | None]]
    ) -> Sequence[PlanDecision]:
        names = await names_of(self._people, (line.person for line, _ in decided))
        return [_told(line, since, names) for line, since in decided if since is not None]


@frozen
class DecisionsFound:
    """Decisions on plans that were found, oldest first."""

    decisions: Sequence[PlanDecision]
    bounded: bool = False
    """True when there may be more of them."""


class _Lines:
    """Finds the first decision on each plan since it was shown among lines, oldest first."""

    def __init__(self, lines: Iterable[RecordLine]) -> None:
        self.decided: list[tuple[RecordLine, datetime | None]] = []
        """Each with the time at which the plan was shown; None where no line tells it."""
        shown: dict[str, datetime | None] = {}
        for line in lines:
            id = _revision_of(line)
            if line.action == _SHOWN:
                shown[id] = line.at
            elif line.action in _HOW and line.chat is not None:
                if id not in shown:
                    self.decided.append((line, None))
                elif (since := shown[id]) is not None:
                    self.decided.append((line, since))
                shown[id] = None


def _beside(place: ListPlace[RowKey] | None, asker: int | None) -> RecordFilter:
    """Returns a choice of the lines next to a place, with those of its very moment."""
    chosen = RecordFilter(plans=True, planner=asker)
    if place is None:
        return chosen
    if place.back:
        return replace(chosen, since=place.key.at)
    return replace(chosen, until=min(place.key.at, _LAST) + _NEXT)


def _plan_of(line: RecordLine) -> str:
    return str(line.details.get("plan", ""))


def _revision_of(line: RecordLine) -> str:
    return f"{_plan_of(line)}:{line.details.get('revision', '')}"


def _told(line: RecordLine, since: datetime, names: Mapping[int, str]) -> PlanDecision:
    name = "" if line.person is None else names[line.person]
    return PlanDecision(
        _revision_of(line),
        _plan_of(line),
        line.chat or 0,
        line.subject,
        _HOW[line.action],
        line.person,
        name,
        since,
        line.at,
        str(line.details.get("turn", "")),
    )
