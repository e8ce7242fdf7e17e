"""The processor time that recall adds to a whole turn of the program: by words, and by meaning.

Three programs with the same answers take turns: one recalls nothing, one by words, one by words and
meaning. Each round is compared within itself, and another program begins it each time, so that a
machine that grows busy changes all three alike. Counted is the time of the program and of Chroma's
process, by the kernel; the model's and the embedder's are not.

Chroma's index gets the answers of a talk sixteen at a time, so the cost after an answer is a mean
over whole sixteens. That of a lone answer, which the index gets when nothing else came, is a row of
its own.
"""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import psutil

from benchmarks.figure import Figure, median
from benchmarks.memory import Talk, fill
from benchmarks.process import MeasuredProcess
from benchmarks.scale import Scale
from benchmarks.stage import Stage, stage
from bot.adapters.sql.store import open_store
from bot.domain.talk.message import Address
from tests.standins.bot_api import Person
from tests.standins.embeddings import Embeddings, settings_for
from tests.standins.serving import serving

_READY_SECONDS = 600
_LOOK_SECONDS = 0.1
_TOGETHER = 16
"""Answers that the index gets at once when they come one after another."""
_TIMES = 5
_TIMES_QUICK = 1
_MANY = 1_000
"""Answers from which a measurement is no quick one."""
_LONE = 6
_NOTHING = {"STEWARD_RECALL_TOKENS": "0"}
_WORDS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class _Cost:
    """The processor time of a turn in ms."""

    until_answer: float
    index: float
    """The part of it that Chroma's process took."""
    after: float


@dataclass(frozen=True, slots=True)
class _Contestant:
    """A program with its answers, what it is asked, and Chroma's process if it has one."""

    stage: Stage
    person: Person
    process: MeasuredProcess
    questions: Sequence[str]
    index: MeasuredProcess | None = None

    async def lone_turn(self, number: int) -> float:
        """Returns the cost after the answer until every index has it."""
        await self._at_rest()
        await self.stage.turn(self.person, self.questions[number % len(self.questions)])
        answered = self._spent()
        await meant(self.stage.folder / "data" / "steward.db")
        await self._at_rest()
        return self._spent() - answered

    async def turn(self, number: int) -> _Cost:
        await self._at_rest()
        before, index = self._spent(), self._index_spent()
        await self.stage.turn(self.person, self.questions[number % len(self.questions)])
        answered, searched = self._spent(), self._index_spent()
        await self._at_rest()
        return _Cost(answered - before, searched - index, self._spent() - answered)

    async def _at_rest(self) -> None:
        await self.process.at_rest()
        if self.index is not None:
            await self.index.at_rest()
            await self.process.at_rest()

    def _spent(self) -> float:
        return self.process.cpu_ms() + self._index_spent()

    def _index_spent(self) -> float:
        return 0.0 if self.index is None else self.index.cpu_ms()


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    async with AsyncExitStack() as stack:
        embedder = await stack.enter_async_context(serving(Embeddings().app))
        by_meaning = settings_for(embedder)
        kinds = {"nothing": _NOTHING, "words": _WORDS, "meaning": by_meaning}
        running = [
            await stack.enter_async_context(_running(folder / name, settings, scale.answers))
            for name, settings in kinds.items()
        ]
        times = _TIMES if scale.answers >= _MANY else _TIMES_QUICK
        rounds = [await _round(running, n) for n in range((times + 1) * _TOGETHER)]
        lone = [await running[-1].lone_turn(n) for n in range(_LONE)]
    for figure in _figures(rounds[_TOGETHER:], scale.answers):
        yield figure
    name = "… a lone answer, once nothing else came: to index it by words and there"
    yield Figure(name, median(lone), "ms")


async def _round(running: Sequence[_Contestant], number: int) -> Sequence[_Cost]:
    """Lets each program answer once; returns the costs in the order of the programs."""
    costs = dict[int, _Cost]()
    for turn in range(len(running)):
        one = (number + turn) % len(running)
        costs[one] = await running[one].turn(number)
    return [costs[one] for one in range(len(running))]


def _figures(rounds: Sequence[Sequence[_Cost]], answers: int) -> Iterator[Figure]:
    """Returns the figures of rounds with nothing, with words, and with words and meaning."""

    def more(of: Callable[[_Cost], float], program: int) -> float:
        return median([of(costs[program]) - of(costs[0]) for costs in rounds])

    def after(program: int) -> float:
        return fmean(costs[program].after - costs[0].after for costs in rounds)

    whole = [costs[0].until_answer + costs[0].after for costs in rounds]
    name = f"A turn without recall among {answers:,} answers: processor time"
    yield Figure(name, median(whole), "ms")
    words = more(lambda cost: cost.until_answer, 1) + after(1)
    yield Figure("… more with recall by words", words, "ms", aim="≤ 3 ms")
    until = more(lambda cost: cost.until_answer, 2)
    name = "… more with Chroma and an embedder that answers at once"
    yield Figure(name, until + after(2), "ms", aim="≤ 8 ms")
    yield Figure("… of which until the answer", until, "ms")
    yield Figure("… of which Chroma's process until then", more(lambda cost: cost.index, 2), "ms")
    name = "… of which after it, for each of sixteen that are indexed at once"
    yield Figure(name, after(2), "ms")


@asynccontextmanager
async def _running(
    folder: Path, settings: Mapping[str, str], answers: int
) -> AsyncGenerator[_Contestant]:
    async with stage(folder) as on:
        [person] = on.people(1)
        async with on.steward([person]):
            await on.turn(person)
        database = folder / "data" / "steward.db"
        questions = await filled(database, person, answers)
        async with on.steward([person], settings) as process:
            index = None
            if "STEWARD_EMBED_URL" in settings:
                await meant(database)
                index = chroma_of(process)
            yield _Contestant(on, person, process, questions, index)


async def filled(database: Path, person: Person, answers: int) -> Sequence[str]:
    """Keeps answers of the person; returns questions about what was told."""
    async with open_store(f"sqlite:///{database}") as store:
        chat = await store.chats.at(Address("telegram", str(person.id)), private=True)
        told, _ = await fill(store, chat.id, Talk(), answers)
    return [fact.question for fact in told]


async def meant(database: Path) -> None:
    """Waits until the index of meaning has every answer."""
    async with asyncio.timeout(_READY_SECONDS):
        # Nobody tells what another process writes into its files.
        while _owed(database):
            await asyncio.sleep(_LOOK_SECONDS)


def _owed(database: Path) -> int:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        (owed,) = connection.execute("SELECT count(*) FROM passage WHERE NOT meant").fetchone()
    return owed


def chroma_of(process: MeasuredProcess) -> MeasuredProcess:
    found = [
        child.pid
        for child in psutil.Process(process.pid).children(recursive=True)
        if "bot.adapters.chroma.child" in " ".join(child.cmdline())
    ]
    return MeasuredProcess(found[0], process.started)
