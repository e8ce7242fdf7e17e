"""A companion of turns that carries out calls of hooks: it opens them and sees how they end."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from weakref import WeakKeyDictionary

from bot.domain.assignments.hook import HookCall
from bot.domain.assignments.hook_words import opening_words
from bot.domain.assignments.task import RunState
from bot.domain.change import SaveHookCall, Write
from bot.domain.loop.contribution import Aside, Briefing, Ended, Share, Stance
from bot.domain.loop.verdict import LoopState
from bot.domain.tools.house import END_CONVERSATION
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.progress import OpenCall
from bot.domain.turn.step import Finish
from bot.domain.turn.turn import Turn, TurnState
from bot.domain.value import field, frozen, replace
from bot.flow.hooks.wording import footer, opened
from bot.flow.log.companion import Companion, Results, by_origin
from bot.flow.log.request_view import ViewFold
from bot.flow.log.work import Work
from bot.flow.schedules.unwatched import (
    FAILED,
    NOT_ITS_OWN,
    next_try,
    reported_nothing,
)
from bot.flow.ways.speakers import Speakers
from bot.ports.hooks import HookCalls
from bot.ports.journal import Agenda
from bot.ports.tool import Tool


@frozen
class HookCompanion:
    """Takes part in the turns of calls alone; it reads nothing but their rows."""

    _calls: HookCalls
    _speakers: Speakers
    _turns: WeakKeyDictionary[Work, HookCall] = field(default_factory=WeakKeyDictionary, init=False)

    @property
    def answers(self) -> Companion:
        return Companion(
            by_origin("hook"),
            taken_up=self.taken_up,
            state=self.state,
            stance=self.stance,
            briefing=self.briefing,
            parked=self.parked,
            ended=self.ended,
            set_aside=self.set_aside,
        )

    async def taken_up(self, work: Work, row: Turn, agenda: Agenda) -> Share:
        call = await self._look(work)
        if call is None:
            return Share(row)
        begun = self._turns[work] = replace(call, state=RunState.RUNNING)
        speaker = await self._speakers.of(work)
        if speaker is None or work.turn.state is not TurnState.QUEUED:
            return Share(row, writes=(SaveHookCall(begun),), purpose=_purpose(call))
        bodies = opened(begun, work.turn, work.log.chat, speaker)
        return Share(row, bodies, (SaveHookCall(begun),), _purpose(call))

    async def _look(self, work: Work) -> HookCall | None:
        if work.turn.origin != "hook":
            return None
        found = await self._calls.of_turn(work.turn.id)
        if found is not None:
            self._turns[work] = found
        return found

    async def state(self, work: Work, state: LoopState) -> LoopState:
        if work.turn.origin != "hook" or work in self._turns:
            return state
        gone = Finish(StopReason.USER_CANCELLED, "its call is not known any more")
        return replace(state, ending=state.ending or gone)

    def stance(self, work: Work, call: OpenCall, tools: Mapping[str, Tool]) -> Stance | None:
        kept = self._turns.get(work)
        ends = kept is not None and kept.fresh and call.call.name == END_CONVERSATION
        return NOT_ITS_OWN if ends else None

    async def briefing(self, work: Work, view: ViewFold) -> Briefing:
        """Hides the growing text: the run may have nothing to report in the end."""
        return Briefing(hidden=work in self._turns)

    async def parked(self, work: Work) -> Sequence[Write]:
        kept = self._turns.get(work)
        if kept is None:
            return ()
        waits = self._turns[work] = replace(kept, state=RunState.WAITING)
        return (SaveHookCall(waits),)

    async def set_aside(self, work: Work) -> Aside:
        call = await self._look(work)
        if call is None:
            return Aside()
        end = call.ended(RunState.DONE, work.clock.now(), "its cards wait for a decision")
        return Aside((SaveHookCall(end),))

    async def ended(self, work: Work, finish: Finish, closed: Results) -> Ended:
        call = await self._look(work)
        if call is None:
            return Ended(silent=work.turn.origin == "hook")
        end = _over(call, work, finish, work.clock.now())
        silent = end.state in (RunState.SILENT, RunState.AGAIN)
        return Ended((SaveHookCall(end),), below=footer(call), silent=silent)


def _purpose(call: HookCall) -> str:
    """Returns what a card of the run says about its reason."""
    return f"hook {call.hook}: {opening_words(call.words)}"


def _over(call: HookCall, work: Work, finish: Finish, now: datetime) -> HookCall:
    """Returns the call at its end, or before its next try."""
    again_at = next_try(finish, call.tries, now)
    if again_at is not None:
        return call.again(again_at, finish.why)
    if finish.stop_reason in FAILED:
        return call.ended(RunState.FAILED, now, finish.why)
    if finish.stop_reason is StopReason.USER_CANCELLED:
        return call.ended(RunState.STOPPED, now, work.turn.stop_asked or "")
    if finish.stop_reason is StopReason.FINAL_ANSWER and reported_nothing(work):
        return call.ended(RunState.SILENT, now)
    return call.ended(RunState.DONE, now)
