"""The verdict: from the state of a turn to its next step, without any I/O."""

from collections.abc import Mapping
from datetime import timedelta

from bot.domain.consent.approval import ApprovalState
from bot.domain.money.model import FinishReason
from bot.domain.money.trouble import ModelTrouble, Trouble
from bot.domain.plans.plan import Plan
from bot.domain.skills.skill import Following
from bot.domain.talk.limits import Limits
from bot.domain.text.names import quoted_name
from bot.domain.tools.tool import Code, Effect, Status, ToolCall, Warrant
from bot.domain.turn.finality import closed_as_answered, repeats_reads, written_call
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.progress import OpenCall, Progress
from bot.domain.turn.step import (
    OUTCOME_UNKNOWN,
    Ask,
    AskFirst,
    CallModel,
    Compact,
    Elsewhere,
    Finish,
    Gate,
    Park,
    RecordPlanned,
    Refuse,
    Run,
    RunTools,
    SendOut,
    Step,
    TransitionSkill,
    WrapUp,
)
from bot.domain.turn.transcript import ReplyBody
from bot.domain.turn.turn import Turn
from bot.domain.value import frozen


@frozen
class LoopState:
    """The complete input of a verdict; `plan`, `following` and `ending` come from companions."""

    progress: Progress
    limits: Limits
    gates: Mapping[str, Gate]
    """One gate for each open call without a card; for an approved call, a refusal when its asker
    has lost the right to it.
    """
    fill: float = 0.0
    """The share of the model's window that the next request takes."""
    overflow: bool = False
    """True when the provider found the last request too long."""
    packed: bool = False
    """True when nothing was left to cut."""
    plan: Plan | None = None
    """The plan that the turn collects or executes."""
    following: Following | None = None
    """The skill that continues with a settled text."""
    doubted: frozenset[str] | None = None
    """The tools offered to a model that is not trusted; None for a trusted one."""
    ending: Finish | None = None
    """The end that a companion calls for, before calls or texts are looked at."""

    @property
    def collecting(self) -> bool:
        return self.plan is not None and self.plan.collecting


def decide(state: LoopState) -> Step:
    """Returns the next step of a turn. Pure: the same state gives the same step."""
    ending = broken_off(state.progress.turn, state.limits) or state.ending
    if ending is not None:
        return ending
    if state.plan is not None and (failed := state.plan.failed_step) is not None:
        return Finish(StopReason.WAITING_FOR_USER, f"step {failed.number} of the plan failed")
    if state.progress.open_calls:
        return _settle_calls(state)
    return _after_round(state)


def broken_off(turn: Turn, limits: Limits) -> Finish | None:
    """Returns the end of a turn that a person stopped or that failed after its last rest."""
    if turn.stop_asked is not None:
        return Finish(StopReason.USER_CANCELLED, f"stop asked: {turn.stop_asked}")
    if turn.rests >= len(limits.rest_minutes) and _failed_again(turn, limits):
        return Finish(StopReason.INTERNAL_FAILURE, f"{turn.attempts} failed starts")
    return None


def rest_due(turn: Turn, limits: Limits) -> timedelta | None:
    """Returns how long a turn rests before its next trial; None when it can go on now."""
    if turn.stop_asked is not None or turn.rests >= len(limits.rest_minutes):
        return None
    if not _failed_again(turn, limits):
        return None
    return timedelta(minutes=limits.rest_minutes[turn.rests])


def retry_due(progress: Progress, ending: Finish, limits: Limits) -> timedelta | None:
    """Returns how long a turn rests that no model could serve; None when it really ends."""
    if not ending.fleeting or progress.turn.stop_asked is not None:
        return None
    if progress.unserved >= len(limits.rest_minutes):
        return None
    return timedelta(minutes=limits.rest_minutes[progress.unserved])


def _failed_again(turn: Turn, limits: Limits) -> bool:
    """Returns true after so many failed starts, and after each trial that failed."""
    return turn.attempts >= limits.attempts + turn.rests


def _settle_calls(state: LoopState) -> Step:
    progress = state.progress
    if any(_state(c) is ApprovalState.EXPIRED for c in progress.open_calls):
        return Finish(StopReason.EXPIRED, "a card expired", Code.EXPIRED)
    if any(_repeat_denied(c) for c in progress.open_calls):
        return Finish(StopReason.REPEAT_GUARD, "a person stopped the repetition", Code.LIMIT)
    if _said_enough(state):
        close = tuple((c.call, _ANSWERED) for c in progress.open_calls)
        return RunTools((), close, "the text beside repeated reads is the answer")
    gated = {c.call.id: _gate(state, c, i) for i, c in enumerate(progress.open_calls)}
    put_off = _put_off(state, gated)
    if put_off is not None:
        return put_off
    if _worked_out(state):
        return Finish(StopReason.DEADLINE, "working time is over", Code.LIMIT)
    reads, write = _runnable(progress.open_calls, gated)
    if reads:
        return RunTools(reads, (), "reads run side by side")
    if write is not None:
        return RunTools((write,), (), "the next change in call order")
    waiting = sum(_state(c) is ApprovalState.OPEN for c in progress.open_calls)
    away = sum(isinstance(gate, Elsewhere) for gate in gated.values())
    return Park(f"{waiting} open cards, {away} errands")


_ANSWERED = Refuse(
    Status.SKIPPED,
    Code.FINISHED,
    "Not run: this was read before in this turn, and your text beside it was taken as the answer.",
)


def _said_enough(state: LoopState) -> bool:
    """Returns true when a model that is not trusted gave its answer beside calls from habit."""
    progress = state.progress
    if state.doubted is None or state.collecting or progress.reply is None:
        return False
    return not progress.reply.wrap_up and repeats_reads(progress, state.gates)


def _put_off(state: LoopState, gated: Mapping[str, Gate | None]) -> Step | None:
    """Returns the step for calls that do not run now: close, keep for a plan, or ask."""
    open_calls = state.progress.open_calls
    close = tuple((c.call, g) for c in open_calls if isinstance(g := gated[c.call.id], Refuse))
    if close:
        return RunTools((), close, "calls that do not run get their result")
    planned = tuple(c.call for c in open_calls if _is_planned(state, c, gated[c.call.id]))
    if planned:
        return RecordPlanned(planned, "a plan is being collected")
    send = tuple(c.call for c in open_calls if gated[c.call.id] == Elsewhere(begun=False))
    if send:
        return SendOut(send, "errands are sent out before anything waits")
    ask = tuple(c.call for c in open_calls if isinstance(gated[c.call.id], AskFirst))
    return Ask(ask, "changes need a person's word") if ask else None


def _is_planned(state: LoopState, open_call: OpenCall, gate: Gate | None) -> bool:
    """Returns true when a call becomes a plan's step: while collecting, it would ask or change."""
    if not state.collecting or open_call.approval is not None:
        return False
    match gate:
        case AskFirst(preview=preview, repeat=repeat):
            steps = not repeat or preview.effect is not Effect.READ
            return steps and not preview.at_once
        case Run(effect=effect):
            return effect is not Effect.READ
        case _:
            return False


def _gate(state: LoopState, open_call: OpenCall, index: int) -> Gate | None:
    """Returns the gate of one open call; None while its card is open."""
    if open_call.begun:
        return OUTCOME_UNKNOWN
    bound = _out_of_bounds(state, index)
    if bound is not None:
        return bound
    if open_call.approval is None:
        return state.gates[open_call.call.id]
    judged = state.gates.get(open_call.call.id)
    return judged if isinstance(judged, Refuse | AskFirst) else _gate_of_card(open_call)


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
    if reply.finish is FinishReason.END and not state.collecting:
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
    """Returns the place of an open call among all calls of its reply."""
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
            return Run(card.preview.effect, card.preview, warrant=Warrant.CARD)
        case ApprovalState.DENIED:
            because = f" They said: {card.reason}" if card.reason else ""
            who = quoted_name(card.decider_name) if card.decider_name else "The person"
            text = f"{who} denied this call.{because}"
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
    """Returns the reads that may run, and the first change unless an earlier one is undecided."""
    reads: list[ToolCall] = []
    write: ToolCall | None = None
    blocked = False
    for open_call in open_calls:
        gate = gated[open_call.call.id]
        if isinstance(gate, Elsewhere):
            continue  # it holds nothing up: both calls stand in one reply
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
    if state.collecting and progress.submitted is not None:
        return Finish(StopReason.PLAN_READY, "the plan was submitted")
    failed, times = progress.same_error()
    if failed is not None and times >= limits.same_error_stop:
        why = f"{failed.result.tool} failed {times} times alike"
        return Finish(StopReason.TOOL_FAILURE_POLICY, why)
    if progress.handed_over:
        return _next_request(state, "a skill took over")
    return _after_calls(state, reply) if reply is None or reply.calls else _after_words(state)


def _after_calls(state: LoopState, reply: ReplyBody | None) -> Step:
    """Returns the step once every call of the newest reply has its result, or before any reply."""
    if reply is not None and reply.wrap_up:
        return Finish(StopReason.MAX_ROUNDS, "the wrap-up brought calls")
    if reply is not None and reply.finish is FinishReason.END and reply.text:
        return _settled(state, reply, "the reply said it was finished")
    if reply is not None and state.doubted is not None and closed_as_answered(state.progress):
        return _settled(state, reply, "the text beside repeated reads is the answer")
    return _next_request(state, "the log waits for the model")


def _after_words(state: LoopState) -> Step:
    """Returns the step after a reply without calls, which may be the answer."""
    progress, limits = state.progress, state.limits
    reply = progress.reply
    if reply is None:
        return _next_request(state, "the log waits for the model")
    if reply.finish is FinishReason.PAUSE:
        if progress.pauses > limits.pauses:
            return _failed(Trouble.OTHER, f"{progress.pauses} pauses in one turn")
        return _next_request(state, "the provider paused the reply")
    if reply.text:
        called = written_call(reply.text, state.doubted or ())
        if called and not reply.wrap_up and progress.nudges < limits.empty_retries:
            return _next_request(state, f"a call of {called} as text", written=called)
        return _settled(state, reply, "a reply without calls")
    tight = reply.finish is FinishReason.WINDOW and progress.cuts_since_reply == 0
    if tight and not state.packed:
        return Compact("the window was full before the first word")
    if progress.empty_replies > limits.empty_retries:
        return _failed(Trouble.EMPTY, f"{progress.empty_replies} empty replies")
    return _next_request(state, "the reply was empty", nudge=True)


def _failed(kind: Trouble, why: str) -> Finish:
    return Finish(StopReason.MODEL_FAILURE, why, trouble=ModelTrouble(kind))


def _settled(state: LoopState, reply: ReplyBody, why: str) -> Step:
    """Returns the step for a settled text: the answer, a handover, or a complete plan."""
    plan, onward = state.plan, _onward(state, reply, why)
    if isinstance(onward, TransitionSkill):
        return onward
    if plan is not None and state.collecting and (plan.steps or not reply.wrap_up):
        remark = onward.remark if onward is not None else ""
        return Finish(StopReason.PLAN_READY, why, remark=remark)
    if reply.wrap_up:
        return Finish(StopReason.MAX_ROUNDS, why)
    return onward or Finish(StopReason.FINAL_ANSWER, why)


def _onward(state: LoopState, reply: ReplyBody, why: str) -> TransitionSkill | Finish | None:
    """Returns the handover to a following skill; None without one, or for a text that was cut."""
    cut = reply.finish in (FinishReason.LENGTH, FinishReason.WINDOW)
    if state.following is None or reply.wrap_up or cut:
        return None
    return _handed_on(state, state.following, why)


def _handed_on(state: LoopState, following: Following, why: str) -> TransitionSkill | Finish:
    """Hands over to the next skill, unless it is faulty, was used before, or is too deep."""
    progress, turn = state.progress, state.progress.turn
    if following.fault:
        remark = f"This is as far as it went: {following.fault}."
        return Finish(StopReason.FINAL_ANSWER, f"{why}, and {following.fault}", remark=remark)
    if following.name in {turn.skill, *(stage.by for stage in progress.kept)}:
        told = f"the skills lead in a circle, back to {following.name}"
    elif turn.stages >= state.limits.pipeline_depth:
        told = f"skills have handed over {turn.stages} times, and no more is allowed"
    else:
        return TransitionSkill(following.name, why)
    return Finish(StopReason.PIPELINE_DEPTH, told, remark=f"It ended here: {told}.")


def _next_request(state: LoopState, why: str, *, nudge: bool = False, written: str = "") -> Step:
    progress, limits, turn = state.progress, state.limits, state.progress.turn
    if turn.rounds >= limits.max_rounds:
        return Finish(StopReason.MAX_ROUNDS, f"{turn.rounds} rounds")
    if _worked_out(state):
        return Finish(StopReason.DEADLINE, "working time is over")
    if state.overflow or (state.fill >= limits.compact_at and not state.packed):
        if progress.cuts_since_reply < MAX_CUTS:
            return Compact("too long" if state.overflow else f"{state.fill:.0%} of the window")
        if state.overflow:
            return _failed(Trouble.TOO_LONG, "too long even after a cut")
    if progress.stage_rounds >= limits.soft_rounds:
        return WrapUp(f"{progress.stage_rounds} rounds")
    if turn.calls >= limits.calls_per_turn:
        return WrapUp(f"{turn.calls} calls")
    if progress.shrunk or progress.wrap_up_asked:
        return WrapUp("the running turn alone fills the window")
    return CallModel(why, nudge=nudge, written=written)


MAX_CUTS = 2
"""Cuts between two replies before the turn gives up: one summary, one shrinking."""


def _worked_out(state: LoopState) -> bool:
    return state.progress.turn.worked_ms >= state.limits.turn_seconds * 1000


def _state(open_call: OpenCall) -> ApprovalState | None:
    return open_call.approval.state if open_call.approval is not None else None


def _repeat_denied(open_call: OpenCall) -> bool:
    card = open_call.approval
    return card is not None and card.kind == "repeat" and card.state is ApprovalState.DENIED
