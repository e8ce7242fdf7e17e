"""The effects of a turn's end on the plan that the turn worked on."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from bot.domain.change import AddAudit, SavePlan
from bot.domain.loop.contribution import Ended
from bot.domain.plans.plan import Plan, PlanState, StepState, title_from
from bot.domain.talk.chat import Chat
from bot.domain.tools.tool import SubmitPlan, ToolCall, ToolResult
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.progress import Progress
from bot.domain.turn.step import Finish
from bot.flow.approvals.owners import Owners
from bot.flow.log.work import Work
from bot.flow.plans.cards import asking, failures, shown, skips
from bot.flow.plans.steps import changes, progressed
from bot.ports.people import People

NO_STEPS = (
    "There are no steps to approve, so nothing was changed. This plan is over. "
    "To make another plan, begin your message with /plan."
)
NO_APPROVER = (
    "I did not start a plan. Only an owner can approve your changes, and I cannot reach an owner. "
    "Ask an owner to send me a private message, then send your message again."
)


class PlanEnding:
    def __init__(self, people: People, owners: Owners) -> None:
        self._people = people
        self._owners = owners

    async def ended(
        self, work: Work, plan: Plan, finish: Finish, closed: Sequence[tuple[ToolCall, ToolResult]]
    ) -> Ended:
        """Returns the plan's part of the settlement; `closed` are the results that belong to it."""
        if not plan.collecting:
            return _executed(work, plan, finish, closed)
        if finish.stop_reason is StopReason.PLAN_READY:
            return await self._collected(work, plan, finish)
        asks = finish.stop_reason is StopReason.WAITING_FOR_USER
        return Ended(also=_still_collecting(plan, asks=asks))

    async def _collected(self, work: Work, plan: Plan, finish: Finish) -> Ended:
        words = last_words(work.progress, finish)
        if not plan.steps:
            over = plan.ended(work.clock.now())
            saved = (SavePlan(over, plan.version), _line(work, over))
            return Ended(saved, also=NO_STEPS, instead=words)
        ready = await self.ready(plan, work.progress.submitted, work.log.chat, work.purpose)
        saved = (SavePlan(ready, plan.version), *asking(ready), _line(work, ready))
        return Ended(saved, instead=words)

    async def unapprovable(self, asker: int, chat: Chat) -> str:
        """Returns the sentence for an asker whose plan nobody could approve; else nothing."""
        person = await self._people.get(asker)
        approved = person is not None and await self._owners.approve_for(person, chat)
        return "" if approved else NO_APPROVER

    async def ready(
        self, plan: Plan, handed_in: SubmitPlan | None, chat: Chat, wish: str = ""
    ) -> Plan:
        """Returns the plan, ready for a decision, with the chats where owners are asked.

        A plan that nobody named has the title it had before, or one made of the wish.
        """
        asked: tuple[int, ...] = ()
        asker = await self._people.get(plan.asker)
        if asker is None or not asker.may_approve(plan.asker, plan.reach):
            asked = (await self._owners.asked_for(chat)).chats
        title, summary = (handed_in.title, handed_in.summary) if handed_in else ("", "")
        title = title or plan.title or title_from(wish)
        return plan.in_state(PlanState.READY, title=title, summary=summary, owner_chats=asked)


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
    left = any(s.state in (StepState.OPEN, StepState.FAILED) for s in now.steps)
    # A model that merely stopped may be told to go on; only a person ends what they approved.
    over = finish.stop_reason is StopReason.USER_CANCELLED or not left
    ended = now.ended(work.clock.now()) if over else now.amended(turn=None)
    save = SavePlan(ended, plan.version, changes(ended, plan))
    writes = (save, *shown(ended), *lines, _line(work, ended))
    asks = _waiting(ended, finish)
    pointer = "" if asks else _summary(ended)
    card = plan.key_in(plan.chat)
    return Ended(writes, instead=asks, points=bool(asks), pointer=pointer, card=card, listed=True)


def _waiting(plan: Plan, finish: Finish) -> str | None:
    """Returns the text that replaces “I need your answer” when a step failed."""
    failed = plan.failed_step
    if failed is None or finish.stop_reason is not StopReason.WAITING_FOR_USER:
        return None
    return f"Step {failed.number} of the plan failed. The plan's card asks you what to do."


def _summary(plan: Plan) -> str:
    """Returns one line about the outcome for people who may not see the card."""
    count = len(plan.steps)
    done = sum(step.state is StepState.DONE for step in plan.steps)
    steps = f"{done} of {count} step{'' if count == 1 else 's'}"
    match plan.state:
        case PlanState.DONE:
            return f"📋 Plan done: {steps}."
        case PlanState.PARTLY_DONE if not plan.open_steps and not failures(plan):
            return f"📋 Plan done: {steps}, {skips(plan)}."
        case PlanState.PARTLY_DONE:
            return f"📋 Plan stopped: {steps} done. Its card has the list."
        case PlanState.CANCELLED:
            return "📋 Plan cancelled. None of its steps ran."
        case _:
            return f"📋 Plan not finished: {steps} done. Press ▶️ Resume on its card to go on."


def _still_collecting(plan: Plan, *, asks: bool) -> str:
    """Returns the line below an end that is none of the plan, so that people know of it."""
    told = "This question belongs to your plan" if asks else "Your plan is still being made"
    count = len(plan.steps)
    if not count:
        return f"({told}. /plan off ends the plan.)"
    steps = "1 step" if count == 1 else f"{count} steps"
    return f"({told}: {steps} so far. /plan done shows it, /plan off ends it.)"


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
