"""Passages are found by their meaning too, and an index that fails costs nobody an answer."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from bot.adapters.sql.stemmer import stem
from bot.adapters.system_clock import SystemClock
from bot.domain.change import Change, Erase, KeepPassage
from bot.domain.change.erasing import Target
from bot.domain.memory.fit import BEYOND_OF_BOTH
from bot.domain.memory.passage import Passage
from bot.domain.money.budget import Budgets, CallKind, Cause
from bot.domain.talk.errors import EmbedderError, EmbedderRefuses, OtherSize, VectorsAway
from bot.flow.memory.meaning import Meaning
from bot.flow.memory.recall import Recall
from bot.flow.memory.weighing import Weighing
from bot.ports.clock import Clock
from bot.ports.embedder import Embedded
from bot.ports.meaning import MeaningCondition, MeantHits
from tests.contracts.store_samples import NOW
from tests.fakes.clock import FakeClock
from tests.fakes.embedder import FakeEmbedder, paid
from tests.fakes.model import says
from tests.fakes.store import MemoryStore
from tests.fakes.vectors import FakeVectors
from tests.scenarios.dying import DyingDebts, DyingMeant, DyingVectors, DyingWeights, Fate, deaths
from tests.scenarios.stage import Stage, stage
from tests.scenarios.test_memory import recalled
from tests.words import BY_WORDS_ALONE

ME = "p1"
_STEPS = 5_000
CAR = "The automobile of the physician is here."


def passage(number: int, words: str = "", whose: str = ME) -> Passage:
    return Passage(f"t{number}", whose, NOW, words or f"word{number} said", "Good.", 1, "Ann")


async def caught_up(scene: Stage) -> None:
    """Waits until the index of meaning has everything."""
    rows = scene.store.rows
    await scene.until(lambda: bool(rows.passages))
    await scene.clock.advance(2)
    await scene.until(lambda: rows.passages.keys() <= rows.meant)


async def test_other_words_of_the_same_meaning_bring_an_answer_back() -> None:
    async with stage(says(CAR), says("At the station.")) as scene:
        await scene.close()
        scene.find_by_meaning()
        await scene.start()
        await scene.say("Station?")
        await scene.settled()
        await caught_up(scene)
        await scene.say("/new")
        await scene.shows("fresh start")
        await scene.say("Auto, Arzt?")
        await scene.settled(2)
        assert CAR in recalled(scene)[0].text
        await caught_up(scene)
        await scene.say("/status")
        assert "found by words and by meaning" in await scene.shows("Memory: ")


async def test_a_failing_embedder_leaves_the_words(caplog: pytest.LogCaptureFixture) -> None:
    async with stage(says(CAR), says("At the station.")) as scene:
        await scene.close()
        embedder = scene.find_by_meaning()
        await scene.start()
        await scene.say("Where is the car?")
        await scene.settled()
        await caught_up(scene)
        embedder.fault = EmbedderError("the embedder is not reached: nothing answers there")
        await scene.say("/new")
        await scene.shows("fresh start")
        await scene.say("The automobile of the physician?")
        await scene.settled(2)
        assert CAR in recalled(scene)[0].text
        told = [r for r in caplog.records if "words alone: the embedder" in r.getMessage()]
        assert len(told) == 1
        await scene.say("/status")
        assert BY_WORDS_ALONE in await scene.shows("Memory: ")


CAUSE = Cause(CallKind.EMBEDDING, person=1)


class Slow:
    """An index of meaning that never has an answer in time."""

    def __init__(self) -> None:
        self.searches = 0

    async def search(self, words: str, whose: str, limit: int, cause: Cause) -> MeantHits:
        self.searches += 1
        await asyncio.Event().wait()
        return MeantHits()

    async def condition(self) -> MeaningCondition:
        return MeaningCondition(owed=0, fault="", ready=True)

    async def run(self) -> None:
        await asyncio.Event().wait()

    def wake(self) -> None:
        """Owes nothing, so there is nothing to wake for."""


async def test_a_slow_embedder_is_left_alone_for_a_while() -> None:
    store, slow, clock = MemoryStore(lambda: NOW), Slow(), FakeClock()
    recall = Recall(store.memory, store.words, slow, store.journal, clock)
    for _ in range(3):
        assert (await recall.fitting("Where is the car?", ME, (), CAUSE)).ids == []
    assert slow.searches == 1
    await clock.advance(10)
    await recall.fitting("Where is the car?", ME, (), CAUSE)
    assert slow.searches == 2


class World:
    """A store, an index and an embedder, with a `Meaning` over them that can die."""

    def __init__(self) -> None:
        self.store = MemoryStore(lambda: NOW)
        self.vectors = FakeVectors()
        self.embedder = FakeEmbedder()
        self.clock: Clock = SystemClock()
        self.budgets: Budgets = {}

    def meaning(self, fate: Fate | None = None) -> Meaning:
        fate = fate or Fate(None, after=False)
        return Meaning(
            paid(self.embedder, self.store, self.budgets),
            DyingVectors(self.vectors, fate),
            DyingMeant(self.store.meant, fate),
            DyingDebts(self.store.meaning_debts, fate),
            self.store.journal,
            self.clock,
            Weighing(DyingWeights(self.store.weights, fate), stem),
        )

    async def keep(self, *passages: Passage) -> None:
        await self.store.journal.commit(Change(tuple(map(KeepPassage, passages))))

    async def forget(self, number: int) -> None:
        await self.store.journal.commit(Change((Erase(Target(ME, f"t{number}")),)))

    def change_embedder(self) -> None:
        calls = self.embedder.calls
        self.embedder = FakeEmbedder("other", 64)
        self.embedder.calls = calls

    @property
    def counted(self) -> int:
        """How many calls of embedders are on record."""
        return len(self.store.rows.usage)

    @property
    def numbers(self) -> list[int]:
        return sorted(number for held in self.vectors.held.values() for number in held)


async def found(meaning: Meaning, words: str, whose: str = ME) -> list[str]:
    return [hit.id for hit in (await meaning.search(words, whose, 5, CAUSE)).hits]


async def _life(world: World, fate: Fate) -> None:
    """Indexes, forgets, changes the embedder and loses the index; dies where its fate says."""
    meaning = world.meaning(fate)
    await world.keep(*(passage(n) for n in range(40)))
    await meaning.catch_up()
    await world.forget(3)
    await meaning.catch_up()
    world.change_embedder()
    meaning = world.meaning(fate)
    await meaning.catch_up()
    world.vectors.lose()
    meaning = world.meaning(fate)
    await world.forget(4)
    await meaning.catch_up()


async def _counted() -> int:
    fate = Fate(None, after=False)
    await _life(World(), fate)
    return fate.writes


@pytest.mark.parametrize(("at", "after"), deaths(_counted()))
async def test_a_death_at_any_step_loses_nothing_and_leaves_nothing(at: int, after: bool) -> None:
    world, fate = World(), Fate(at, after=after)
    life = asyncio.create_task(_life(world, fate))
    died = asyncio.create_task(fate.died.wait())
    await asyncio.wait([life, died], return_when=asyncio.FIRST_COMPLETED)
    life.cancel()
    died.cancel()
    await asyncio.gather(life, died, return_exceptions=True)
    await world.meaning().catch_up()
    kept = sorted(p.number for p in world.store.rows.passages.values())
    assert world.numbers == kept
    before = world.vectors.puts
    await world.meaning().catch_up()
    assert world.vectors.puts == before
    # A call whose record the death took is the only one that is not counted.
    assert world.embedder.calls - 1 <= world.counted <= world.embedder.calls


async def test_nobody_finds_what_others_said() -> None:
    world = World()
    await world.keep(passage(1, CAR), replace(passage(2, CAR), whose="p2"))
    meaning = world.meaning()
    await meaning.catch_up()
    for owner, wanted in ((ME, ["t1"]), ("p2", ["t2"]), ("p3", [])):
        assert await found(meaning, "the car", owner) == wanted


async def test_a_changed_embedder_indexes_everything_anew() -> None:
    world = World()
    await world.keep(passage(1, CAR), passage(2))
    await world.meaning().catch_up()
    world.embedder.size = 64
    meaning = world.meaning()
    await meaning.catch_up()
    assert world.vectors.puts == 4
    assert (await found(meaning, "my car"))[0] == "t1"


async def test_an_embedder_that_changes_its_size_while_it_runs_is_met_by_a_new_index() -> None:
    world = World()
    await world.keep(passage(1, CAR))
    meaning = world.meaning()
    await meaning.catch_up()
    world.embedder.size = 64
    await world.keep(passage(2))
    with pytest.raises(OtherSize):
        await meaning.catch_up()
    await meaning.catch_up()
    assert world.numbers == [1, 2]
    assert {len(v) for held in world.vectors.held.values() for v in held.values()} == {64}


async def test_a_text_that_the_embedder_refuses_keeps_nothing_else_away() -> None:
    class Picky(FakeEmbedder):
        async def embed(self, texts: Sequence[str]) -> Embedded:
            if any("word5 " in text for text in texts):
                raise EmbedderRefuses("not this one")
            return await super().embed(texts)

    world = World()
    world.embedder = Picky()
    await world.keep(*(passage(n) for n in range(10)))
    meaning = world.meaning()
    await meaning.catch_up()
    assert len(world.numbers) == 10
    assert await world.store.meant.count_owed() == 0
    hits = (await meaning.search("What was said?", ME, 10, CAUSE)).hits
    assert all(hit.score < BEYOND_OF_BOTH for hit in hits if hit.id == "t5")


async def test_an_embedder_that_refuses_every_text_is_still_owed_all_of_them() -> None:
    world = World()
    await world.keep(passage(1))
    meaning = world.meaning()
    await meaning.catch_up()
    world.embedder.fault = EmbedderRefuses("no number")
    await world.keep(passage(2), passage(3))
    with pytest.raises(EmbedderRefuses):
        await meaning.catch_up()
    assert await world.store.meant.count_owed() == 2
    world.embedder.fault = None
    await meaning.catch_up()
    assert world.numbers == [1, 2, 3]


async def test_a_text_that_was_refused_for_a_moment_gets_its_vector() -> None:
    class Moody(FakeEmbedder):
        refusals = 2

        async def embed(self, texts: Sequence[str]) -> Embedded:
            if self.refusals and any("word2 " in text for text in texts):
                self.refusals -= 1
                raise EmbedderRefuses("not now")
            return await super().embed(texts)

    world = World()
    world.embedder = Moody()
    await world.keep(passage(1), passage(2))
    await world.meaning().catch_up()
    assert world.numbers == [1, 2]


async def test_an_index_that_is_away_is_tried_again_and_keeps_what_it_has() -> None:
    world = World()
    await world.keep(passage(1, CAR))
    meaning = world.meaning()
    await meaning.catch_up()
    world.vectors.fault = VectorsAway("the index server failed (ConnectError)")
    with pytest.raises(VectorsAway):
        await found(meaning, "car")
    assert (await meaning.condition()).fault.startswith("the index server failed")
    world.vectors.fault = None
    await meaning.catch_up()
    assert await found(meaning, "car") == ["t1"]
    assert world.vectors.puts == 1
    assert (await meaning.condition()).fault == ""


async def test_passages_that_are_kept_one_after_another_are_indexed_together() -> None:
    world, clock = World(), FakeClock()
    world.clock = clock
    meaning = world.meaning()
    running = asyncio.create_task(meaning.run())
    await _until(lambda: clock.sleepers == 1)
    measured = world.embedder.calls
    for n in range(3):
        await world.keep(passage(n))
        meaning.wake()
        await clock.advance(1)
    assert world.embedder.calls == measured, "each would cost as much as all of them"
    await clock.advance(1)
    await _until(lambda: len(world.numbers) == 3)
    assert world.embedder.calls == measured + 1
    for n in range(3, 18):
        await world.keep(passage(n))
        meaning.wake()
    await clock.advance(1)
    assert world.embedder.calls == measured + 1, "one more would cost little"
    await world.keep(passage(18))
    meaning.wake()
    await clock.advance(0)
    await _until(lambda: len(world.numbers) == 19)
    assert world.embedder.calls == measured + 2, "enough of them wait for no more"
    running.cancel()


async def _until(found: Callable[[], bool]) -> None:
    """Waits for threads that are at work."""
    for _ in range(_STEPS):
        if found():
            return
        await asyncio.sleep(0.001)
    raise AssertionError("it never came")
