"""The loop: reads the log, decides, does one thing, writes it down, and starts the next round."""

import logging
from collections.abc import Mapping, Sequence
from datetime import timedelta

from bot.domain.change import AddAudit, Show, UseRule, Write
from bot.domain.loop.verdict import LoopState, broken_off, decide, rest_due, retry_due
from bot.domain.money.trouble import ModelTrouble, Trouble
from bot.domain.talk.limits import Limits
from bot.domain.talk.message import OutboundKind
from bot.domain.text.visible_text import one_line
from bot.domain.tools.tool import (
    Code,
    Effect,
    Preview,
    Replay,
    Status,
    ToolCall,
    Warrant,
)
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.progress import Progress
from bot.domain.turn.step import (
    Ask,
    CallModel,
    Compact,
    Entrusted,
    Finish,
    Gate,
    Park,
    Run,
    RunTools,
    Step,
    WrapUp,
)
from bot.domain.turn.transcript import IntentBody
from bot.domain.turn.turn import TurnState
from bot.domain.value import frozen, replace
from bot.flow.approvals.asking import Asking
from bot.flow.approvals.outcomes import outcomes
from bot.flow.approvals.ruled import reads_unasked
from bot.flow.log.closing import body_of, synthetic
from bot.flow.log.companions import Companions
from bot.flow.log.foreign_addresses import as_wanted
from bot.flow.log.request_view import ViewFold
from bot.flow.log.work import Work
from bot.flow.models.compaction import Compaction
from bot.flow.signs.newest_state import Live
from bot.flow.turn.gatekeeper import Gatekeeper
from bot.flow.turn.grounds import Outside
from bot.flow.turn.replies import Replies
from bot.flow.turn.scene import Outlook, Scene
from bot.flow.turn.tool_runner import Due, Ran, ToolRunner
from bot.ports.tool import Tool

_LOG = logging.getLogger(__name__)

_LONGEST_RULED = 200
"""Characters of a line about a call that a standing rule let run."""


@frozen
class ToolLoop:
    """Carries one turn forward until it finishes or waits for a person."""

    _replies: Replies
    _runner: ToolRunner
    _gatekeeper: Gatekeeper
    _asking: Asking
    _compaction: Compaction
    _companions: Companions
    _limits: Limits

    def broken_off(self, work: Work) -> Finish | None:
        """Returns the end of a turn that a person stopped, or that failed after its last rest."""
        return broken_off(work.turn, self._limits)

    def rest_due(self, work: Work) -> timedelta | None:
        """The rest that a turn needs before it can be tried again."""
        return rest_due(work.turn, self._limits)

    def retry_due(self, work: Work, ending: Finish) -> timedelta | None:
        """The rest of a turn that no model could serve, before it is tried again."""
        return retry_due(work.progress, ending, self._limits)

    async def advance(self, work: Work, scene: Scene, live: Live) -> Finish | None:
        """Does step after step; returns the ending, or None when the turn is parked."""
        outlook = Outlook(scene)
        while True:
            step, gates = await self._decided(work, outlook)
            scene, ending = outlook.scene, None
            match step:
                case CallModel() | WrapUp():
                    with work.start.step():
                        outlook, ending = await self._replies.next(work, outlook, step, live)
                case RunTools():
                    await self._run_tools(work, scene, step, gates, live)
                case Ask():
                    cards = await self._asking.ask(work, step.calls, gates)
                    work.approvals = (*work.approvals, *cards)
                case Compact():
                    with work.start.step():
                        outlook, ending = await self._make_room(work, outlook)
                case Park():
                    await self._park(work)
                    return None
                case Finish():
                    return step
                case _:
                    tools = scene.preamble.tools
                    live.note(await self._companions.carry_out(work, step, gates, tools))
            if ending is not None:
                return ending

    async def _park(self, work: Work) -> None:
        late = await self._companions.parked(work)
        await work.write(turn=work.counted(state=TurnState.PARKED), also=late)

    async def _decided(self, work: Work, outlook: Outlook) -> tuple[Step, dict[str, Gate]]:
        """Returns the next step and the gates.

        A reply held back for the settlement is written when the next step is not the settlement.
        """
        calls = work.progress.open_calls
        gates = await self._gates(work, outlook.scene) if calls else {}
        state = await self._state(work, outlook, gates)
        step = decide(state)
        _log_verdict(step, state.progress, work)
        # A companion writes the held reply together with its own part of the step.
        if not isinstance(step, Finish | Entrusted):
            await work.release()
        return step, gates

    async def _state(self, work: Work, outlook: Outlook, gates: dict[str, Gate]) -> LoopState:
        scene = outlook.scene
        fill = self._fold(work, scene).estimate / scene.profile.window
        doubted = None if scene.profile.trusted else frozenset(scene.preamble.tools)
        state = LoopState(
            work.progress,
            self._limits,
            gates,
            fill,
            outlook.overflow,
            outlook.packed,
            doubted=doubted,
        )
        return await self._companions.state(work, state)

    def _fold(self, work: Work, scene: Scene) -> ViewFold:
        return scene.fold(work.log, self._limits.images_in_view)

    async def _gates(self, work: Work, scene: Scene) -> dict[str, Gate]:
        fold, asker = self._fold(work, scene), work.turn.asker
        lasting = work.turn.mandate.foreign
        source = fold.untrusted_for(asker) or lasting
        origins = () if lasting else fold.origins_for(asker)
        outside = Outside(source, origins, not lasting) if source else None
        tools = await self._known(work, scene)
        return await self._gatekeeper.judge(work, tools, scene.place, outside)

    async def _known(self, work: Work, scene: Scene) -> Mapping[str, Tool]:
        """Returns the tools that calls are judged by; one that only asks must have been offered.

        Its open card stays open, whatever was decided meanwhile.
        """
        tools = scene.preamble.tools
        new = {one.call.name for one in work.progress.open_calls if one.approval is None}
        asking = {name for name in new if name in tools and tools[name].spec.switches}
        if not asking:
            return tools
        asking -= {spec.name for spec in (await self._replies.offered(work, scene)).offered}
        return {name: tool for name, tool in tools.items() if name not in asking}

    async def _make_room(self, work: Work, outlook: Outlook) -> tuple[Outlook, Finish | None]:
        """Cuts the view; returns an ending when it was too long and nothing is left to cut."""
        scene = outlook.scene
        fill = self._fold(work, scene).estimate / scene.profile.window
        made = await self._compaction.make_room(work, scene.profile, fill)
        after = replace(outlook, overflow=False, packed=not made)
        if made or not outlook.overflow:
            return after, None
        trouble = ModelTrouble(Trouble.TOO_LONG, scene.profile.key)
        told = "there is nothing left to shorten"
        return after, Finish(StopReason.MODEL_FAILURE, told, trouble=trouble)

    async def _run_tools(
        self, work: Work, scene: Scene, step: RunTools, gates: dict[str, Gate], live: Live
    ) -> None:
        refused = [Ran(call, synthetic(call, refusal)) for call, refusal in step.close]
        closed = self._runner.advised(refused, work.progress)
        if closed:
            await self._record(work, scene, closed)
            _tell_failed(closed, live)
        if not step.run:
            return
        due = [self._due(work, scene, gates, call) for call in step.run]
        live.running(step.run, {d.call.id: d.preview.subject for d in due if d.preview})
        once = [c for c in step.run if self._replay(scene, c) is Replay.ONCE]
        if once:
            intents = [IntentBody(call.id) for call in once]
            await work.write(*intents, durable=True)
        with work.start.step():
            ran = await self._runner.run(due, scene.preamble.tools, work.progress)
        judged = [gates.get(one.call.id) for one in ran]
        ran = [_warranted(one, gate) for one, gate in zip(ran, judged, strict=True)]
        unasked = any(isinstance(gate, Run) and gate.warrant is Warrant.LOOKS for gate in judged)
        shown = (reads_unasked(work),) if unasked else ()
        rules = [gate.rule for gate in judged if isinstance(gate, Run) and gate.rule]
        await self._record(work, scene, ran, (*shown, *map(UseRule, rules)))
        live.finished([(r.call, r.result) for r in ran])

    async def _record(
        self, work: Work, scene: Scene, ran: Sequence[Ran], beside: Sequence[Write] = ()
    ) -> None:
        """Writes results, their sends and their lines in the record in one transaction."""
        bodies = [body_of(r.result, work.late_approval) for r in ran]
        also: list[Write] = [_as_wanted(work, write) for r in ran for write in r.writes]
        also.extend(beside)
        also.extend(_ran_line(work, scene, r) for r in ran if _changes(scene, r))
        told = [(r.call, r.result) for r in ran]
        part = await self._companions.after_results(work, work.counted(), told)
        also.extend(outcomes(work, told, _told_in(part.writes)))
        await work.write(*bodies, *part.bodies, turn=part.turn, also=(*also, *part.writes))

    def _due(self, work: Work, scene: Scene, gates: Mapping[str, Gate], call: ToolCall) -> Due:
        here = self._companions.placed(work, scene.place, call)
        return Due(call, _preview(work, gates, call), here)

    def _replay(self, scene: Scene, call: ToolCall) -> Replay:
        tool = scene.preamble.tools.get(call.name)
        return tool.spec.replay if tool is not None else Replay.SAFE


def _log_verdict(step: Step, progress: Progress, work: Work) -> None:
    """Logs each verdict for developers: the step, its reason, and the reply if it is new."""
    reply = progress.reply
    if reply is None or progress.since_reply:
        _LOG.debug("step %s: %s", type(step).__name__, step.why, extra=work.tags)
        return
    _LOG.debug(
        "step %s: %s; reply of %d calls and %d characters, %s",
        type(step).__name__,
        step.why,
        len(reply.calls),
        len(reply.text),
        reply.finish,
        extra=work.tags,
    )


def _preview(work: Work, gates: Mapping[str, Gate], call: ToolCall) -> Preview | None:
    gate = gates.get(call.id)
    if isinstance(gate, Run):
        return gate.preview
    card = next((c.approval for c in work.progress.open_calls if c.call.id == call.id), None)
    return None if card is None else card.preview


def _warranted(ran: Ran, gate: Gate | None) -> Ran:
    """Adds why a call could run; one without a gate of its own ran by its card.

    Of a call that a standing rule let run, a person is told once it has succeeded.
    """
    if not isinstance(gate, Run):
        return replace(ran, result=replace(ran.result, warrant=Warrant.CARD))
    result = replace(ran.result, warrant=gate.warrant)
    if gate.preview is None or not gate.allowed or result.status is not Status.SUCCESS:
        return replace(ran, result=result)
    told = f"{gate.preview.outcome}, {gate.allowed}"
    return replace(ran, result=replace(result, ruled=one_line(told, _LONGEST_RULED)))


def _tell_failed(closed: Sequence[Ran], live: Live) -> None:
    """Shows calls of which a first look told already that they fail, as those that ran are."""
    failed = [(r.call, r.result) for r in closed if r.result.code is Code.ERROR]
    if failed:
        live.running([call for call, _ in failed])
        live.finished(failed)


def _as_wanted(work: Work, write: Write) -> Write:
    """Returns a message that a tool sends as people may see it; any other write as it is."""
    shows = isinstance(write, Show)
    return replace(write, content=as_wanted(work, write.content)) if shows else write


def _told_in(writes: Sequence[Write]) -> int | None:
    """Returns the chat in which these writes show what tools told, if they do."""
    shown = (write for write in writes if isinstance(write, Show))
    return next((one.chat for one in shown if one.content.kind is OutboundKind.CALLS), None)


def _changes(scene: Scene, ran: Ran) -> bool:
    tool = scene.preamble.tools.get(ran.call.name)
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
