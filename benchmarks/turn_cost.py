"""The cost of a turn as its history grows: processor time, wall time, memory."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figure import Figure, median
from benchmarks.process import MeasuredProcess
from benchmarks.scale import Scale
from benchmarks.stage import QUESTION, Stage, stage
from tests.standins.bot_api import Person


@dataclass(frozen=True, slots=True)
class Contestant:
    """A bot, its process, and the one person who talks to it."""

    stage: Stage
    process: MeasuredProcess
    person: Person

    async def turn(self, text: str = QUESTION) -> None:
        await self.stage.turn(self.person, text)

    async def measured(self, text: str = QUESTION) -> tuple[float, float]:
        """Returns processor and wall time of one turn in ms, with the work after its answer."""
        await self.process.at_rest()
        before = self.process.cpu_ms()
        wall = await self.stage.turn(self.person, text)
        await self.process.at_rest()
        return self.process.cpu_ms() - before, wall


@dataclass(frozen=True, slots=True)
class _Costs:
    """Medians around one turn, of the program and of the floor."""

    cpu: float
    wall: float
    bare_cpu: float
    bare_wall: float

    @property
    def ours(self) -> float:
        return self.cpu - self.bare_cpu


@asynccontextmanager
async def opened(folder: Path, database_url: str | None = None) -> AsyncGenerator[Contestant]:
    """Runs the program on a stage of its own, on a SQLite file unless another database is named."""
    changes = {} if database_url is None else {"STEWARD_DATABASE_URL": database_url}
    async with stage(folder) as on:
        [person] = on.people(1)
        async with on.steward([person], changes) as process:
            yield Contestant(on, process, person)


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    async with stage(folder / "steward") as on, stage(folder / "bare") as bare_on:
        [person], [bare_person] = on.people(1), bare_on.people(1)
        new_database = await _first_answer(on, person)
        async with on.steward([person]) as process, bare_on.bare_bot() as bare_process:
            ours = Contestant(on, process, person)
            floor = Contestant(bare_on, bare_process, bare_person)
            async for figure in _compared(ours, floor, scale):
                yield figure
    yield Figure("… after the first answer on a new database", new_database, "MB")


async def _compared(ours: Contestant, floor: Contestant, scale: Scale) -> AsyncIterator[Figure]:
    await ours.turn()
    await floor.turn()
    await ours.process.at_rest()
    yield _resident("Resident after the first answer", ours, floor, "≤ 40 MB over")
    done, costs = 1, list[_Costs]()
    for turn in scale.windows:
        last = turn + scale.around // 2 if turn != scale.windows[-1] else turn
        for _ in range(last - scale.around - done):
            await ours.turn()
            await floor.turn()
        costs.append(await _around(ours, floor, scale.around))
        done = last
        for figure in _at(turn, costs[-1], first=len(costs) == 1):
            yield figure
    for figure in _growth(scale.windows, costs):
        yield figure
    yield _resident(f"Resident after {scale.windows[-1]:,} turns", ours, floor, "≤ 55 MB over")


async def _around(ours: Contestant, floor: Contestant, turns: int) -> _Costs:
    """Alternates with the floor, so that a busy moment of the machine affects both."""
    mine, bare = list[tuple[float, float]](), list[tuple[float, float]]()
    for _ in range(turns):
        mine.append(await ours.measured())
        bare.append(await floor.measured())
    return _Costs(
        cpu=median(cpu for cpu, _ in mine),
        wall=median(wall for _, wall in mine),
        bare_cpu=median(cpu for cpu, _ in bare),
        bare_wall=median(wall for _, wall in bare),
    )


def _at(turn: int, costs: _Costs, *, first: bool) -> tuple[Figure, Figure]:
    cpu, wall = ("≤ 15 ms", "≤ 50 ms over") if first else ("", "")
    return (
        Figure(f"Turn {turn:,}: processor time", costs.cpu, "ms", costs.bare_cpu, cpu),
        Figure(f"Turn {turn:,}: message to answer", costs.wall, "ms", costs.bare_wall, wall),
    )


def _growth(windows: Sequence[int], costs: Sequence[_Costs]) -> tuple[Figure, Figure]:
    """Compares the last window with the first; our part is the time beyond the bare SDKs.

    The SDKs check the whole history at every call, and the program does not. So with a long history
    our part can fall below zero.
    """
    first, last = costs[0], costs[-1]
    name = f"Turn {windows[-1]:,}: our part of the processor time"
    aim = f"≤ {1.2 * first.ours:.1f} ms: 1.2 × turn {windows[0]}"
    against = f"Turn {windows[-1]:,} against turn {windows[0]}: all processor time"
    ratio = Figure(against, last.cpu / first.cpu, "×", last.bare_cpu / first.bare_cpu)
    return Figure(name, last.ours, "ms", aim=aim), ratio


async def _first_answer(on: Stage, person: Person) -> float:
    """Returns the MB after the first answer on a new database, which loads the migrations."""
    async with on.steward([person]) as process:
        await on.turn(person)
        await process.at_rest()
        return process.resident_mb()


def _resident(name: str, ours: Contestant, floor: Contestant, aim: str) -> Figure:
    mine, bare = ours.process.resident_mb(), floor.process.resident_mb()
    return Figure(name, mine, "MB", bare, aim)
