"""The calls that runs of a task may make without a card: shown, allowed and taken back."""

import hashlib
import re
from collections.abc import Mapping
from datetime import UTC, datetime

from bot.domain.assignments.task import CALLS_DAYS, ApprovedCall, TimedTask
from bot.domain.change import SaveTask
from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.text.markdown import inline_code
from bot.domain.text.visible_text import visible
from bot.domain.tools.tool import Effect, Surroundings
from bot.domain.value import frozen, replace
from bot.flow.commanding.choices import choice
from bot.flow.commanding.table import Answer, Invocation
from bot.ports.approvals import Approvals
from bot.ports.clock import Clock
from bot.ports.scheduled import TaskRows

MOST_CALLS = 10
"""Calls that one task may make without a card."""

_LAST_RUNS = 10
_NOT_APPROVER = "Only an owner can allow calls here."
_NOTHING = (
    "Nothing yet. Changes that you approve in a run are listed here, so that you can allow them."
)
_CHANGED = "That call is not listed any more. Look at the list again."


@frozen
class TaskCalls:
    """Offers the exact calls that the last runs asked for; nothing else can be allowed here."""

    _scheduled: TaskRows
    _approvals: Approvals
    _clock: Clock

    async def shown(self, task: TimedTask) -> Answer:
        """Lists the calls whole, each with a button."""
        asked = await self._asked_for(task)
        lines = ["Runs of this task may do this without asking:", ""]
        rows = [choice("◂ Back", "tasks", "edit", task.id)]
        for n, one in enumerate(task.calls, 1):
            lines.append(f"Call {n}:{_spelled(one)}")
            rows.insert(-1, choice(f"❌ Take back {n}", "tasks", "disallow", task.id, _mark(one)))
        if not task.calls:
            lines.append("Nothing." if asked else _NOTHING)
        elif task.calls_until is not None:
            lines.append(f"\nUntil {task.calls_until:%Y-%m-%d}.")
        if asked:
            lines.append("\nIts last runs asked for these:\n")
        for n, one in enumerate(asked, len(task.calls) + 1):
            lines.append(f"Call {n}:{_spelled(one)}")
            label = f"🔓 Allow {n} for {CALLS_DAYS} days"
            rows.insert(-1, choice(label, "tasks", "allow", task.id, _mark(one)))
        return Answer("\n".join(lines), buttons=tuple(rows), optional=True)

    async def allowed(self, asked: Invocation, task: TimedTask, mark: str) -> Answer:
        """Lets runs make one more call without a card."""
        offered = await self._asked_for(task)
        wanted = next((one for one in offered if _mark(one) == mark), None)
        if wanted is None:
            return Answer(_CHANGED)
        if not asked.person.may_approve(task.asker, offered[wanted].preview.needs):
            return Answer(_NOT_APPROVER)
        wanted = replace(wanted, by_owner=asked.person.is_owner)
        if len(task.calls) >= MOST_CALLS:
            return Answer(
                f"A task can make {MOST_CALLS} calls without asking. Take one back first."
            )
        # The same call with other surroundings takes the place of the one that was allowed before.
        others = tuple(one for one in task.calls if one.named != wanted.named)
        new = task.changed(calls=(*others, wanted), calls_until=None)
        return await self._saved(task, new.dated(self._clock.now()))

    async def taken_back(self, task: TimedTask, mark: str) -> Answer:
        """Lets runs ask for a call again."""
        left = tuple(one for one in task.calls if _mark(one) != mark)
        if len(left) == len(task.calls):
            return Answer(_CHANGED)
        until = task.calls_until if left else None
        return await self._saved(task, task.changed(calls=left, calls_until=until))

    async def _saved(self, task: TimedTask, new: TimedTask) -> Answer:
        return replace(await self.shown(new), writes=(SaveTask(new, task.version),))

    async def _asked_for(self, task: TimedTask) -> Mapping[ApprovedCall, Approval]:
        """Returns the calls of the last runs that somebody approved, and that still ask.

        Each comes with the card that it was approved by.
        """
        runs = await self._scheduled.runs(task.id, datetime.min.replace(tzinfo=UTC))
        found: dict[ApprovedCall, Approval] = {}
        for run in reversed(runs[-_LAST_RUNS:]):
            for card in await self._approvals.of_turn(run.turn):
                if _can_be_allowed(card):
                    shown = card.preview.surroundings
                    one = ApprovedCall(card.call.name, card.call.canonical, shown)
                    found[one] = card
        left = [one for one in found if one not in task.calls]
        return {one: found[one] for one in left[:MOST_CALLS]}


def _can_be_allowed(card: Approval) -> bool:
    approved = card.state is ApprovalState.APPROVED and card.kind == "call"
    return approved and card.preview.effect is Effect.WRITE


def _mark(call: ApprovedCall) -> str:
    """Returns a short name of exactly this call for a button."""
    shown = call.surroundings
    around = f" {shown}" if shown != Surroundings() else ""
    named = f"{call.tool} {call.arguments}{around}"
    return hashlib.sha256(named.encode(errors="replace")).hexdigest()[:8]


def _spelled(call: ApprovedCall) -> str:
    """Returns the whole call as code that shows every sign of it."""
    told = visible(f"{call.tool} {call.arguments}")
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", told)), default=0))
    return f"\n\n{fence}json\n{told}\n{fence}\n{_around(call.surroundings)}"


def _around(shown: Surroundings) -> str:
    """Returns a line about the variables that the call gets; empty without any."""
    if not shown.variables:
        return ""
    named = ", ".join(inline_code(name) for name in shown.variables)
    return f"\nWith variables of the skill {inline_code(shown.skill)}: {named}.\n"
