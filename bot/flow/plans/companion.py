"""Plans as a companion of turns: a turn collects the steps of a plan, or executes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

from bot.domain.change import SavePlan, Show, Write
from bot.domain.consent.consent import Difference
from bot.domain.loop.contribution import Agreed, Aside, Deferred, Ended, Share, Stance
from bot.domain.loop.verdict import LoopState
from bot.domain.plans.plan import Plan, PlanState, PlanStep, bounds
from bot.domain.skills.skill import SkillSet
from bot.domain.talk.reach import Reach
from bot.domain.tools.house import SEARCH_ASKERS, SUBMIT_PLAN
from bot.domain.tools.tool import Code, Status, ToolCall, ToolResult
from bot.domain.turn.progress import OpenCall
from bot.domain.turn.step import Entrusted, Finish, Gate, RecordPlanned, Refuse
from bot.domain.turn.transcript import ResultBody
from bot.domain.turn.turn import Turn, TurnState
from bot.domain.value import frozen
from bot.flow.log.companion import Companion
from bot.flow.log.concern import of_plans
from bot.flow.log.work import Work
from bot.flow.plans.cards import shown
from bot.flow.plans.foreseeing import may_have_changed
from bot.flow.plans.steps import progressed, recorded, steps_at_hand
from bot.flow.plans.turn_end import PlanEnding
from bot.flow.plans.wording import PLAN, note, worded
from bot.ports.journal import Agenda
from bot.ports.skills import Skills
from bot.ports.tool import Place, Tool

_CARD_EVERY = 1.0
"""Minimum seconds between two updates of a card while steps go on."""

_ASKS_AGAIN = "it asks again when the plan goes on"
"""The reason on cards of a plan's turn that a new message ended."""

_NOT_COLLECTING = Refuse(
    Status.BLOCKED,
    Code.POLICY,
    "Not run: no plan is being collected. The person begins with /plan.",
)


@dataclass(slots=True)
class _Kept:
    """The memory about one turn, for as long as its `Work` lives."""

    plan: Plan | None
    """The plan that the turn collects or executes, as last written."""
    skills: SkillSet = field(default_factory=SkillSet)
    """The skills as they were when the loop began."""
    card_at: float = float("-inf")
    """The time of the last update of the plan's card, in seconds of the steady clock."""
    card_behind: bool = False
    """True when the plan's card is out of date."""


@frozen
class PlanCompanion:
    """Works on plans in turns.

    A plan has at most `most_steps`. With `explore`, calls that only read run during collection.
    """

    _ending: PlanEnding
    _skills: Skills
    _most_steps: int
    _explore: bool
    _turns: WeakKeyDictionary[Work, _Kept] = field(default_factory=WeakKeyDictionary, init=False)

    @property
    def answers(self) -> Companion:
        return Companion(
            of_plans,
            opens_with=PLAN,
            carries=RecordPlanned,
            worded=worded,
            opening=self.opening,
            taken_up=self.taken_up,
            started=self.started,
            state=self.state,
            stance=self.stance,
            placed=self.placed,
            carry_out=self.carry_out,
            after_results=self.after_results,
            parked=self.parked,
            ended=self.ended,
            set_aside=self.set_aside,
        )

    async def opening(self, work: Work, row: Turn, agenda: Agenda) -> Share:
        plan = self._of(work).plan
        return Share(row) if plan is None else Share(row, (note(plan),), purpose=plan.title)

    def _of(self, work: Work) -> _Kept:
        if work not in self._turns:
            self._turns[work] = _Kept(work.plan, self._skills.known)
        return self._turns[work]

    async def taken_up(self, work: Work, row: Turn, agenda: Agenda) -> Share:
        kept = self._of(work)
        plan = kept.plan
        if plan is None:
            return Share(row)
        queued = work.turn.state is TurnState.QUEUED
        writes: tuple[Write, ...] = ()
        told = queued and (work.turn.origin == "plan" or plan.collecting)
        bodies = (note(plan),) if told else ()
        if plan.state is PlanState.APPROVED:
            kept.plan = plan.in_state(PlanState.EXECUTING)
            writes = (SavePlan(kept.plan, plan.version),)
        # A plan continues with the skill of its last step, whatever skill the chat uses now.
        row = replace(row, skill=plan.skill) if queued else row
        return Share(row, bodies, writes, plan.title)

    async def started(self, work: Work) -> Sequence[str]:
        kept = self._of(work)
        kept.skills = self._skills.known
        return kept.plan.lenders if kept.plan is not None and kept.plan.executing else ()

    async def state(self, work: Work, state: LoopState) -> LoopState:
        plan = self._of(work).plan
        if plan is None:
            return state
        limits = bounds(plan, state.limits, {d.call.id for d in state.progress.done})
        return replace(state, plan=plan, limits=limits)

    def stance(self, work: Work, call: OpenCall, tools: Mapping[str, Tool]) -> Stance | None:
        kept, name = self._of(work), call.call.name
        if name in SEARCH_ASKERS:
            return None  # It asks while the plan is collected, and is no step of it.
        if kept.plan is not None and kept.plan.collecting:
            return Deferred(reads_run=self._explore or name == SUBMIT_PLAN)
        step = steps_at_hand(work, kept.plan).get(call.call.id)
        if step is not None and kept.plan is not None:
            return _stranded(step, kept.skills) or _agreed(step, kept.plan)
        premature = name == SUBMIT_PLAN and name in tools and call.approval is None
        return _NOT_COLLECTING if premature else None

    def placed(self, work: Work, place: Place, call: ToolCall) -> Place:
        """Places a step where it was planned; any other call keeps its place."""
        kept = self._of(work)
        step = steps_at_hand(work, kept.plan).get(call.id)
        return place if step is None else replace(place, skill=kept.skills.usable(step.skill))

    async def carry_out(
        self, work: Work, step: Entrusted, gates: Mapping[str, Gate], tools: Mapping[str, Tool]
    ) -> str:
        """Keeps calls as steps and answers them PLANNED, in one transaction."""
        kept = self._of(work)
        assert isinstance(step, RecordPlanned)
        assert kept.plan is not None
        plan, skill = kept.plan, kept.skills.usable(work.turn.skill)
        found = recorded(plan, step.calls, gates, tools, skill, self._most_steps)
        mandate = work.turn.mandate.narrowed(foreign=work.log.foreign_to(work.turn.asker))
        grown = plan.grown(found.steps, mandate) if found.steps else plan
        save = (SavePlan(grown, plan.version, found.steps),) if found.steps else ()
        await work.write(*map(ResultBody, found.results), also=save)
        kept.plan = grown
        count = len(grown.steps)
        return f"🔎 Looking around, {count} step{'' if count == 1 else 's'} so far…"

    async def after_results(
        self, work: Work, row: Turn, ran: Sequence[tuple[ToolCall, ToolResult]]
    ) -> Share:
        kept = self._of(work)
        plan = kept.plan
        if plan is None or plan.collecting or (after := progressed(work, plan, ran)) is None:
            return Share(row)
        kept.plan = after.plan
        saved = SavePlan(after.plan, plan.version, after.changed)
        card = _card(kept, after.plan, work.clock.steady())
        return Share(row, writes=(saved, *card, *after.lines))

    async def parked(self, work: Work) -> Sequence[Write]:
        """Returns the card of a plan whose turn is about to wait, if the card is out of date."""
        kept = self._of(work)
        behind, kept.card_behind = kept.card_behind, False
        return shown(kept.plan) if behind and kept.plan is not None else ()

    async def ended(
        self, work: Work, finish: Finish, closed: Sequence[tuple[ToolCall, ToolResult]]
    ) -> Ended:
        plan = self._of(work).plan
        return Ended() if plan is None else await self._ending.ended(work, plan, finish, closed)

    async def set_aside(self, work: Work) -> Aside:
        plan = self._of(work).plan
        if plan is None or plan.collecting:
            return Aside()
        waiting = plan.amended(turn=None)
        # The turn's cards go too: a resumed plan asks again.
        return Aside((SavePlan(waiting, plan.version), *shown(waiting)), withdraws=_ASKS_AGAIN)


def _card(kept: _Kept, plan: Plan, now: float) -> Sequence[Show]:
    """Returns the card, unless it was just updated: platforms limit how often a message changes."""
    kept.card_behind = now < kept.card_at + _CARD_EVERY
    if kept.card_behind:
        return ()
    kept.card_at = now
    return shown(plan)


def _stranded(step: PlanStep, skills: SkillSet) -> Refuse | None:
    """Refuses a step whose skill is missing: a step runs only in the place that was shown."""
    for name in step.needs:
        if why := skills.refusal(name):
            text = f"Not run, since it was planned with the skill {name}: {why}."
            return Refuse(Status.FAILED, Code.ERROR, text)
    return None


def _agreed(step: PlanStep, plan: Plan) -> Agreed:
    known, where = f"Step {step.number} of the approved plan", step.preview.where
    reasons = {
        Difference.DANGER: f"{known}. It is dangerous, so I ask once more",
        Difference.PLACE: f"{known} was shown to you in another place: {where}",
        Difference.STATE: f"{known} was shown to you before its file changed",
    }
    consent = step.consent(any_state=may_have_changed(step, plan))
    # What the asker alone approved goes no further than the asker may approve now.
    own = plan.decider_name == plan.asker_name
    reach = Reach.TALK if own else step.preview.reach or Reach.TALK
    return Agreed(consent, reasons, reach)
