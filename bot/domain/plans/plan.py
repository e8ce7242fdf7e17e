"""Plans: steps collected first, approved as a whole, then run, each once."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

from bot.domain.consent.consent import Consent
from bot.domain.talk.limits import Limits
from bot.domain.talk.reach import Reach
from bot.domain.text.visible_text import clipped
from bot.domain.tools.tool import Code, Effect, ExactRule, Preview, Status, ToolCall, ToolResult
from bot.domain.turn.mandate import Mandate
from bot.domain.turn.turn import Turn
from bot.domain.value import frozen, replace

COLLECTING_NOTE = "[Plan mode]"
"""The beginning of the note that tells a model to plan."""

APPROVED_NOTE = "[Plan approved]"
"""The beginning of the note that tells a model to carry a plan out, one line for each open step."""

_LONGEST_OUTCOME = 300
_LONGEST_TITLE = 60


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
    """Returns true when a plan may go from one state to another; an ended one stays as it is."""
    return new in _MOVES.get(old, frozenset())


class StepState(StrEnum):
    OPEN = "open"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"


class PlanVerb(StrEnum):
    """The wish that a button of a plan's card stands for."""

    APPROVE = "y"
    CHANGE = "c"
    CANCEL = "n"
    RETRY = "r"
    SKIP = "k"
    RESUME = "g"
    STOP = "s"


class ReplaceVerb(StrEnum):
    """The answer to the question about replacing the live plan."""

    REPLACE = "r"
    KEEP = "k"


@frozen
class PlanStep:
    """One planned call: a tool with exact arguments, and the preview a person saw of it."""

    number: int
    tool: str
    arguments: str
    """Canonical JSON."""
    description: str
    effect: Effect
    preview: Preview
    """Shown to people before they approve the plan."""
    state: StepState = StepState.OPEN
    outcome: str = ""
    """The result in words."""
    call: str = ""
    """The id of the call that ran for the step; empty before."""
    skill: str | None = None
    """The skill that was in use when the step was planned; the step runs in its environment."""
    lender: str | None = None
    """The skill whose server lends the tool."""

    @property
    def needs(self) -> tuple[str, ...]:
        """Returns the skills that the step needs to run as it was shown."""
        return tuple(name for name in (self.lender, self.skill) if name is not None)

    @property
    def dangerous(self) -> bool:
        """Returns True when it asks again just before it runs."""
        return self.effect is Effect.DANGER and not self.preview.unwalled

    def consent(self, *, any_state: bool) -> Consent:
        """Returns the consent of the plan's card; with `any_state` for any state of its file."""
        shown = replace(self.preview, seen=None) if any_state else self.preview
        return Consent(self.tool, ExactRule(self.arguments), shown.surroundings, shown)

    def is_for(self, call: ToolCall) -> bool:
        return (self.tool, self.arguments) == (call.name, call.canonical)


_KEY = "plan:"
_CHANGE = "change-"


def plan_of_card(key: str) -> str | None:
    """Returns the id of the plan that an outbound key belongs to, None for any other key."""
    return key.removeprefix(_KEY).partition(":")[0] if key.startswith(_KEY) else None


def decision_of_card(key: str) -> tuple[str, str]:
    """Returns the plan and the revision that the outbound key of a plan's card is about."""
    id, _, revision = key.removeprefix(_KEY).partition(":")
    return id, revision.partition("@")[0]


def changed_card(key: str) -> str | None:
    """Returns the key of the plan's card whose change the message with this key asks for."""
    return key.removeprefix(_CHANGE).partition("#")[0] if key.startswith(_CHANGE) else None


@frozen
class Plan:
    """One plan of a chat; while its row is live, the chat is in plan mode."""

    id: str
    """Numbers the plan in the store."""
    token: str
    """The secret of its buttons."""
    chat: int
    """The chat that the plan was made in."""
    asker: int
    """The person who asked for the plan."""
    asker_name: str
    """The name of the person who asked."""
    collector: int
    """The person whose messages are planned: the asker, or the person who changed it last."""
    created_at: datetime
    """The time the plan was begun."""
    since: datetime
    """The moment when the collecting of this revision began."""
    mandate: Mandate
    """The most that the turns which carry it out may do: what its collecting turns might do."""
    state: PlanState = PlanState.COLLECTING
    """The stage of its life."""
    revision: int = 1
    """Grows each time the steps are collected anew."""
    version: int = 1
    """Grows with every write."""
    title: str = ""
    """The name of the plan on cards and in lists."""
    summary: str = ""
    """The words of the model about it."""
    wish: str = ""
    """The text of the ready-made plan that this one was made from."""
    message: str = ""
    """The platform's id of the message that asked for the plan."""
    turn: str | None = None
    """The turn that executes it now; None while it waits for a person."""
    decider_name: str = ""
    """The name of the person who decided last."""
    ended_at: datetime | None = None
    """The time the plan ended."""
    owner_chats: tuple[int, ...] = ()
    """Chats of owners that show the card too."""
    steps: tuple[PlanStep, ...] = ()
    """The steps of this revision, in order."""

    @property
    def live(self) -> bool:
        return self.state in LIVE

    @property
    def ready(self) -> bool:
        """Returns True while it waits for a decision."""
        return self.state is PlanState.READY

    @property
    def collecting(self) -> bool:
        return self.state is PlanState.COLLECTING

    @property
    def open_steps(self) -> tuple[PlanStep, ...]:
        return tuple(s for s in self.steps if s.state is StepState.OPEN)

    @property
    def reach(self) -> Reach:
        """Returns how far an approval of all steps has to go."""
        needed = [step.preview.needs for step in self.steps]
        return max(needed, key=tuple(Reach).index, default=Reach.TALK)

    @property
    def skill(self) -> str | None:
        """Returns the skill of the last step, under which the plan is carried out."""
        return self.steps[-1].skill if self.steps else None

    @property
    def lenders(self) -> tuple[str, ...]:
        """Returns every skill whose server lends a tool to a step, in the order of the steps."""
        return tuple(dict.fromkeys(s.lender for s in self.steps if s.lender is not None))

    @property
    def executing(self) -> bool:
        return self.state is PlanState.EXECUTING

    @property
    def failed_step(self) -> PlanStep | None:
        """Returns the failed step of an executing plan; a person decides how the plan continues."""
        if not self.executing:
            return None
        return next((s for s in self.steps if s.state is StepState.FAILED), None)

    @property
    def chats(self) -> tuple[int, ...]:
        """Returns every chat that shows the card, its own first."""
        return (self.chat, *self.owner_chats)

    def key_in(self, chat: int) -> str:
        """Returns the outbound key of this revision's card in a chat."""
        key = f"{_KEY}{self.id}:{self.revision}"
        return key if chat == self.chat else f"{key}@{chat}"

    def change_key(self, chat: int, press: str) -> str:
        """Returns the outbound key of the question that a press of Change asks."""
        return f"{_CHANGE}{self.key_in(chat)}#{press}"

    @property
    def wanting(self) -> bool:
        """Returns True when the plan was approved, and no turn carries it out."""
        return self.executing and self.turn is None

    def amended(self, **changes: Any) -> "Plan":
        """Returns the next version in the same state."""
        return replace(self, version=self.version + 1, **changes)

    def in_state(self, state: PlanState, **changes: Any) -> "Plan":
        """Returns the next version in another state; raises ValueError for a forbidden move."""
        if not may_move(self.state, state):
            raise ValueError(f"a plan does not go from {self.state} to {state}")
        return self.amended(state=state, **changes)

    def with_steps(self, steps: Iterable[PlanStep]) -> "Plan":
        """Returns the next version, in which these steps replace those of the same number."""
        changed = {step.number: step for step in steps}
        kept = tuple(changed.pop(step.number, step) for step in self.steps)
        return self.amended(steps=(*kept, *changed.values()))

    def grown(self, steps: Iterable[PlanStep], mandate: Mandate) -> "Plan":
        """Returns the next version with further steps, which a turn with this mandate recorded."""
        met = self.mandate.met(mandate) if self.steps else mandate
        return replace(self.with_steps(steps), mandate=met)

    def recollected(self, by: int, now: datetime) -> "Plan":
        """Returns the next revision, whose steps are collected anew from the messages of `by`."""
        return self.in_state(
            PlanState.COLLECTING,
            collector=by,
            revision=self.revision + 1,
            since=now,
            steps=(),
            summary="",
            owner_chats=(),
        )

    def ended(self, now: datetime) -> "Plan":
        """Returns the ended plan: done, partly done or cancelled, by the states of its steps."""
        if not self.executing:
            return self.in_state(PlanState.CANCELLED, turn=None, ended_at=now)
        if all(step.state is StepState.DONE for step in self.steps):
            state = PlanState.DONE
        elif any(step.call for step in self.steps):
            state = PlanState.PARTLY_DONE
        else:
            state = PlanState.CANCELLED
        return self.in_state(state, turn=None, ended_at=now)


def title_from(wish: str) -> str:
    """Returns a title made of the first line of a wish, cut behind a word."""
    line = next((" ".join(part.split()) for part in wish.splitlines() if part.strip()), "")
    if len(line) > _LONGEST_TITLE:
        at = line.rfind(" ", 0, _LONGEST_TITLE)
        line = f"{line[: at if at > 0 else _LONGEST_TITLE - 1].rstrip(' ,;:')}…"
    return line[:1].upper() + line[1:]


def plan_for(turn: Turn, plan: Plan | None) -> Plan | None:
    """Returns the plan that a turn collects (from its collector's message) or executes.

    A turn that began before the collecting does not belong to the plan.
    """
    if plan is None:
        return None
    if plan.collecting:
        own = (turn.origin, turn.asker) == ("message", plan.collector)
        return plan if own and turn.created_at >= plan.since else None
    return plan if plan.live and plan.turn == turn.id else None


def matched(plan: Plan, calls: Sequence[ToolCall]) -> dict[str, PlanStep]:
    """Returns the open step of each call, by the call's id; a step belongs to one call only."""
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
    """Returns the plan after these results; `steps` has the step of each call by the call's id.

    None when no result changes a step.
    """
    told = [
        step
        for result in results
        if result.call_id in steps
        and (step := after_result(steps[result.call_id], result)) is not None
    ]
    return plan.with_steps(told) if told else None


def after_result(step: PlanStep, result: ToolResult) -> PlanStep | None:
    """Returns the step after the result of its call, None when it did not run and stays open."""
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
    """Returns the limits of a turn that works on a plan; `done` are its calls that have a result.

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
