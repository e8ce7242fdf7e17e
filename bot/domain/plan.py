"""Plans: steps collected first, approved as a whole, then run, each once."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from bot.domain.budget import Limits
from bot.domain.tool import Code, Effect, Preview, Status, ToolCall, ToolResult, clipped
from bot.domain.turn import Turn

SUBMIT_PLAN = "submit_plan"
"""The tool that ends the collecting: always offered, and refused where no plan is collected."""

COLLECTING_NOTE = "[Plan mode]"
"""How the note begins that tells a model to plan."""

APPROVED_NOTE = "[Plan approved]"
"""How the note begins that tells a model to carry a plan out; each open step is a line of it."""

_LONGEST_OUTCOME = 300


class PlanState(StrEnum):
    COLLECTING = "collecting"
    READY = "ready"
    APPROVED = "approved"
    EXECUTING = "executing"
    DONE = "done"
    PARTLY_DONE = "partly_done"
    CANCELLED = "cancelled"


LIVE = frozenset({PlanState.COLLECTING, PlanState.READY, PlanState.APPROVED, PlanState.EXECUTING})
"""A chat has one plan in these states at most."""

_MOVES: Mapping[PlanState, frozenset[PlanState]] = {
    PlanState.COLLECTING: frozenset({PlanState.READY, PlanState.CANCELLED}),
    PlanState.READY: frozenset({PlanState.COLLECTING, PlanState.APPROVED, PlanState.CANCELLED}),
    PlanState.APPROVED: frozenset({PlanState.EXECUTING, PlanState.CANCELLED}),
    PlanState.EXECUTING: frozenset({PlanState.DONE, PlanState.PARTLY_DONE, PlanState.CANCELLED}),
}


def may_move(old: PlanState, new: PlanState) -> bool:
    """Whether a plan may go from one state to another; one that has ended goes nowhere."""
    return new in _MOVES.get(old, frozenset())


class StepState(StrEnum):
    OPEN = "open"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"


class PlanVerb(StrEnum):
    """What a button of a plan's card asks for."""

    APPROVE = "y"
    CHANGE = "c"
    CANCEL = "n"
    RETRY = "r"
    SKIP = "k"
    RESUME = "g"
    STOP = "s"


class ReplaceVerb(StrEnum):
    """What a button says to a new plan in the place of the live one."""

    REPLACE = "r"
    KEEP = "k"


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One call to be made: tool and exact canonical arguments, and what a person is shown of it.

    `outcome` says what came of it; `call` is the id of the call that ran for it, if one did. It
    runs in the environment of `skill`, the one at work when it was planned; `lender` is the skill
    whose server lends its tool. Both are None when there is none.
    """

    number: int
    tool: str
    arguments: str
    description: str
    effect: Effect
    preview: Preview
    state: StepState = StepState.OPEN
    outcome: str = ""
    call: str = ""
    skill: str | None = None
    lender: str | None = None

    @property
    def needs(self) -> tuple[str, ...]:
        """The skills without which it cannot run as it was shown."""
        return tuple(name for name in (self.lender, self.skill) if name is not None)

    def is_for(self, call: ToolCall) -> bool:
        return (self.tool, self.arguments) == (call.name, call.canonical)


_KEY = "plan:"


def plan_of_card(key: str) -> str | None:
    """The id of the plan that an outbound key belongs to; None for the key of anything else."""
    return key.removeprefix(_KEY).partition(":")[0] if key.startswith(_KEY) else None


@dataclass(frozen=True, slots=True)
class Plan:
    """One plan of a chat; its row is the plan mode, there is no other sign of it.

    `revision` grows each time it is collected anew, since when is `since`; `version` grows with
    every write. `collector` is whose messages are planned: the asker, or who changed it last.
    `turn` executes it now: None while it waits for a person. `wish` is the text of the template it
    was made from, `message` the id of the message that asked for it. `token` is the secret of its
    buttons. `owner_chats` show the card besides the plan's own chat.
    """

    id: str
    token: str
    chat: int
    asker: int
    asker_name: str
    collector: int
    created_at: datetime
    since: datetime
    state: PlanState = PlanState.COLLECTING
    revision: int = 1
    version: int = 1
    title: str = ""
    summary: str = ""
    wish: str = ""
    message: str = ""
    turn: str | None = None
    decider_name: str = ""
    ended_at: datetime | None = None
    owner_chats: tuple[int, ...] = ()
    steps: tuple[PlanStep, ...] = ()

    @property
    def live(self) -> bool:
        return self.state in LIVE

    @property
    def collecting(self) -> bool:
        return self.state is PlanState.COLLECTING

    @property
    def open_steps(self) -> tuple[PlanStep, ...]:
        return tuple(s for s in self.steps if s.state is StepState.OPEN)

    @property
    def skill(self) -> str | None:
        """The skill it is carried out under: that of its last step."""
        return self.steps[-1].skill if self.steps else None

    @property
    def lenders(self) -> tuple[str, ...]:
        """Every skill whose server lends a tool to a step, in the order of the steps."""
        return tuple(dict.fromkeys(s.lender for s in self.steps if s.lender is not None))

    @property
    def executing(self) -> bool:
        return self.state is PlanState.EXECUTING

    @property
    def failed_step(self) -> PlanStep | None:
        """The step that keeps an executing plan waiting for a person's word."""
        if not self.executing:
            return None
        return next((s for s in self.steps if s.state is StepState.FAILED), None)

    @property
    def chats(self) -> tuple[int, ...]:
        """Every chat that shows the card, its own first."""
        return (self.chat, *self.owner_chats)

    def key_in(self, chat: int) -> str:
        """The outbound key of this revision's card: one visible message for each chat."""
        key = f"{_KEY}{self.id}:{self.revision}"
        return key if chat == self.chat else f"{key}@{chat}"

    def amended(self, **changes: Any) -> "Plan":
        """The next version, in the same state."""
        return replace(self, version=self.version + 1, **changes)

    def moved(self, state: PlanState, **changes: Any) -> "Plan":
        """The next version, in another state; raises ValueError where there is no such move."""
        if not may_move(self.state, state):
            raise ValueError(f"a plan does not go from {self.state} to {state}")
        return self.amended(state=state, **changes)

    def with_steps(self, steps: Iterable[PlanStep]) -> "Plan":
        """The next version with these steps in the place of those of the same number."""
        changed = {step.number: step for step in steps}
        kept = tuple(changed.pop(step.number, step) for step in self.steps)
        return self.amended(steps=(*kept, *changed.values()))

    def recollected(self, by: int, now: datetime) -> "Plan":
        """The next revision: its steps are collected from the beginning, from what `by` says."""
        return self.moved(
            PlanState.COLLECTING,
            collector=by,
            revision=self.revision + 1,
            since=now,
            steps=(),
            title="",
            summary="",
            owner_chats=(),
        )

    def ended(self, now: datetime) -> "Plan":
        """How it ends, by what its steps came to."""
        if not self.executing:
            return self.moved(PlanState.CANCELLED, turn=None, ended_at=now)
        if all(step.state is StepState.DONE for step in self.steps):
            state = PlanState.DONE
        elif any(step.call for step in self.steps):
            state = PlanState.PARTLY_DONE
        else:
            state = PlanState.CANCELLED
        return self.moved(state, turn=None, ended_at=now)


def plan_for(turn: Turn, plan: Plan | None) -> Plan | None:
    """The plan a turn works on: it collects what its collector says, or was made to execute it.

    A turn that began before the collecting is none of the plan's.
    """
    if plan is None:
        return None
    if plan.collecting:
        own = (turn.origin, turn.asker) == ("message", plan.collector)
        return plan if own and turn.created_at >= plan.since else None
    return plan if plan.live and plan.turn == turn.id else None


def matched(plan: Plan, calls: Sequence[ToolCall]) -> dict[str, PlanStep]:
    """The open step each call stands for, by the call's id; a step stands for one call only."""
    left = list(plan.open_steps)
    found: dict[str, PlanStep] = {}
    for call in calls:
        step = next((s for s in left if s.is_for(call)), None)
        if step is not None:
            left.remove(step)
            found[call.id] = step
    return found


def after_results(
    plan: Plan, steps: Mapping[str, PlanStep], results: Iterable[ToolResult]
) -> Plan | None:
    """The plan after the results of calls that stand for `steps`, by the calls' ids.

    None when they say nothing about its steps.
    """
    told = [
        step
        for result in results
        if result.call_id in steps
        and (step := after_result(steps[result.call_id], result)) is not None
    ]
    return plan.with_steps(told) if told else None


def after_result(step: PlanStep, result: ToolResult) -> PlanStep | None:
    """A step after the result of its call; None when it was not its turn yet and stays open."""
    outcome = clipped(" ".join(result.text.split()), _LONGEST_OUTCOME)
    ran = not result.synthetic or result.code is Code.OUTCOME_UNKNOWN
    if result.code is Code.OUTCOME_UNKNOWN:
        outcome = f"outcome unknown: {outcome}"
    told = replace(step, outcome=outcome, call=result.call_id if ran else step.call)
    match result.status, result.code:
        case Status.SUCCESS, _:
            return replace(told, state=StepState.DONE)
        case Status.BLOCKED, Code.DENIED:
            return replace(told, state=StepState.SKIPPED)
        case (Status.SKIPPED | Status.PLANNED, _) | (_, Code.EXPIRED | Code.CUT):
            return None
        case _:
            return replace(told, state=StepState.FAILED)


def bounds(plan: Plan | None, limits: Limits, done: Collection[str]) -> Limits:
    """The limits of a turn that works on a plan; `done` are its calls that have a result.

    Executing, they follow the steps that were open when the turn began. Collecting, a recorded
    step gives back the round it took.
    """
    if plan is None:
        return limits
    if plan.collecting:
        more = len(plan.steps)
        return replace(
            limits,
            soft_rounds=limits.soft_rounds + more,
            max_rounds=limits.max_rounds + more,
            calls_per_turn=limits.calls_per_turn + more,
        )
    steps = sum(s.state is StepState.OPEN or s.call in done for s in plan.steps)
    soft = steps + limits.plan_rounds
    return replace(
        limits,
        soft_rounds=soft,
        max_rounds=soft + limits.plan_rounds,
        calls_per_turn=2 * steps + limits.plan_calls,
    )
