"""The cost of the memory: of a recall, of a search among 100,000 passages, and its fit.

The facts are made: a thing of a kind with a colour, in English, German and Chinese. Some were told,
some changed later, some were never told by anybody.
"""

import asyncio
import random
import time
from array import array
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path

import psutil

from benchmarks.figure import Figure, median
from benchmarks.scale import Scale
from bot.adapters.chroma.vectors import ChromaVectors
from bot.adapters.sql.stemmer import stem
from bot.adapters.sql.store import Store, open_store
from bot.adapters.system_clock import SystemClock
from bot.domain.change import Change, KeepPassage
from bot.domain.memory.fit import ENOUGH
from bot.domain.memory.meaning import Vector
from bot.domain.memory.passage import Passage
from bot.domain.memory.recalled import RECALL_TOKENS, Recipient, told_again
from bot.domain.money.budget import CallKind, Cause
from bot.domain.talk.message import Address
from bot.domain.text.stems import beginnings
from bot.flow.memory.meaning import Meaning
from bot.flow.memory.recall import Recall
from bot.flow.memory.weighing import Weighing
from bot.ports.embedder import Embedded
from tests.fakes.embedder import paid

_FACTS = 300
_SEARCHES = 200
_WORDS = 90
_LONG = 400
"""Words of a long question: 48 of their stems are searched, more than any short one has."""
_SIZE = 384
_VOCABULARY = 20_000
_ME = "p1"
_CAUSE = Cause(CallKind.EMBEDDING, person=1)
_START = datetime(2026, 1, 1, tzinfo=UTC)
_NAMES = ("Ada", "Bo", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ida", "Jo", "Kim", "Lou")
_THINGS = (
    ("bicycle", "Fahrrad", "自行车"),
    ("teapot", "Teekanne", "茶壶"),
    ("violin", "Geige", "小提琴"),
    ("umbrella", "Regenschirm", "雨伞"),
    ("lantern", "Laterne", "灯笼"),
)
_COLOURS = (("green", "grün", "绿色"), ("yellow", "gelb", "黄色"), ("blue", "blau", "蓝色"))
_ASKED = (
    "What colour is {name}'s {thing}?",
    "Welche Farbe hat {thing} von {name}?",
    "{name}的{thing}是什么颜色?",
)
_TOLD = (
    "{name} has bought a {colour} {thing} at the market.",
    "{name} hat auf dem Markt ein Ding gekauft, {thing}, und zwar {colour}.",
    "{name}在市场买了{colour}的{thing}。",
)


@dataclass(frozen=True, slots=True)
class _Fact:
    id: str
    question: str


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    path = folder / "memory.db"
    async with open_store(f"sqlite:///{path}") as store:
        chat = await store.chats.at(Address("telegram", "1"), private=True)
        talk = Talk()
        told, absent = await fill(store, chat.id, talk, 2_000)
        cost = await _recall_cost(store, told)
        yield Figure("Recall among 2,000 answers: processor time", cost, "ms", aim="≤ 3 ms")
        for figure in await _fits(store, told, absent):
            yield figure
        async for figure in _by_meaning(store, told, folder / "meaning"):
            yield figure
        many = scale.many_answers
        await _keep(store, [talk.passage(n, chat.id) for n in range(2_000, many)])
        took = await _searches(store, told, talk)
        name = f"Recall by words among {many:,} answers of one person"
        yield Figure(f"{name}, p95", took, "ms", aim="≤ 30 ms")
        took = await _p95(store, [talk.words(_LONG) for _ in range(_SEARCHES // 4)])
        yield Figure(f"… for questions of {_LONG} words", took, "ms", aim="≤ 30 ms")
        async for figure in _many_by_meaning(store, told, talk, folder / "meaning", many):
            yield figure
    size = await asyncio.to_thread(lambda: path.stat().st_size / 1e9)
    yield Figure(f"The database with {many:,} answers", size, "GB", aim="≤ 1.5 GB")


class Talk:
    """Talk about nothing in particular: its words are as rare as words of people are."""

    def __init__(self) -> None:
        self._random = random.Random(7)
        self._words = [f"w{n:x}" for n in range(_VOCABULARY)]
        self._often = list(accumulate(1 / (n + 8) for n in range(_VOCABULARY)))

    def words(self, count: int) -> str:
        return " ".join(self._random.choices(self._words, cum_weights=self._often, k=count))

    def passage(self, number: int, chat: int, told: str = "") -> Passage:
        at = _START + timedelta(minutes=number)
        asked = told or self.words(_WORDS // 4)
        answer = self.words(_WORDS)
        return Passage(f"t{number}", _ME, at, asked, answer, 1, "Ann", chat, f"c{number // 40}")


async def fill(
    store: Store, chat: int, talk: Talk, count: int
) -> tuple[Sequence[_Fact], Sequence[_Fact]]:
    """Keeps talk with facts in it; returns those that were told, and those that never were."""
    told: dict[str, _Fact] = {}
    kept: list[Passage] = []
    every = count // (_FACTS + 60)
    for number in range(count):
        fact, rest = divmod(number, every)
        if rest or fact >= _FACTS + 60:
            kept.append(talk.passage(number, chat))
            continue
        # The last sixty tell other things about facts that are known: the newest holds.
        question, words = _made(fact if fact < _FACTS else fact - _FACTS, fact)
        told[question] = _Fact(f"t{number}", question)
        kept.append(talk.passage(number, chat, words))
    await _keep(store, kept)
    return list(told.values()), [_Fact("", _made(_FACTS + n, 0)[0]) for n in range(100)]


def _made(fact: int, variant: int) -> tuple[str, str]:
    """Returns the question and the words of a fact; each name and thing comes once a language."""
    language = fact % 3
    name = f"{_NAMES[fact % len(_NAMES)]}{_NAMES[fact // 36 % len(_NAMES)].lower()}"
    thing = _THINGS[fact // 3 % len(_THINGS)][language]
    colour = _COLOURS[variant % len(_COLOURS)][language]
    question = _ASKED[language].format(name=name, thing=thing)
    return question, _TOLD[language].format(name=name, thing=thing, colour=colour)


async def _keep(store: Store, passages: Sequence[Passage]) -> None:
    for n in range(0, len(passages), 500):
        await store.journal.commit(Change(tuple(map(KeepPassage, passages[n : n + 500]))))
    while owed := await store.memory.owed(500):
        await store.words.take_in(owed)


class _AtOnce:
    """An embedder that answers at once: the vector of a text is drawn by chance."""

    name = "at once"
    price = None
    metered = True

    async def embed(self, texts: Sequence[str]) -> Embedded:
        return Embedded([self._vector(text) for text in texts], 20 * len(texts))

    def _vector(self, text: str) -> Vector:
        drawn = random.Random(text).randbytes(_SIZE)
        return array("f", [(sign - 127.5) / (73.6 * _SIZE**0.5) for sign in drawn])

    async def close(self) -> None:
        """Has nothing to close."""


async def _by_meaning(store: Store, told: Sequence[_Fact], folder: Path) -> AsyncIterator[Figure]:
    async with _indexed(store, folder) as (meaning, child):
        before, count = _worked(child), min(len(told), _SEARCHES)
        cost = await _recall_cost(store, told, meaning)
        cost += 1000 * (_worked(child) - before) / count
        name = f"… with Chroma and an embedder that answers at once ({_SIZE} numbers)"
        yield Figure(name, cost, "ms", aim="≤ 8 ms")
        weight = child.memory_info().rss / 1e6
        yield Figure("Memory of Chroma's process, 2,000 answers", weight, "MB", aim="≤ 120 MB")


async def _many_by_meaning(
    store: Store, told: Sequence[_Fact], talk: Talk, folder: Path, many: int
) -> AsyncIterator[Figure]:
    async with _indexed(store, folder) as (meaning, child):
        took = await _searches(store, told, talk, meaning)
        name = f"Recall with Chroma among {many:,} answers ({_SIZE} numbers)"
        yield Figure(f"{name}, p95", took, "ms", aim="≤ 30 ms")
        weight = child.memory_info().rss / 1e6
        yield Figure(f"Memory of Chroma's process, {many:,} answers", weight, "MB")
    size = await asyncio.to_thread(_size, folder)
    yield Figure(f"Chroma's folder with {many:,} answers", size, "GB", aim="≤ 1.5 GB")


@asynccontextmanager
async def _indexed(store: Store, folder: Path) -> AsyncGenerator[tuple[Meaning, psutil.Process]]:
    """Yields the search by meaning once it has every answer, and Chroma's process."""
    vectors = ChromaVectors(folder)
    embedder = paid(_AtOnce(), store)
    clock = SystemClock()
    weighing = Weighing(store.weights, stem)
    meaning = Meaning(
        embedder, vectors, store.meant, store.meaning_debts, store.journal, clock, weighing
    )
    try:
        await meaning.catch_up()
        (child,) = psutil.Process().children()
        yield meaning, child
    finally:
        await vectors.close()


def _size(folder: Path) -> float:
    """Returns the size of a folder on disk in GB."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e9


def _worked(process: psutil.Process) -> float:
    """Returns the processor time of a process in seconds."""
    times = process.cpu_times()
    return times.user + times.system


async def _recall_cost(
    store: Store, told: Sequence[_Fact], meaning: Meaning | None = None
) -> float:
    """Returns the processor time of everything that a turn does to recall, in ms."""
    recall = Recall(store.memory, store.words, meaning, store.journal, SystemClock())
    costs: list[float] = []
    for fact in told[:_SEARCHES]:
        begun = time.process_time()
        found = await recall.fitting(fact.question, _ME, (), _CAUSE)
        told_again(
            found.ids, found.passages, beginnings(fact.question), Recipient(1), RECALL_TOKENS
        )
        costs.append((time.process_time() - begun) * 1000)
    return median(costs)


async def _fits(store: Store, told: Sequence[_Fact], absent: Sequence[_Fact]) -> Sequence[Figure]:
    """Returns how many facts are recalled, and for how many absent ones something else is."""
    ranks = [await _rank(store, fact) for fact in told]
    wrong = [await store.words.search(fact.question, _ME, 1) for fact in absent]
    recalled = sum(bool(hits) and hits[0].share >= ENOUGH for hits in wrong)
    count = len(told)
    return (
        Figure("Facts among the first 5 by words", 100 * sum(r < 5 for r in ranks) / count, "%"),
        Figure("… among the first 10", 100 * sum(r < 10 for r in ranks) / count, "%"),
        Figure("Facts never told for which something is recalled", recalled, "%"),
    )


async def _rank(store: Store, fact: _Fact) -> int:
    hits = await store.words.search(fact.question, _ME, 10)
    ids = [hit.id for hit in hits if hit.share >= ENOUGH]
    return ids.index(fact.id) if fact.id in ids else 10


async def _searches(
    store: Store, told: Sequence[_Fact], talk: Talk, meaning: Meaning | None = None
) -> float:
    """Returns the time that 95 of 100 recalls stay below: facts, and talk of common words."""
    asked = [fact.question for fact in told[: _SEARCHES // 2]]
    asked += [talk.words(8) for _ in range(_SEARCHES // 2)]
    return await _p95(store, asked, meaning)


async def _p95(store: Store, asked: Sequence[str], meaning: Meaning | None = None) -> float:
    recall = Recall(store.memory, store.words, meaning, store.journal, SystemClock())
    took: list[float] = []
    for words in asked:
        begun = time.perf_counter()
        await recall.fitting(words, _ME, (), _CAUSE)
        took.append((time.perf_counter() - begun) * 1000)
    return sorted(took)[int(0.95 * (len(took) - 1))]
