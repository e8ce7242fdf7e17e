"""The effects of a turn's end on the plan that the turn worked on."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from bot.domain.change import AddAudit, SavePlan
from bot.domain.chat import Chat
from bot.domain.contribution import Ended
from bot.domain.outcome import StopReason
from bot.domain.plan import Plan, PlanState, StepState
from bot.domain.progress import Progress
from bot.domain.step import Finish
from bot.domain.tool import SubmitPlan, ToolCall, ToolResult
from bot.flow.approvals.owners import Owners
from bot.flow.log.work import Work
from bot.flow.plans.cards import shown, step_lines
from bot.flow.plans.steps import changes, progressed
from bot.ports.people import People

_ENDING = (StopReason.FINAL_ANSWER, StopReason.USER_CANCELLED)
"""After these reasons an executing plan is over; after any other it waits to be resumed."""

NO_STEPS = "The plan has no steps, so nothing is to be approved and plan mode has ended."


class PlanEnding:
    def __init__(self, people: People, owners: Owners) -> None:
        self._people = people
        self._owners = owners

    async def ended(
        self,
        work: Work,
        plan: Plan,
        finish: Finish,
        closed: Sequence[tuple[ToolCall, ToolResult]],
    ) -> Ended:
        """Returns the plan's part of the settlement; `closed` are the results that belong to it."""
        if not plan.collecting:
            return _executed(work, plan, finish, closed)
        if finish.stop_reason is StopReason.PLAN_READY:
            return await self._collected(work, plan, finish)
        return Ended(also=_still_collecting(plan))

    async def _collected(self, work: Work, plan: Plan, finish: Finish) -> Ended:
        words = last_words(work.progress, finish)
        if not plan.steps:
            over = plan.ended(work.clock.now())
            saved = (SavePlan(over, plan.version), _line(work, over))
            return Ended(saved, also=NO_STEPS, instead=words)
        ready = await self.ready(plan, work.progress.submitted, work.log.chat)
        saved = (SavePlan(ready, plan.version), *shown(ready), _line(work, ready))
        return Ended(saved, instead=words)

    async def ready(self, plan: Plan, handed_in: SubmitPlan | None, chat: Chat) -> Plan:
        """Returns the plan, ready for a decision, with the chats where owners are asked."""
        asked: tuple[int, ...] = ()
        asker = await self._people.get(plan.asker)
        if asker is None or not asker.may_approve_for(plan.asker):
            asked = (await self._owners.asked_for(chat)).chats
        title, summary = (handed_in.title, handed_in.summary) if handed_in else ("", "")
        return plan.moved(PlanState.READY, title=title, summary=summary, owner_chats=asked)


def last_words(progress: Progress, finish: Finish) -> str:
    """Returns the words beside a plan's card; a submitted plan has the card alone."""
    return finish.remarked(progress.words if progress.submitted is None else "")


def _executed(
    work: Work, plan: Plan, finish: Finish, closed: Sequence[tuple[ToolCall, ToolResult]]
) -> Ended:
    after = progressed(work, plan, closed)
    # The results and the end are one write of the plan, based on the stored version.
    now = plan if after is None else replace(after.plan, version=plan.version)
    lines = () if after is None else after.lines
    over = finish.stop_reason in _ENDING or not any(
        s.state in (StepState.OPEN, StepState.FAILED) for s in now.steps
    )
    ended = now.ended(work.clock.now()) if over else now.amended(turn=None)
    save = SavePlan(ended, plan.version, changes(ended, plan))
    writes = (save, *shown(ended), *lines, _line(work, ended))
    return Ended(writes, also=_summary(ended), instead=_waiting(ended, finish))


def _waiting(plan: Plan, finish: Finish) -> str | None:
    """Returns the text that replaces “I need your answer” when a step failed."""
    failed = plan.failed_step
    if failed is None or finish.stop_reason is not StopReason.WAITING_FOR_USER:
        return None
    return f"Step {failed.number} of the plan failed. Its card asks how to go on."


def _summary(plan: Plan) -> str:
    """Returns the outcome of every step, or one short line when every step is done."""
    if plan.state is PlanState.DONE:
        count = len(plan.steps)
        return f"📋 {'The step' if count == 1 else f'All {count} steps'} of the plan done."
    head = {
        PlanState.PARTLY_DONE: "📋 The plan is partly done:",
        PlanState.CANCELLED: "📋 The plan is cancelled; nothing of it ran:",
    }.get(plan.state, "📋 The plan waits:")
    return "\n".join([head, *(f"- {_safe(line)}" for line in step_lines(plan))])


def _safe(line: str) -> str:
    """Escapes a line for Markdown, so that nothing in it counts as formatting."""
    for sign in "\\`*_[]<>#|~":
        line = line.replace(sign, f"\\{sign}")
    return line


def _still_collecting(plan: Plan) -> str:
    count = len(plan.steps)
    return f"(Plan mode is still on, with {count} steps: /plan done shows them, /plan off ends it.)"


def _line(work: Work, plan: Plan) -> AddAudit:
    return plan_line(plan, work.turn.asker, work.clock.now())


def plan_line(plan: Plan, person: int | None, now: datetime) -> AddAudit:
    """Returns the audit line about a plan that has reached a new state."""
    details = {"plan": plan.id, "revision": plan.revision, "steps": len(plan.steps)}
    if plan.state is PlanState.EXECUTING:
        action = "plan.waiting" if plan.turn is None else "plan.executing"
    else:
        action = f"plan.{plan.state.value}"
    return AddAudit(now, plan.chat, person, action, plan.title or "plan", details)
