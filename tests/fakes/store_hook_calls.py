"""Calls of hooks in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from bot.domain.assignments.hook import CALLS_KEPT, HookCall
from bot.domain.assignments.task import RunState
from bot.domain.change import AddHookCall, EndTries, SaveHookCall
from bot.domain.talk.errors import Conflict, Crowded

if TYPE_CHECKING:
    from tests.fakes.store_rows import Rows


@dataclass(frozen=True, slots=True)
class MemoryHookCalls:
    rows: "Rows"

    async def get(self, hook: str, id: str) -> HookCall | None:
        found = self.rows.hook_calls.get(id)
        return found if found is not None and found.hook == hook else None

    async def keyed(self, hook: str, key: str, since: datetime) -> HookCall | None:
        found = (one for one in self._of(hook) if key and one.key == key and one.at >= since)
        return next(found, None)

    async def sealed(self, seal: str, since: datetime) -> HookCall | None:
        calls = self.rows.hook_calls.values()
        return next((one for one in calls if seal and one.seal == seal and one.at >= since), None)

    async def of_turn(self, turn: str) -> HookCall | None:
        return next((one for one in self.rows.hook_calls.values() if one.turn == turn), None)

    async def again(self, now: datetime, limit: int) -> Sequence[HookCall]:
        due = [(at, one.id, one) for at, one in self._tried_again() if at <= now]
        return [one for _, _, one in sorted(due, key=lambda d: d[:2])][:limit]

    async def next_try(self) -> datetime | None:
        return min((at for at, _ in self._tried_again()), default=None)

    def _tried_again(self) -> Sequence[tuple[datetime, HookCall]]:
        calls = self.rows.hook_calls.values()
        return [(one.again_at, one) for one in calls if one.again_at is not None]

    async def last(self, hooks: Sequence[str]) -> Mapping[str, HookCall]:
        newest = {name: max(self._of(name), key=lambda one: one.at, default=None) for name in hooks}
        return {name: one for name, one in newest.items() if one is not None}

    def _of(self, hook: str) -> Sequence[HookCall]:
        return [one for one in self.rows.hook_calls.values() if one.hook == hook]


def write_call(rows: "Rows", write: AddHookCall | SaveHookCall | EndTries, at: datetime) -> None:
    if isinstance(write, EndTries):
        _end_tries(rows, write, at)
        return
    call = write.call
    if isinstance(write, SaveHookCall):
        known = rows.hook_calls.get(call.id)
        waits = known is not None and known.state is RunState.AGAIN
        if write.expect is not None and (known is None or not waits or known.tries != write.expect):
            raise Conflict(f"call {call.id} is not at try {write.expect}")
        if known is not None:
            rows.hook_calls[call.id] = call
        return
    rows.chat(call.chat)
    _count_calls(rows, write)
    _free(rows, call, write.since)
    rows.hook_calls[call.id] = call
    for one in [o for o in rows.hook_calls.values() if o.hook == call.hook]:
        if one.ended_at is not None and one.at < call.at - CALLS_KEPT:
            del rows.hook_calls[one.id]


def _free(rows: "Rows", call: HookCall, since: datetime) -> None:
    """Frees what the call is known by of calls before a moment; raises Conflict for later ones."""
    for one in [o for o in rows.hook_calls.values() if call.key and o.key == call.key]:
        if one.hook == call.hook and one.at >= since:
            raise Conflict(f"hook {call.hook} has a call with this key")
        if one.hook == call.hook:
            rows.hook_calls[one.id] = replace(one, key="")
    for one in [o for o in rows.hook_calls.values() if call.seal and o.seal == call.seal]:
        if one.at >= since:
            raise Conflict("a call with this signature came before")
        rows.hook_calls[one.id] = replace(one, seal="")


def _end_tries(rows: "Rows", write: EndTries, at: datetime) -> None:
    for one in list(rows.hook_calls.values()):
        if one.chat == write.chat and one.state is RunState.AGAIN:
            rows.hook_calls[one.id] = one.ended(RunState.STOPPED, at, write.why)


def _count_calls(rows: "Rows", write: AddHookCall) -> None:
    call, pace = write.call, write.pace
    if call.id in rows.hook_calls:
        raise Conflict("a row is there already")
    if pace is None:
        return
    ages = [(call.at - one.at, one.hook == call.hook) for one in rows.hook_calls.values()]
    minute = [mine for age, mine in ages if timedelta(0) <= age < timedelta(minutes=1)]
    day = [mine for age, mine in ages if timedelta(0) <= age < timedelta(days=1)]
    if sum(minute) >= pace.each or len(minute) >= pace.all:
        raise Crowded("Too many calls in a minute.", 60.0)
    if sum(day) >= pace.daily:
        raise Crowded("Too many calls in a day.", 3_600.0)
