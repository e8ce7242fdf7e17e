"""Tasks and runs in memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from bot.domain.money import Nano
from bot.domain.task import AT_WORK, RunState, TaskRun, TaskState, TimedTask

if TYPE_CHECKING:
    from tests.fakes.store_rows import Rows


@dataclass(frozen=True, slots=True)
class MemoryScheduled:
    rows: "Rows"

    async def get(self, task: str) -> TimedTask | None:
        return self.rows.tasks.get(task)

    async def of_chat(self, chat: int, limit: int, skip: int = 0) -> Sequence[TimedTask]:
        found = [one for one in self._by_age() if chat in (one.chat, one.home) and not one.paces]
        return found[skip : skip + limit]

    async def of_person(self, person: int) -> Sequence[TimedTask]:
        return [one for one in self._by_age() if one.asker == person]

    async def due(self, now: datetime, limit: int) -> Sequence[TimedTask]:
        found = [(one.due, one.id, one) for one in self._active() if one.due is not None]
        return [one for at, _, one in sorted(found, key=lambda f: f[:2]) if at <= now][:limit]

    async def again(self, now: datetime, limit: int) -> Sequence[TaskRun]:
        found = [(one.again_at, one.task, one) for one in self._tried_again()]
        ready = [(at, id, one) for at, id, one in found if at is not None and at <= now]
        return [one for _, _, one in sorted(ready, key=lambda f: f[:2])][:limit]

    async def next_at(self) -> datetime | None:
        times = [one.due for one in self._active()] + [one.again_at for one in self._tried_again()]
        return min((at for at in times if at is not None), default=None)

    async def ahead(self, now: datetime) -> Sequence[TimedTask]:
        found = [one for one in self._active() if one.due is not None and one.planned_at > now]
        return sorted(found, key=lambda one: one.id)

    async def run_of(self, turn: str) -> tuple[TaskRun, TimedTask] | None:
        run = next((one for one in self.rows.runs.values() if one.turn == turn), None)
        return None if run is None else (run, self.rows.tasks[run.task])

    async def runs(self, task: str, since: datetime) -> Sequence[TaskRun]:
        open_states = (*AT_WORK, RunState.WAITING)
        found = [
            one
            for one in self.rows.runs.values()
            if one.task == task and (one.at >= since or one.state in open_states)
        ]
        return sorted(found, key=lambda one: one.at)

    async def last(self, task: str) -> TaskRun | None:
        found = [one for one in self.rows.runs.values() if one.task == task]
        return max(found, key=lambda one: (one.at, one.due), default=None)

    async def spent(self, turns: Sequence[str]) -> Nano:
        return sum(u.cost or 0 for u in self.rows.usage.values() if u.cause.turn in turns)

    def _by_age(self) -> Sequence[TimedTask]:
        return sorted(self.rows.tasks.values(), key=lambda one: (one.created_at, one.id))

    def _active(self) -> Sequence[TimedTask]:
        return [one for one in self.rows.tasks.values() if one.state is TaskState.ACTIVE]

    def _tried_again(self) -> Sequence[TaskRun]:
        return [one for one in self.rows.runs.values() if one.state is RunState.AGAIN]
