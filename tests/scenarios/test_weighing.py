"""A search by meaning earns its weight on the answers that are kept, or is left out."""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import product

import pytest

from bot.domain.change import Change, KeepPassage
from bot.domain.memory.earned import FEWEST, UNMEASURED
from bot.domain.memory.passage import Passage
from bot.domain.money.budget import CallKind, Limit, Scope
from bot.domain.money.model import Price
from bot.domain.money.money import nano_of
from bot.domain.talk.errors import EmbedderError, EmbedderRefuses
from bot.flow.memory.meaning import Meaning
from bot.flow.memory.recall import Recall
from bot.ports.embedder import Embedded
from bot.ports.meaning import Begun
from tests.contracts.store_samples import NOW
from tests.fakes.clock import FakeClock
from tests.fakes.embedder import FakeEmbedder, UselessEmbedder
from tests.scenarios.stage import stage
from tests.scenarios.test_meaning import CAUSE, ME, World

NAMES = ("Ann", "Bob", "Cleo", "Dina", "Emil", "Fritz", "Gwen", "Hugo")
THINGS = ("bicycle", "garden", "piano", "kettle")


def talk() -> list[Passage]:
    """Returns questions whose answers have their words, and others that sound like them."""
    return [
        Passage(f"t{n}", ME, NOW, f"And the {thing} of {name}?", f"{name} has a {thing}.", 1, "Ann")
        for n, (name, thing) in enumerate(product(NAMES, THINGS))
    ]


def in_other_words() -> list[Passage]:
    """Returns questions whose answers say the same in other words."""
    alike = (
        "car automobile, dog puppy, doctor physician, job employment, wife spouse, home apartment, "
        "money salary, buy purchase, holiday vacation, child daughter, ill disease, food dish, "
        "colour farbe, birthday born, auto vehicle, hound chien"
    )
    pairs = [pair.split() for pair in alike.split(", ")]
    return [
        Passage(f"t{n}", ME, NOW, f"{one}?", f"{other}.", 1, "Ann")
        for n, (one, other) in enumerate(pairs)
    ]


async def kept(world: World, passages: Sequence[Passage]) -> Meaning:
    """Keeps these, and returns the search by meaning once it has them."""
    await world.keep(*passages)
    while owed := await world.store.memory.owed(100):
        await world.store.words.take_in(owed)
    meaning = world.meaning()
    await meaning.catch_up()
    return meaning


async def weight(meaning: Meaning) -> float | None:
    return (await meaning.condition()).weight


async def order(world: World, meaning: Meaning | None, words: str) -> list[str]:
    store = world.store
    recall = Recall(store.memory, store.words, meaning, store.journal, FakeClock())
    return [one.id for one, _ in await recall.searched(words, ME, 24, CAUSE)]


async def test_a_useless_embedder_does_not_worsen_the_order_of_the_words() -> None:
    world = World()
    world.embedder = UselessEmbedder()
    meaning = await kept(world, talk())
    calls = world.embedder.calls
    for name, thing in product(NAMES, THINGS):
        asked = f"What about the {thing} of {name}?"
        assert await order(world, meaning, asked) == await order(world, None, asked)
    assert await weight(meaning) == 0
    assert world.embedder.calls == calls, "what adds nothing costs nothing"


async def test_an_embedder_that_finds_as_much_as_the_words_counts_as_much() -> None:
    meaning = await kept(World(), talk())
    assert await weight(meaning) == 1


async def test_an_embedder_that_finds_what_no_word_finds_counts_as_much_as_they_do() -> None:
    world = World()
    meaning = await kept(world, in_other_words())
    assert await weight(meaning) == 1
    assert (await order(world, meaning, "my auto"))[0] in {"t0", "t14"}


async def test_until_it_is_measured_meaning_counts_a_quarter() -> None:
    world = World()
    meaning = await kept(world, talk()[: FEWEST - 1])
    assert await weight(meaning) is None
    assert (await meaning.search("a piano", ME, 5, CAUSE)).weight == UNMEASURED


async def test_a_weight_outlives_a_run_and_is_measured_again_when_the_memory_has_doubled() -> None:
    world, said = World(), talk()
    await kept(world, said[:FEWEST])
    begun = world.store.rows.begun
    assert begun is not None
    assert (begun.weight, begun.weighed) == (1, FEWEST)
    world.embedder = UselessEmbedder()
    meaning = await kept(world, said[FEWEST:-1])
    assert await weight(meaning) == 1
    meaning = await kept(world, said[-1:])
    assert await weight(meaning) == 0


async def test_another_embedder_has_to_earn_its_own_weight() -> None:
    world = World()
    assert await weight(await kept(world, talk())) == 1
    world.embedder = UselessEmbedder("other")
    assert await weight(await kept(world, ())) == 0


async def test_an_index_of_an_earlier_version_is_measured_without_a_new_answer() -> None:
    world = World()
    await kept(world, talk())
    begun = world.store.rows.begun
    assert begun is not None
    world.store.rows.begun = Begun(begun.name, begun.space)
    assert await weight(await kept(world, ())) == 1


async def test_a_measurement_sends_a_bounded_part_of_bounded_texts() -> None:
    world = World()
    long = [
        replace(
            p, id=f"{p.id}.{n}", question=f"{p.question} {n}" * 500, answer=f"{p.answer} {n}" * 900
        )
        for p in talk()
        for n in range(9)
    ]
    before = len(world.embedder.texts)
    await world.keep(*long)
    meaning = world.meaning()
    await meaning.catch_up()
    texts = world.embedder.texts[before:]
    probed = [text for text in texts if len(text) <= 2_000 and len(text) > 200]
    assert len(probed) <= 128
    assert len(texts) <= len(long) + 28 + 128


class Failing(FakeEmbedder):
    """Fails when it is asked for an answer alone, which only a measurement does."""

    def __init__(self, fault: Exception) -> None:
        super().__init__(price=Price(Decimal(100), Decimal(0), Decimal(100), Decimal(100)))
        self.failing: Exception | None = fault
        self.failed = 0

    async def embed(self, texts: Sequence[str]) -> Embedded:
        if self.failing is not None and any(text.startswith("And the") for text in texts):
            self.failed += 1
            raise self.failing
        return await super().embed(texts)


@pytest.mark.parametrize("fault", [EmbedderError("away"), TimeoutError()])
async def test_a_failed_measurement_leaves_the_search_as_it_was_and_comes_again_much_later(
    fault: Exception,
) -> None:
    world, clock = World(), FakeClock()
    world.clock, world.embedder = clock, (failing := Failing(fault))
    meaning = await caught_up(world, clock, talk())
    for _ in range(3):
        await driven(meaning.catch_up(), clock)
    assert failing.failed == 1
    condition = await meaning.condition()
    assert (condition.weight, condition.fault, condition.owed) == (None, "", 0)
    failing.failing = None
    await clock.advance(6 * 3600)
    await driven(meaning.catch_up(), clock)
    assert await weight(meaning) == 1


async def test_texts_that_are_refused_are_not_sent_again_until_the_memory_has_grown() -> None:
    world, clock = World(), FakeClock()
    world.clock, world.embedder = clock, (failing := Failing(EmbedderRefuses("no")))
    meaning = await caught_up(world, clock, talk())
    await clock.advance(6 * 3600)
    await driven(meaning.catch_up(), clock)
    assert failing.failed == 1
    assert await weight(meaning) is None


async def caught_up(world: World, clock: FakeClock, passages: Sequence[Passage]) -> Meaning:
    await world.keep(*passages)
    meaning = world.meaning()
    await driven(meaning.catch_up(), clock)
    return meaning


async def driven(work: Coroutine[None, None, None], clock: FakeClock) -> None:
    """Runs this while the clock goes on."""
    task = asyncio.ensure_future(work)
    while not task.done():
        await clock.advance(0.02)
        await asyncio.sleep(0.001)
    await task


async def test_what_is_measured_is_on_the_books_as_nobodys() -> None:
    world = World()
    world.embedder = FakeEmbedder(price=Price(Decimal(1), Decimal(0), Decimal(1), Decimal(1)))
    await kept(world, talk())
    lines = world.store.rows.usage.values()
    assert len(lines) == world.embedder.calls
    assert {(line.cause.kind, line.cause.person) for line in lines} == {(CallKind.EMBEDDING, None)}


class DearProbes(FakeEmbedder):
    """Counts many tokens for questions alone, which only a measurement sends."""

    async def embed(self, texts: Sequence[str]) -> Embedded:
        self.tokens = 4_000 if texts[0].startswith("And the") else 7
        return await super().embed(texts)


async def test_a_budget_that_is_used_up_holds_the_measurement_back() -> None:
    world = World()
    dear = Price(Decimal(100), Decimal(0), Decimal(100), Decimal(100))
    world.embedder = DearProbes(price=dear)
    world.budgets = {Scope.DAY: Limit(nano_of(Decimal("0.50")))}
    meaning = await kept(world, talk())
    assert await world.store.meant.count_owed() == 0
    assert world.embedder.calls == 4, "two portions used the budget up, and no other was sent"
    assert await weight(meaning) is None
    world.budgets = {}
    assert await weight(await kept(world, ())) == 1


async def test_the_status_tells_what_the_meaning_counts() -> None:
    for embedder, passages, told in (
        (FakeEmbedder(), talk(), "by meaning, which counts as much as words here"),
        (FakeEmbedder(), talk()[:3], "which counts a quarter as much as words until I measure it"),
        (UselessEmbedder(), talk(), "the search by meaning did not help here"),
    ):
        async with stage() as scene:
            await scene.close()
            scene.find_by_meaning(embedder)
            await scene.store.journal.commit(Change((*map(KeepPassage, passages),)))
            await scene.start()
            for _ in range(2_000):
                begun = scene.store.rows.begun
                if begun is not None and begun.weighed:
                    break
                await scene.clock.advance(0.02)
                await asyncio.sleep(0.001)
            await scene.say("/status")
            assert told in await scene.shows("Memory: ")
