"""Ten thousand tasks: their cost at the start and at rest, the delay and the cost of runs."""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import copytree

from benchmarks.figure import Figure, median
from benchmarks.process import MeasuredProcess
from benchmarks.scale import Scale
from benchmarks.stage import Stage, stage
from bot.adapters.sql.store import open_store
from bot.domain.assignments.task import TimedTask
from bot.domain.change import Change, SaveTask
from bot.domain.clock.when import Cron, Once, Rule
from bot.domain.talk.message import Address
from bot.domain.talk.person import Role, Sender
from bot.domain.turn.mandate import PERSONAL
from tests.standins.bot_api import Person

_AT_ONCE = 100
_BATCH = 500
_LEAD = timedelta(seconds=25)
"""The time from the writing of tasks to their due time: longer than the longest nap."""

_WAVES = 3
_STARTS = 3
_WITHOUT = "without"
"""The home of the starts without tasks: a copy of the other one, made before they were added."""

_LATER = timedelta(days=200)
_LOOKS_AFTER_START = 50


@dataclass(frozen=True, slots=True)
class _Life:
    """One start: the seconds and the processor time to its first poll, and its share at rest."""

    start: float
    begun: float
    """Milliseconds of processor time."""
    share: float
    """The share of a core in percent."""


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    async with stage(folder) as on:
        people = on.people(min(_AT_ONCE, scale.tasks))
        database = folder / "data" / "steward.db"
        async with on.steward(people) as process:
            await on.turn(people[0])
        copytree(folder / "data", folder / _WITHOUT)
        await _write(database, people, scale.tasks, Cron("0", "9"), _LATER)
        few, many = await _lives(on, people, scale)
        async with on.steward(people) as process:
            turns, runs = await _waves(on, people, process, database)
    tasks = f"{scale.tasks:,} tasks"
    yield Figure(f"{tasks}: start to the first poll", many.start, "s", aim="≤ 1 s more")
    yield Figure("… without them, in turn with it", few.start, "s")
    yield Figure("… processor time to the first poll", many.begun, "ms")
    yield Figure("… without them, in turn with it", few.begun, "ms")
    yield Figure(f"{tasks}: processor at rest", many.share, "% of a core", aim="≤ 0.5 % more")
    yield Figure("… without them", few.share, "% of a core")
    late = _late(database)
    yield Figure(f"{len(people)} due at once: delay, p99", late, "ms", aim="≤ 1,000 ms")
    yield Figure("… processor time of a run", runs, "ms")
    yield Figure("… of a turn by a message, in turn with them", turns, "ms")
    yield Figure("A run costs beyond a turn", runs - turns, "ms", aim="≤ 3 ms")


async def _lives(on: Stage, people: Sequence[Person], scale: Scale) -> tuple[_Life, _Life]:
    """Returns the medians of several starts without and with tasks, which take turns."""
    homes: tuple[tuple[str, list[_Life]], ...] = ((_WITHOUT, []), ("data", []))
    for _ in range(_STARTS):
        for home, lives in homes:
            async with on.steward(people, {"STEWARD_HOME": home}) as process:
                lives.append(await _life(on, process, scale))
    few, many = (_median(lives) for _, lives in homes)
    return few, many


def _median(lives: Sequence[_Life]) -> _Life:
    return _Life(
        median([one.start for one in lives]),
        median([one.begun for one in lives]),
        median([one.share for one in lives]),
    )


async def _life(on: Stage, process: MeasuredProcess, scale: Scale) -> _Life:
    cpu = process.cpu_ms()
    start = await on.polled(process)
    await process.at_rest(_LOOKS_AFTER_START)
    before, begun = process.cpu_ms(), time.monotonic()
    await asyncio.sleep(scale.rest_seconds)
    seconds = time.monotonic() - begun
    return _Life(start, cpu, (process.cpu_ms() - before) / seconds / 10)


async def _burst(on: Stage, people: Sequence[Person], process: MeasuredProcess) -> float:
    """Lets all write at once; returns the processor time of each turn in milliseconds."""
    since = len(on.bot_api.calls)
    for person in people:
        on.bot_api.say(person, "Hello")
    await on.answers(len(people), since)
    await process.at_rest()
    since, before = len(on.bot_api.calls), process.cpu_ms()
    for person in people:
        on.bot_api.say(person, "What time is it?")
    await on.answers(len(people), since)
    await process.at_rest()
    return (process.cpu_ms() - before) / len(people)


async def _waves(
    on: Stage, people: Sequence[Person], process: MeasuredProcess, database: Path
) -> tuple[float, float]:
    """Lets all write, and all tasks run, in turn; returns the processor time of one of each."""
    turns: list[float] = []
    runs: list[float] = []
    for wave in range(_WAVES):
        turns.append(await _burst(on, people, process))
        # The program is asleep, and sees them when it looks at its clock the next time.
        await _write(database, people, len(people), None, _LEAD + timedelta(seconds=wave))
        since, before = len(on.bot_api.calls), process.cpu_ms()
        await on.answers(len(people), since)
        await process.at_rest()
        runs.append((process.cpu_ms() - before) / len(people))
    return median(turns), median(runs)


async def _write(
    database: Path, people: Sequence[Person], count: int, rule: Rule | None, due: timedelta
) -> None:
    """Adds tasks of these people to the database of a program that does not run."""
    async with open_store(f"sqlite:///{database}") as store:
        homes = [
            await store.chats.at(Address("telegram", str(one.id)), private=True) for one in people
        ]
        asker = await store.people.admit(Sender("telegram", str(people[0].id), ""), Role.OWNER)
        now = datetime.now(UTC)
        tasks = [
            TimedTask(
                id=f"{int(due.total_seconds())}-{n}",
                chat=homes[n % len(homes)].id,
                home=homes[n % len(homes)].id,
                asker=asker.id,
                asker_name=asker.name,
                mandate=PERSONAL,
                what="What time is it?",
                said="now",
                rule=rule or Once(now + due),
                zone="UTC",
                created_at=now,
                due=now + due,
                planned_at=now,
            )
            for n in range(count)
        ]
        for first in range(0, count, _BATCH):
            batch = tuple(map(SaveTask, tasks[first : first + _BATCH]))
            await store.journal.commit(Change(batch))


def _late(database: Path) -> float:
    """Returns the delay in milliseconds that one run in a hundred passes."""
    spelled = "SELECT (julianday(at) - julianday(due)) * 86400000 FROM run"
    with closing(sqlite3.connect(database)) as connection:
        delays = sorted(delay for (delay,) in connection.execute(spelled))
    return delays[int(0.99 * (len(delays) - 1))]
