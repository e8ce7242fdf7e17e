"""Calls of hooks in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from bot.domain.hook import HookCall

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
