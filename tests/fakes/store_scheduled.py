"""Tasks and runs in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from bot.domain.assignments.task import AT_WORK, RunState, TaskRun, TaskState, TimedTask
from bot.domain.assignments.unwatched import LATE_UNWATCHED
from bot.domain.change import AddRun, DropRuns, DropTask, PauseTasks, SaveRun, SaveTask
from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.money.money import Nano
from bot.domain.talk.errors import Conflict

if TYPE_CHECKING:
    from tests.fakes.store_rows import Rows


@dataclass(frozen=True, slots=True)
class MemoryScheduled:
    rows: "Rows"

    async def get(self, task: str) -> TimedTask | None:
        return self.rows.tasks.get(task)

    async def of_chat(self, chat: int, limit: int, skip: int = 0) -> Sequence[TimedTask]:
        lost = set(self.rows.people) - set(self.rows.accounts.values())
        here = [one for one in self._by_age() if chat in (one.chat, one.home)]
        found = [one for one in here if not one.paces and one.asker not in lost]
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

    async def rounds(self, turns: Sequence[str]) -> int:
        known = self.rows.turns.values()
        sent = {one.id for one in self.rows.errands.values() if one.parent in turns}
        return sum(turn.rounds for turn in known if turn.id in turns or turn.id in sent)

    async def spent(self, turns: Sequence[str]) -> Nano:
        return sum(u.cost or 0 for u in self.rows.usage.values() if u.cause.turn in turns)

    def _by_age(self) -> Sequence[TimedTask]:
        return sorted(self.rows.tasks.values(), key=lambda one: (one.created_at, one.id))

    def _active(self) -> Sequence[TimedTask]:
        return [one for one in self.rows.tasks.values() if one.state is TaskState.ACTIVE]

    def _tried_again(self) -> Sequence[TaskRun]:
        return [one for one in self.rows.runs.values() if one.state is RunState.AGAIN]


def schedule(
    rows: "Rows",
    write: SaveTask | DropTask | DropRuns | PauseTasks | AddRun | SaveRun,
    at: datetime,
) -> None:
    match write:
        case SaveTask(task, expect):
            rows.chat(task.chat)
            known = rows.tasks.get(task.id)
            if (None if known is None else known.version) != expect:
                raise Conflict(f"task {task.id} is not at version {expect}")
            rows.tasks[task.id] = task
        case DropTask(id, keeps_cards):
            rows.tasks.pop(id, None)
            runs = [one for one in rows.runs.values() if one.task == id and not keeps_cards]
            for card in _asked_by(rows, runs):
                rows.approvals[card.id] = replace(card, expires_at=at)
            rows.runs = {key: run for key, run in rows.runs.items() if run.task != id}
        case PauseTasks(chat, why):
            pause(rows, [one for one in rows.tasks.values() if one.chat == chat], why)
        case _:
            _run(rows, write)


def _run(rows: "Rows", write: DropRuns | AddRun | SaveRun) -> None:
    match write:
        case DropRuns():
            _drop_runs(rows, write)
        case AddRun(run):
            if run.task not in rows.tasks or (run.task, run.due) in rows.runs:
                raise Conflict(f"task {run.task} has a run for {run.due}")
            rows.runs[run.task, run.due] = run
        case SaveRun(run):
            if (run.task, run.due) in rows.runs:
                rows.runs[run.task, run.due] = run


def _drop_runs(rows: "Rows", write: DropRuns) -> None:
    runs = [one for one in rows.runs.values() if one.task == write.task]
    beyond = sorted(runs, key=lambda one: one.at, reverse=True)[write.most :]
    for one in runs:
        skipped = one.state is RunState.SKIPPED and one.at < write.skipped_before
        old = one.at < write.before or one in beyond or skipped
        over = one.state not in (*AT_WORK, RunState.WAITING)
        if old and over and not _asked_by(rows, [one]):
            del rows.runs[one.task, one.due]


def _asked_by(rows: "Rows", runs: Sequence[TaskRun]) -> Sequence[Approval]:
    """Returns the open cards of runs, of what followed them later, and of their errands."""
    turns, causes = {one.turn for one in runs}, dict[str, str]()
    cards = rows.approvals.values()
    causes |= {one.id: one.turn for one in cards}
    causes |= {one.id: one.parent for one in rows.errands.values()}
    for _ in causes:
        turns |= {f"{LATE_UNWATCHED}{id}" for id, turn in causes.items() if turn in turns}
    turns |= {one.id for one in rows.errands.values() if one.parent in turns}
    return [one for one in cards if one.turn in turns and one.state is ApprovalState.OPEN]


def pause(rows: "Rows", tasks: Sequence[TimedTask], why: str) -> None:
    for one in tasks:
        if one.state is TaskState.ACTIVE:
            rows.tasks[one.id] = one.changed(state=TaskState.PAUSED, why=why)
