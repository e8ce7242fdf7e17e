"""The verdict after a look at the log: one value that says what happens next, and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from bot.domain.approval import ApprovalState
from bot.domain.budget import Limits
from bot.domain.exchange import FinishReason
from bot.domain.outcome import StopReason
from bot.domain.progress import OpenCall, Progress
from bot.domain.tool import Code, Effect, Preview, Status, ToolCall
from bot.domain.turn import Turn


@dataclass(frozen=True, slots=True)
class Run:
    """The call may run now; `seen` is what its preview saw."""

    effect: Effect
    preview: Preview | None = None


@dataclass(frozen=True, slots=True)
class AskFirst:
    """The call needs a person's word; `repeat` when the question is whether to go on at all."""

    preview: Preview
    repeat: bool = False


@dataclass(frozen=True, slots=True)
class Refuse:
    """The call does not run; this is its result."""

    status: Status
    code: Code
    text: str


Gate: TypeAlias = Run | AskFirst | Refuse


@dataclass(frozen=True, slots=True)
class CallModel:
    """Ask the model; `nudge` after an empty reply."""

    why: str
    nudge: bool = False


@dataclass(frozen=True, slots=True)
class RunTools:
    """Close these calls with synthetic results, then run those: reads side by side, one write."""

    run: tuple[ToolCall, ...]
    close: tuple[tuple[ToolCall, Refuse], ...]
    why: str


@dataclass(frozen=True, slots=True)
class Ask:
    """Show a card for each of these calls."""

    calls: tuple[ToolCall, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Compact:
    """Make room in the view by a stored cut."""

    why: str


@dataclass(frozen=True, slots=True)
class WrapUp:
    """Ask the model for an answer with what there is; calls are not allowed any more."""

    why: str


@dataclass(frozen=True, slots=True)
class Park:
    """Nothing can go on without a person: keep rows, hold nothing."""

    why: str


@dataclass(frozen=True, slots=True)
class Finish:
    """The turn ends; calls still open are closed with this code."""

    stop_reason: StopReason
    why: str
    code: Code = Code.CANCELLED


Step: TypeAlias = CallModel | RunTools | Ask | Compact | WrapUp | Park | Finish


@dataclass(frozen=True, slots=True)
class LoopState:
    """All that a verdict depends on.

    `gates` has an entry for every open call without a card, and a refusal for an approved one that
    its asker has no right to any more; `fill` is the share of the window
    that the next request takes; `overflow` when the provider found the last one too long;
    `packed` when there was nothing left to cut.
    """

    progress: Progress
    limits: Limits
    gates: Mapping[str, Gate]
    fill: float = 0.0
    overflow: bool = False
    packed: bool = False


def decide(state: LoopState) -> Step:
    """Says what a turn does next. Pure: the same state gives the same step."""
    ending = broken_off(state.progress.turn, state.limits)
    if ending is not None:
        return ending
    if state.progress.open_calls:
        return _settle_calls(state)
    return _after_round(state)


def broken_off(turn: Turn, limits: Limits) -> Finish | None:
    """The end of a turn that a person stopped, or that never came further than its start."""
    if turn.stop_asked is not None:
        return Finish(StopReason.USER_CANCELLED, f"stop asked: {turn.stop_asked}")
    if turn.attempts > limits.attempts:
        return Finish(StopReason.INTERNAL_FAILURE, f"{turn.attempts - 1} starts without progress")
    return None


def _settle_calls(state: LoopState) -> Step:
    progress = state.progress
    if any(_state(c) is ApprovalState.EXPIRED for c in progress.open_calls):
        return Finish(StopReason.EXPIRED, "a card expired", Code.EXPIRED)
    if any(_repeat_denied(c) for c in progress.open_calls):
        return Finish(StopReason.REPEAT_GUARD, "a person stopped the repetition", Code.LIMIT)
    gated = {c.call.id: _gate(state, c, i) for i, c in enumerate(progress.open_calls)}
    close = tuple(
        (c.call, gate) for c in progress.open_calls if isinstance(gate := gated[c.call.id], Refuse)
    )
    if close:
        return RunTools((), close, "calls that do not run get their result")
    ask = tuple(c.call for c in progress.open_calls if isinstance(gated[c.call.id], AskFirst))
    if ask:
        return Ask(ask, "changes need a person's word")
    if _worked_out(state):
        return Finish(StopReason.DEADLINE, "working time is over", Code.LIMIT)
    reads, write = _runnable(progress.open_calls, gated)
    if reads:
        return RunTools(reads, (), "reads run side by side")
    if write is not None:
        return RunTools((write,), (), "the next change in call order")
    waiting = sum(_state(c) is ApprovalState.OPEN for c in progress.open_calls)
    return Park(f"{waiting} open cards")


def _gate(state: LoopState, open_call: OpenCall, index: int) -> Gate | None:
    """The gate of one open call; None while its card is open."""
    if open_call.begun:
        return Refuse(
            Status.FAILED,
            Code.OUTCOME_UNKNOWN,
            "The program was interrupted while this call ran. It may have happened, wholly, in "
            "part or not at all. Look before you repeat it.",
        )
    bound = _out_of_bounds(state, index)
    if bound is not None:
        return bound
    if open_call.approval is None:
        return state.gates[open_call.call.id]
    forbidden = state.gates.get(open_call.call.id)
    return forbidden if isinstance(forbidden, Refuse) else _gate_of_card(open_call)


def _out_of_bounds(state: LoopState, index: int) -> Refuse | None:
    progress, limits = state.progress, state.limits
    reply = progress.reply
    if reply is None:
        return None
    if reply.finish in (FinishReason.LENGTH, FinishReason.WINDOW):
        return Refuse(
            Status.INVALID,
            Code.CUT,
            "The reply was cut inside its calls, so none of them ran. Repeat the call, shorter.",
        )
    if reply.finish is FinishReason.REFUSAL:
        text = "Not run: the model broke off and refused."
        return Refuse(Status.SKIPPED, Code.FINISHED, text)
    if reply.wrap_up:
        return Refuse(Status.SKIPPED, Code.LIMIT, "Not run: the turn was to be wrapped up.")
    if reply.finish is FinishReason.END:
        return Refuse(Status.SKIPPED, Code.FINISHED, "Not run: the reply said it was finished.")
    position = _position(progress, index)
    if position >= limits.calls_per_round:
        text = f"Not run: more than {limits.calls_per_round} calls in one round."
        return Refuse(Status.SKIPPED, Code.LIMIT, text)
    earlier = progress.turn.calls - len(reply.calls)
    if earlier + position >= limits.calls_per_turn:
        text = f"Not run: more than {limits.calls_per_turn} calls in one turn."
        return Refuse(Status.SKIPPED, Code.LIMIT, text)
    return None


def _position(progress: Progress, index: int) -> int:
    """The place of an open call among all calls of its reply."""
    wanted = progress.open_calls[index].call.id
    calls = progress.reply.calls if progress.reply is not None else ()
    return next((n for n, call in enumerate(calls) if call.id == wanted), index)


def _gate_of_card(open_call: OpenCall) -> Gate | None:
    card = open_call.approval
    if card is None:
        return None
    match card.state:
        case ApprovalState.OPEN:
            return None
        case ApprovalState.APPROVED:
            return Run(card.preview.effect, card.preview)
        case ApprovalState.DENIED:
            because = f" They said: {card.reason}" if card.reason else ""
            text = f"{card.decider_name or 'The person'} denied this call.{because}"
            return Refuse(Status.BLOCKED, Code.DENIED, text)
        case ApprovalState.UNASKABLE:
            text = "Not run: the question could not be shown to anyone."
            return Refuse(Status.BLOCKED, Code.UNASKABLE, text)
        case ApprovalState.EXPIRED:
            return Refuse(Status.BLOCKED, Code.EXPIRED, "Not run: nobody decided in time.")
        case ApprovalState.CANCELLED:
            return Refuse(Status.SKIPPED, Code.CANCELLED, "Not run: the question was withdrawn.")


def _runnable(
    open_calls: tuple[OpenCall, ...], gated: Mapping[str, Gate | None]
) -> tuple[tuple[ToolCall, ...], ToolCall | None]:
    """All reads that may run, and the first change if no earlier one is undecided."""
    reads: list[ToolCall] = []
    write: ToolCall | None = None
    blocked = False
    for open_call in open_calls:
        gate = gated[open_call.call.id]
        if not isinstance(gate, Run):
            blocked = True
        elif gate.effect is Effect.READ:
            reads.append(open_call.call)
        elif not blocked and write is None:
            write = open_call.call
    return tuple(reads), write


def _after_round(state: LoopState) -> Step:
    progress, limits = state.progress, state.limits
    reply = progress.reply
    if reply is not None and reply.finish is FinishReason.REFUSAL:
        return Finish(StopReason.REFUSAL, "the model refused")
    if progress.question is not None:
        return Finish(StopReason.WAITING_FOR_USER, "a question was put to the person")
    failed, times = progress.same_error()
    if failed is not None and times >= limits.same_error_stop:
        why = f"{failed.result.tool} failed {times} times alike"
        return Finish(StopReason.TOOL_FAILURE_POLICY, why)
    if reply is None or reply.calls:
        if reply is not None and reply.wrap_up:
            return Finish(StopReason.MAX_ROUNDS, "the wrap-up brought calls")
        if reply is not None and reply.finish is FinishReason.END and reply.text:
            return Finish(StopReason.FINAL_ANSWER, "the reply said it was finished")
        return _next_request(state, "the log waits for the model")
    return _after_words(state)


def _after_words(state: LoopState) -> Step:
    """The newest reply has no calls: is it the answer?"""
    progress, limits = state.progress, state.limits
    reply = progress.reply
    if reply is None:
        return _next_request(state, "the log waits for the model")
    if reply.finish is FinishReason.PAUSE:
        if progress.pauses > limits.pauses:
            return Finish(StopReason.MODEL_FAILURE, f"{progress.pauses} pauses in one turn")
        return _next_request(state, "the provider paused the reply")
    if reply.text:
        wrapped = StopReason.MAX_ROUNDS if reply.wrap_up else StopReason.FINAL_ANSWER
        return Finish(wrapped, "a reply without calls")
    tight = reply.finish is FinishReason.WINDOW and progress.cuts_since_reply == 0
    if tight and not state.packed:
        return Compact("the window was full before the first word")
    if progress.empty_replies > limits.empty_retries:
        return Finish(StopReason.MODEL_FAILURE, f"{progress.empty_replies} empty replies")
    return _next_request(state, "the reply was empty", nudge=True)


def _next_request(state: LoopState, why: str, *, nudge: bool = False) -> Step:
    progress, limits, turn = state.progress, state.limits, state.progress.turn
    if turn.rounds >= limits.max_rounds:
        return Finish(StopReason.MAX_ROUNDS, f"{turn.rounds} rounds")
    if _worked_out(state):
        return Finish(StopReason.DEADLINE, "working time is over")
    if state.overflow or (state.fill >= limits.compact_at and not state.packed):
        if progress.cuts_since_reply < MAX_CUTS:
            return Compact("too long" if state.overflow else f"{state.fill:.0%} of the window")
        if state.overflow:
            return Finish(StopReason.MODEL_FAILURE, "too long even after a cut")
    if turn.rounds >= limits.soft_rounds:
        return WrapUp(f"{turn.rounds} rounds")
    if turn.calls >= limits.calls_per_turn:
        return WrapUp(f"{turn.calls} calls")
    if progress.shrunk or progress.wrap_up_asked:
        return WrapUp("the running turn alone fills the window")
    return CallModel(why, nudge=nudge)


MAX_CUTS = 2
"""Cuts between two replies before the turn gives up: one summary, one shrinking."""


def _worked_out(state: LoopState) -> bool:
    return state.progress.turn.worked_ms >= state.limits.turn_seconds * 1000


def _state(open_call: OpenCall) -> ApprovalState | None:
    return open_call.approval.state if open_call.approval is not None else None


def _repeat_denied(open_call: OpenCall) -> bool:
    card = open_call.approval
    return card is not None and card.kind == "repeat" and card.state is ApprovalState.DENIED
