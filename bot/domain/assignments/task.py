"""A task that runs at its times, and its runs."""

import hashlib
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from bot.domain.clock.ahead import is_ahead
from bot.domain.clock.when import Rule
from bot.domain.consent.consent import Consent
from bot.domain.money.money import Nano
from bot.domain.text.visible_text import clipped
from bot.domain.tools.tool import ExactRule, Surroundings, ToolCall
from bot.domain.turn.mandate import Mandate
from bot.domain.value import field, frozen, replace

SCHEDULE_TASK, LIST_TASKS = "schedule_task", "list_tasks"
UPDATE_TASK, CANCEL_TASK = "update_task", "cancel_task"
NOTHING_TO_REPORT = "nothing_to_report"

MOST_WHAT = 4_000
"""Characters of the words of a task."""

LONGEST_NAME = 60
"""Characters of a task or a goal in a list."""

MOST_TASKS = 200
"""Active tasks of one person; a thousand would be a mistake or an attack."""

MOST_LEFT = 400
"""Tasks of one person that are not over, with the paused ones."""

MOST_OVER = 100
"""Tasks of one person that are over and stay in lists."""

FAILED_IN_A_ROW = 3
"""Failed runs after which a task is paused."""

REFLECT_AFTER = 2
"""Failed runs in a row of a goal after which a reflection comes."""

AGAIN_MINUTES = (1, 5, 15)
"""Minutes before each further try of a failed run."""

_LONGEST_PAUSE = timedelta(minutes=max(AGAIN_MINUTES))

LATE_SECONDS = 60
"""Seconds behind its time after which a run counts as late."""

BY_HAND = "a person paused it"
"""The reason of a pause that a person made."""

_PREFIX = "task-"


def is_due(again_at: datetime | None, now: datetime) -> bool:
    """Returns True when the time of a further try has come."""
    return again_at is not None and not is_ahead(again_at, now, _LONGEST_PAUSE)


class TaskState(StrEnum):
    """The state of a task: its times count, they do not, or it has no more of them."""

    ACTIVE = "active"
    PAUSED = "paused"
    DONE = "done"


class Allowed(StrEnum):
    """The rights of the runs of a task: they ask as everybody does, or only read."""

    ASK = "ask"
    READONLY = "readonly"


class Overlap(StrEnum):
    """The treatment of a time that comes before the last run has ended."""

    SKIP = "skip"
    QUEUE = "queue"
    REPLACE = "replace"

    @property
    def told(self) -> str:
        """Returns the sentence that people read about it; empty for the usual treatment."""
        return _OVERLAPS.get(self, "")


_OVERLAPS = {
    Overlap.QUEUE: "A run that comes while one is running waits for it.",
    Overlap.REPLACE: "A run that comes while one is running stops it.",
}


CALLS_DAYS = 90
"""Days for which calls without a card are approved where nobody names a day."""


@frozen
class ApprovedCall:
    """A call that was shown and approved when the task was made."""

    tool: str
    arguments: str
    """The canonical spelling of its arguments."""
    surroundings: Surroundings = field(default_factory=Surroundings)
    """The surroundings that were shown with it."""
    by_owner: bool = field(default=False, compare=False)
    """True when an owner allowed it; else it counts as far as the task's asker may approve it."""

    @property
    def named(self) -> tuple[str, str]:
        """Returns the call alone, in whatever surroundings."""
        return self.tool, self.arguments

    @property
    def consent(self) -> Consent:
        """Returns the consent that was given; each run finds another state."""
        return Consent(self.tool, ExactRule(self.arguments), self.surroundings)


@frozen
class TaskLimits:
    """The most that the runs of a task may take in a day; None means no bound of its own."""

    runs: int | None = None
    rounds: int | None = None
    money: Nano | None = None


@frozen
class TimedTask:
    """Something that is done at its times, in the name of the person who asked for it."""

    id: str
    """Names the task; people type it."""
    chat: int
    """The chat in which it runs and answers."""
    home: int
    """The chat in which it was made."""
    asker: int
    """The person who asked for it."""
    asker_name: str
    """The name of that person."""
    what: str
    """The words that each run gets."""
    said: str
    """The words for its times, as they were written."""
    rule: Rule
    """The times."""
    zone: str
    """The time zone in which the rule counts."""
    created_at: datetime
    """The time it was made."""
    due: datetime | None
    """Its next time; None when there is none."""
    planned_at: datetime
    """The time at which the next time was computed."""
    mandate: Mandate
    """The most that its runs may do: the mandate of the turn that made it, or of a person."""
    state: TaskState = TaskState.ACTIVE
    """The stage of its life."""
    why: str = ""
    """The reason of a pause, for people."""
    version: int = 1
    """Grows with every write."""
    fresh: bool = True
    """True when each run has a conversation of its own."""
    allowed: Allowed = Allowed.ASK
    """The rights of its runs."""
    overlap: Overlap = Overlap.SKIP
    """The treatment of a time that comes before the last run has ended."""
    calls: tuple[ApprovedCall, ...] = ()
    """The calls that run without a card."""
    calls_until: datetime | None = None
    """The end of their approval."""
    limits: TaskLimits = TaskLimits()
    """The bounds of a day."""
    failures: int = 0
    """Failed runs in a row."""
    untrusted: str | None = None
    """The foreign content that was in view when the task was made."""
    goal: str | None = None
    """The goal that it belongs to."""

    @property
    def paces(self) -> bool:
        """Returns True when it gives a goal its pace; such a task is shown with its goal alone."""
        return self.goal == self.id

    @property
    def of_runs(self) -> Mandate:
        """Returns the mandate of a run that begins now."""
        reads = self.allowed is Allowed.READONLY
        return self.mandate.narrowed(readonly=reads, foreign=self.untrusted)

    @property
    def most_failures(self) -> int:
        """Returns the failed runs in a row after which it is paused; a goal reflects before."""
        return FAILED_IN_A_ROW + (REFLECT_AFTER if self.paces else 0)

    @property
    def name(self) -> str:
        """Returns its first words, as people see them in lists."""
        return clipped(" ".join(self.what.split()), LONGEST_NAME)

    def changed(self, **changes: Any) -> "TimedTask":
        """Returns the next version of the task."""
        return replace(self, version=self.version + 1, **changes)

    def dated(self, now: datetime) -> "TimedTask":
        """Returns the task with an end of its approved calls, in case none was named."""
        if not self.calls or self.calls_until is not None:
            return self
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        return replace(self, calls_until=midnight + timedelta(days=CALLS_DAYS))

    def approved(self, call: ToolCall, now: datetime) -> ApprovedCall | None:
        """Returns the approval of exactly this call, while it lasts."""
        if self.calls_until is not None and now >= self.calls_until:
            return None
        named = (call.name, call.canonical)
        return next((one for one in self.calls if one.named == named), None)


class RunState(StrEnum):
    """The state of a run.

    Waiting: for a person's decision. Again: it failed and will be tried again. Silent: it had
    nothing to report. Skipped: it never began, and its reason says why.
    """

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    AGAIN = "again"
    DONE = "done"
    SILENT = "silent"
    FAILED = "failed"
    STOPPED = "stopped"
    SKIPPED = "skipped"


AT_WORK = frozenset({RunState.QUEUED, RunState.RUNNING, RunState.AGAIN})
"""The states of a run that the next time of its task meets; a wait for a person is none."""


@frozen
class TaskRun:
    """One due time of a task; there is never a second run for the same time."""

    task: str
    due: datetime
    turn: str
    """The turn that carries it out; its id derives from the task, the time and the try."""
    chat: int
    at: datetime
    """The time at which it was written."""
    state: RunState = RunState.QUEUED
    late: bool = False
    tries: int = 1
    again_at: datetime | None = None
    """The time of the next try."""
    ended_at: datetime | None = None
    rounds: int = 0
    why: str = ""

    @property
    def turns(self) -> tuple[str, ...]:
        """Returns the ids of the turns of all its tries."""
        return tuple(turn_of(self.task, self.due, n) for n in range(1, self.tries + 1))

    def ended(self, state: RunState, now: datetime, why: str = "", rounds: int = 0) -> "TaskRun":
        rounds += self.rounds
        return replace(self, state=state, ended_at=now, why=why, rounds=rounds, again_at=None)


def turn_of(task: str, due: datetime, tries: int) -> str:
    """Returns the id of the turn for a try of a run: the same on every process."""
    spelled = f"{task} {due.astimezone(UTC).isoformat()} {tries}"
    return f"{_PREFIX}{hashlib.sha256(spelled.encode()).hexdigest()[:16]}"


def task_id(turn: str, call: str) -> str:
    """Returns the id of the task that a call makes: the same when the call is repeated."""
    return hashlib.sha256(f"{turn} {call}".encode()).hexdigest()[:8]


def is_run(turn: str) -> bool:
    """Returns True for the id of a turn that carries out a run."""
    return turn.startswith(_PREFIX)
