"""Begins the next tries of calls whose run failed, when their time comes."""

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bot.domain.assignments.hook import HookCall
from bot.domain.assignments.task import RunState, is_due
from bot.domain.change import Change, SaveHookCall, SaveTurn
from bot.domain.talk.errors import Conflict, NoSuchChat, StoreError
from bot.domain.turn.turn import ACCESS_ENDED, BOT_GONE, Turn
from bot.flow.hooks.runs import turn_for
from bot.ports.clock import Clock
from bot.ports.hooks import CallTimes
from bot.ports.journal import Journal
from bot.ports.lanes import Lanes
from bot.ports.people import People
from bot.ports.turns import TurnRows

_LOG = logging.getLogger(__name__)

LONGEST_NAP = 20.0
"""Seconds between two looks: the clock may have been set meanwhile."""

_BATCH = 100
_NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(slots=True, eq=False)
class HookTries:
    """Sleeps until the next try; the rows are the truth, so a restart loses none."""

    _calls: CallTimes
    _turns: TurnRows
    _people: People
    _journal: Journal
    _clock: Clock
    _changed: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    def failed(self) -> None:
        """Notes that a run failed and is tried again."""
        self._changed.set()

    async def run(self, lanes: Lanes) -> None:
        """Works until it is cancelled; a store that fails is tried again."""
        while True:
            self._changed.clear()
            try:
                nap = await self._begun(lanes)
            except StoreError as fault:
                _LOG.warning("calls of hooks have to wait: %s", fault)
                nap = 1.0
            if nap > 0:
                await self._clock.until(self._changed, nap)

    async def _begun(self, lanes: Lanes) -> float:
        """Begins the tries that are due, a batch at most; returns the seconds to the next."""
        now = self._clock.now()
        for call in await self._calls.again(_NEVER, _BATCH):
            if not is_due(call.again_at, now):
                continue
            try:
                await self._begin(call, lanes)
            except Conflict as fault:
                _LOG.info("call %s was taken by somebody else (%s)", call.id, fault)
        coming = await self._calls.next_try()
        if coming is None:
            return LONGEST_NAP
        left = (coming - self._clock.now()).total_seconds()
        return min(max(left, 0.0), LONGEST_NAP)

    async def _begin(self, call: HookCall, lanes: Lanes) -> None:
        now, last = self._clock.now(), await self._turns.get(call.turn)
        if last is None or not await self._has_access(last):
            await self._end(call, ACCESS_ENDED, now)
            return
        next_try = call.tried()
        turn = turn_for(next_try, last.conversation, last.asker, last.asker_name, now)
        try:
            await self._journal.commit(Change((SaveHookCall(next_try, call.tries), SaveTurn(turn))))
        except NoSuchChat:
            await self._end(call, BOT_GONE, now)
        else:
            lanes.wake(call.chat)

    async def _end(self, call: HookCall, why: str, now: datetime) -> None:
        over = call.ended(RunState.STOPPED, now, why)
        await self._journal.commit(Change((SaveHookCall(over, call.tries),)))

    async def _has_access(self, last: Turn) -> bool:
        return any(one.id == last.asker for _, one in await self._people.accounts())
