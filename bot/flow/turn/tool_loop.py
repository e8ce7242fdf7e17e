"""The loop: look at the log, decide, do one thing, write it down, look again."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from bot.domain.budget import Limits
from bot.domain.change import AddAudit, ChooseSkill, Show, Write
from bot.domain.outcome import StopReason
from bot.domain.plan import bounds
from bot.domain.progress import Progress
from bot.domain.skill_words import handed_over
from bot.domain.step import (
    Ask,
    CallModel,
    Compact,
    Finish,
    Gate,
    Park,
    RecordPlanned,
    Run,
    RunTools,
    Step,
    TransitionSkill,
    WrapUp,
)
from bot.domain.tool import Effect, Preview, Replay, ToolCall
from bot.domain.transcript import (
    IntentBody,
)
from bot.domain.turn import Turn, TurnState
from bot.domain.verdict import LoopState, broken_off, decide
from bot.flow.approvals.desk import ApprovalDesk
from bot.flow.log.closing import body_of, synthetic
from bot.flow.log.request_view import ViewFold
from bot.flow.log.work import Work
from bot.flow.models.compaction import Compaction
from bot.flow.plans import steps as plan_mode
from bot.flow.signs.live import Live
from bot.flow.turn.gatekeeper import Gatekeeper
from bot.flow.turn.replies import Replies
from bot.flow.turn.scene import Scene
from bot.flow.turn.tool_runner import Due, Ran, ToolRunner
from bot.ports.tool import Place

_LOG = logging.getLogger(__name__)


class ToolLoop:
    """Carries one turn forward until it finishes or waits for a person."""

    def __init__(
        self,
        replies: Replies,
        runner: ToolRunner,
        gatekeeper: Gatekeeper,
        desk: ApprovalDesk,
        compaction: Compaction,
        limits: Limits,
    ) -> None:
        self._replies = replies
        self._runner = runner
        self._gatekeeper = gatekeeper
        self._desk = desk
        self._compaction = compaction
        self._limits = limits

    def broken_off(self, work: Work) -> Finish | None:
        """The end of a turn that a person stopped, or that never came further than its start."""
        return broken_off(work.turn, self._limits)

    async def advance(self, work: Work, scene: Scene, live: Live) -> Finish | None:
        """Goes on step by step; returns the ending, or None when the turn is parked."""
        while True:
            step, gates = await self._decided(work, scene)
            ending: Finish | None = None
            match step:
                case CallModel() | WrapUp():
                    scene, ending = await self._replies.next(work, scene, step, live)
                case RunTools():
                    await self._run_tools(work, scene, step, gates, live)
                case RecordPlanned() | Ask():
                    await self._put_off(work, scene, step, gates)
                case Compact():
                    ending = await self._make_room(work, scene)
                case TransitionSkill():
                    await _hand_over(work, scene, step)
                case Park():
                    late = plan_mode.caught_up(work)
                    await work.write(turn=work.counted(state=TurnState.PARKED), also=late)
                    return None
                case Finish():
                    return step
                case _:
                    assert_never(step)
            if ending is not None:
                return ending

    async def _put_off(
        self, work: Work, scene: Scene, step: RecordPlanned | Ask, gates: Mapping[str, Gate]
    ) -> None:
        """Keeps calls for a person's word: with a plan as a whole, or on a card for each."""
        if isinstance(step, RecordPlanned):
            tools = scene.surroundings.tools
            await plan_mode.record(
                work, scene.skills, tools, step.calls, gates, self._limits.plan_steps
            )
            return
        cards = await self._desk.ask(work, step.calls, gates)
        work.approvals = (*work.approvals, *cards)

    async def _decided(self, work: Work, scene: Scene) -> tuple[Step, dict[str, Gate]]:
        """The next step; a reply held back for its settlement is written if that is not it."""
        gates = await self._gates(work, scene)
        state = self._state(work, scene, gates)
        step = decide(state)
        _log_verdict(step, state.progress, work)
        if not isinstance(step, Finish | TransitionSkill):
            await work.release()
        return step, gates

    def _state(self, work: Work, scene: Scene, gates: dict[str, Gate]) -> LoopState:
        fill = self._fold(work, scene).estimate / scene.profile.window
        progress, plan = work.progress, work.plan
        return LoopState(
            progress,
            bounds(plan, self._limits, {d.call.id for d in progress.done} if plan else ()),
            gates,
            fill,
            work.overflow,
            work.packed,
            plan,
            scene.skills.following(work.turn.skill),
        )

    def _fold(self, work: Work, scene: Scene) -> ViewFold:
        return scene.fold(work.log, self._limits.images_in_view)

    async def _gates(self, work: Work, scene: Scene) -> dict[str, Gate]:
        untrusted = self._fold(work, scene).untrusted
        tools, place = scene.surroundings.tools, _place(work, scene)
        return await self._gatekeeper.judge(work, tools, place, scene.skills, untrusted)

    async def _make_room(self, work: Work, scene: Scene) -> Finish | None:
        """Cuts the view; an ending when it was too long and there is nothing to cut."""
        fill = self._fold(work, scene).estimate / scene.profile.window
        made = await self._compaction.make_room(work, scene.profile, fill)
        too_long, work.overflow, work.packed = work.overflow, False, not made
        if made or not too_long:
            return None
        return Finish(StopReason.MODEL_FAILURE, "there is nothing left to shorten")

    async def _run_tools(
        self, work: Work, scene: Scene, step: RunTools, gates: dict[str, Gate], live: Live
    ) -> None:
        refused = [Ran(call, synthetic(call, refusal)) for call, refusal in step.close]
        closed = self._runner.advised(refused, work.progress)
        if closed:
            await self._record(work, scene, closed)
        if not step.run:
            return
        live.running(step.run)
        once = [c for c in step.run if self._replay(scene, c) is Replay.ONCE]
        if once:
            intents = [IntentBody(call.id) for call in once]
            await work.write(*intents, durable=True)
        due = _due(work, scene, gates, step.run)
        ran = await self._runner.run(due, scene.surroundings.tools, work.progress)
        await self._record(work, scene, ran)
        live.finished([(r.call, r.result) for r in ran])

    async def _record(self, work: Work, scene: Scene, ran: Sequence[Ran]) -> None:
        """Results, their sends and their line in the record: one transaction."""
        bodies = [body_of(r.result, work.late_approval) for r in ran]
        also: list[Write] = [_as_wanted(work, write) for r in ran for write in r.writes]
        also.extend(_ran_line(work, scene, r) for r in ran if _changes(scene, r))
        plan, writes = plan_mode.progressed(work, [(r.call, r.result) for r in ran])
        turn, chosen = _put_to_work(work, scene, ran)
        await work.write(*bodies, turn=turn, also=(*also, *writes, *chosen))
        work.plan = plan

    def _replay(self, scene: Scene, call: ToolCall) -> Replay:
        tool = scene.surroundings.tools.get(call.name)
        return tool.spec.replay if tool is not None else Replay.SAFE


def _place(work: Work, scene: Scene) -> Place:
    """Where calls of the turn happen, under the skill that is at work by now."""
    turn = work.turn
    return replace(scene.place, skill=scene.skills.usable(turn.skill), stages=turn.stages)


async def _hand_over(work: Work, scene: Scene, step: TransitionSkill) -> None:
    """Lets the next skill take over, in the transaction of the text it goes on with."""
    body = handed_over(scene.skills.skills[step.next], work.turn.skill or "")
    await work.write(body, turn=work.counted(skill=step.next, stages=work.turn.stages + 1))


def _put_to_work(
    work: Work, scene: Scene, ran: Sequence[Ran]
) -> tuple[Turn | None, tuple[Write, ...]]:
    """The row and the writes that make the skill of the newest such call the one at work."""
    chosen = next((r.result.skill for r in reversed(ran) if r.result.skill is not None), None)
    if chosen is None:
        return None, ()
    last = scene.skills.usable(work.turn.skill)
    deeper = last is not None and chosen in last.conditional_next.values()
    # An empty name lays the skill down.
    turn = work.counted(skill=chosen or None, stages=work.turn.stages + deeper)
    return turn, (ChooseSkill(turn.chat, turn.skill, lent=True),)


def _log_verdict(step: Step, progress: Progress, work: Work) -> None:
    """One line a verdict: what follows, why, and what the reply was if it is a new one."""
    reply = progress.reply
    if reply is None or progress.since_reply:
        _LOG.info("step %s: %s", type(step).__name__, step.why, extra=work.tags)
        return
    _LOG.info(
        "step %s: %s; reply of %d calls and %d characters, %s",
        type(step).__name__,
        step.why,
        len(reply.calls),
        len(reply.text),
        reply.finish,
        extra=work.tags,
    )


def _due(work: Work, scene: Scene, gates: dict[str, Gate], calls: Sequence[ToolCall]) -> list[Due]:
    place, steps = _place(work, scene), plan_mode.steps_at_hand(work)
    return [
        Due(
            call,
            _preview(work, gates, call),
            plan_mode.placed(place, steps.get(call.id), scene.skills),
        )
        for call in calls
    ]


def _preview(work: Work, gates: dict[str, Gate], call: ToolCall) -> Preview | None:
    gate = gates.get(call.id)
    if isinstance(gate, Run):
        return gate.preview
    return next((a.preview for a in work.approvals if a.call.id == call.id), None)


def _as_wanted(work: Work, write: Write) -> Write:
    """What a tool sends shows links as the chat wants it."""
    if not isinstance(write, Show) or not work.log.chat.previews:
        return write
    return replace(write, content=replace(write.content, previews=True))


def _changes(scene: Scene, ran: Ran) -> bool:
    tool = scene.surroundings.tools.get(ran.call.name)
    return not ran.result.synthetic and tool is not None and tool.spec.effect is not Effect.READ


def _ran_line(work: Work, scene: Scene, ran: Ran) -> AddAudit:
    details = {
        "turn": work.turn.id,
        "call": ran.call.id,
        "status": ran.result.status.value,
        "arguments": ran.call.canonical,
    }
    person = work.turn.asker
    return AddAudit(work.clock.now(), work.turn.chat, person, "call.ran", ran.call.subject, details)
