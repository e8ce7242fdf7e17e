"""What the end of a turn means for the plan it worked on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot.domain.change import AddAudit, SavePlan, Write
from bot.domain.chat import Chat
from bot.domain.outcome import StopReason
from bot.domain.plan import Plan, PlanState, StepState
from bot.domain.step import Finish
from bot.domain.tool import SubmitPlan, ToolCall, ToolResult
from bot.flow.approvals.owners import Owners
from bot.flow.log.work import Work
from bot.flow.plans.cards import shown, step_lines
from bot.flow.plans.steps import progressed
from bot.ports.people import People

_ENDING = (StopReason.FINAL_ANSWER, StopReason.USER_CANCELLED)
"""After these an executing plan is over; after any other it waits to be resumed."""

NO_STEPS = "The plan has no steps, so nothing is to be approved and plan mode has ended."


@dataclass(frozen=True, slots=True)
class PlanEnd:
    """Writes of the settlement, and what the person is told beside or instead of the words."""

    writes: tuple[Write, ...] = ()
    also: str = ""
    instead: str | None = None

    def told(self, words: str) -> str:
        said = words if self.instead is None else self.instead
        return "\n\n".join(part for part in (said, self.also) if part)


class PlanEnding:
    def __init__(self, people: People, owners: Owners) -> None:
        self._people = people
        self._owners = owners

    async def settle(
        self, work: Work, finish: Finish, closed: Sequence[tuple[ToolCall, ToolResult]]
    ) -> PlanEnd:
        """For the settlement of a turn with a plan; `closed` are the results that go with it."""
        plan = work.plan
        if plan is None:
            return PlanEnd()
        if not plan.collecting:
            return _executed(work, plan, finish, closed)
        if finish.stop_reason is StopReason.PLAN_READY:
            return await self._collected(work, plan)
        return PlanEnd(also=_still_collecting(plan))

    async def _collected(self, work: Work, plan: Plan) -> PlanEnd:
        if not plan.steps:
            ended = plan.ended(work.clock.now())
            return PlanEnd((SavePlan(ended, plan.version), _line(work, ended)), also=NO_STEPS)
        ready = await self.ready(plan, work.progress.submitted, work.log.chat)
        return PlanEnd((SavePlan(ready, plan.version), *shown(ready), _line(work, ready)))

    async def ready(self, plan: Plan, handed_in: SubmitPlan | None, chat: Chat) -> Plan:
        """The plan as it is to be decided, and in which chats."""
        asked: tuple[int, ...] = ()
        asker = await self._people.get(plan.asker)
        if asker is None or not asker.may_approve_for(plan.asker):
            asked = (await self._owners.asked_for(chat)).chats
        title, summary = (handed_in.title, handed_in.summary) if handed_in else ("", "")
        return plan.moved(PlanState.READY, title=title, summary=summary, owner_chats=asked)

    def set_aside(self, work: Work) -> tuple[Write, ...]:
        """For a turn that a new message ends: its plan waits to be resumed."""
        plan = work.plan
        if plan is None or plan.collecting:
            return ()
        waiting = plan.amended(turn=None)
        return (SavePlan(waiting, plan.version), *shown(waiting))


def _executed(
    work: Work, plan: Plan, finish: Finish, closed: Sequence[tuple[ToolCall, ToolResult]]
) -> PlanEnd:
    expect, before = plan.version, plan.steps
    grown, writes = progressed(work, closed)
    lines = [w for w in writes if isinstance(w, AddAudit)]
    plan = replace(grown or plan, version=expect)
    over = finish.stop_reason in _ENDING or not any(
        s.state in (StepState.OPEN, StepState.FAILED) for s in plan.steps
    )
    ended = plan.ended(work.clock.now()) if over else plan.amended(turn=None)
    changed = tuple(s for s, old in zip(ended.steps, before, strict=True) if s != old)
    saved = (SavePlan(ended, expect, changed), *shown(ended), *lines, _line(work, ended))
    return PlanEnd(saved, also=_summary(ended), instead=_waiting(ended, finish))


def _waiting(plan: Plan, finish: Finish) -> str | None:
    """What is said instead of “I need your answer” when a step failed."""
    failed = plan.failed_step
    if failed is None or finish.stop_reason is not StopReason.WAITING_FOR_USER:
        return None
    return f"Step {failed.number} of the plan failed. Its card asks how to go on."


def _summary(plan: Plan) -> str:
    """What became of every step, unless all is simply done."""
    if plan.state is PlanState.DONE:
        count = len(plan.steps)
        return f"📋 {'The step' if count == 1 else f'All {count} steps'} of the plan done."
    head = {
        PlanState.PARTLY_DONE: "📋 The plan is partly done:",
        PlanState.CANCELLED: "📋 The plan is cancelled; nothing of it ran:",
    }.get(plan.state, "📋 The plan waits:")
    return "\n".join([head, *(f"- {_safe(line)}" for line in step_lines(plan))])


def _safe(line: str) -> str:
    """A line for a Markdown text: what it quotes must not be taken for formatting."""
    for sign in "\\`*_[]<>#|~":
        line = line.replace(sign, f"\\{sign}")
    return line


def _still_collecting(plan: Plan) -> str:
    count = len(plan.steps)
    return f"(Plan mode is still on, with {count} steps: /plan done shows them, /plan off ends it.)"


def _line(work: Work, plan: Plan) -> AddAudit:
    return plan_line(plan, work.turn.asker, work.clock.now())


def plan_line(plan: Plan, person: int | None, now: datetime) -> AddAudit:
    """The line of the record about a plan that came into a state."""
    details = {"plan": plan.id, "revision": plan.revision, "steps": len(plan.steps)}
    if plan.state is PlanState.EXECUTING:
        action = "plan.waiting" if plan.turn is None else "plan.executing"
    else:
        action = f"plan.{plan.state.value}"
    return AddAudit(now, plan.chat, person, action, plan.title or "plan", details)
