"""What embedding costs is counted, and budgets hold it back without costing anybody an answer."""

import asyncio
from collections.abc import Sequence
from decimal import Decimal

from bot.domain.change import AddUsage
from bot.domain.money.budget import CallKind
from bot.domain.money.model import Price
from bot.domain.talk.errors import EmbedderError
from bot.domain.talk.person import Role
from bot.flow.memory.recall import Recall
from bot.ports.embedder import Embedded
from tests.fakes.clock import FakeClock
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.model import says
from tests.scenarios.stage import ANN, BOB, Stage, stage
from tests.scenarios.test_budgets import BOBS, costing
from tests.scenarios.test_meaning import CAR, CAUSE, ME, World, caught_up
from tests.scenarios.test_memory import recalled

DEAR = Price(Decimal(100), Decimal(0), Decimal(100), Decimal(100))
"""A hundredth of a cent for a token."""

BOTH = ((ANN, Role.OWNER), (BOB, Role.MEMBER))


def embeddings(scene: Stage) -> list[AddUsage]:
    lines = scene.store.rows.usage.values()
    return [line for line in lines if line.cause.kind is CallKind.EMBEDDING]


async def started(scene: Stage, price: Price | None = DEAR) -> FakeEmbedder:
    """Starts the program with an embedder of this price, and waits until its index is there."""
    await scene.close()
    embedder = scene.find_by_meaning()
    embedder.price = price
    await scene.start()
    return embedder


async def ready(scene: Stage) -> None:
    await scene.until(lambda: scene.store.rows.begun is not None and bool(embeddings(scene)))


async def test_a_search_is_the_askers_and_indexing_is_nobodys() -> None:
    async with stage(says(CAR)) as scene:
        await started(scene)
        await ready(scene)
        await scene.say("Station?")
        turn = await scene.settled()
        await caught_up(scene)
        await scene.until(lambda: len(embeddings(scene)) == 3)
        by_turn = {line.cause.turn: line for line in embeddings(scene)}
        assert by_turn[turn.id].cause.person == turn.asker
        assert by_turn[turn.id].cause.chat == turn.chat
        assert by_turn[""].cause.person is None
        assert {line.usage.input for line in embeddings(scene)} == {7}
        assert not any(line.estimated for line in embeddings(scene))
        await scene.say("/usage")
        told = await scene.shows("Usage of all chats")
        assert "fake $0.0021" in " ".join(told.split())
        await scene.say("/usage person")
        told = await scene.shows("in the background")
    assert "in the background $0.0014" in " ".join(told.split())


async def test_the_record_of_a_search_is_written_with_the_opening_of_its_turn() -> None:
    async with stage(says(CAR)) as scene:
        await started(scene)
        await ready(scene)
        before = len(embeddings(scene))
        await scene.say("Station?")
        await scene.until(lambda: bool(scene.store.rows.turns))
        assert len(embeddings(scene)) == before + 1
        await scene.settled()


async def test_tokens_that_nobody_told_are_estimated_and_a_price_that_nobody_told_is_unknown() -> (
    None
):
    async with stage(says(CAR)) as scene:
        embedder = await started(scene, price=None)
        embedder.tokens = 0
        await scene.say("Station?")
        await scene.settled()
        await caught_up(scene)
        assert all(line.estimated for line in embeddings(scene)[1:])
        assert all(line.usage.input > 0 for line in embeddings(scene))
        assert all(line.cost is None for line in embeddings(scene))
        await scene.say("/usage")
        assert "price unknown" in await scene.shows("Usage of all chats")


async def test_a_model_of_our_own_is_no_paid_call() -> None:
    async with stage(says(CAR)) as scene:
        embedder = await started(scene, price=None)
        embedder.metered = False
        scene.bound(day="0.01")
        await scene.say("Station?")
        await scene.settled()
        await caught_up(scene)
        assert [line.usage.input for line in embeddings(scene)] in ([], [7])


async def test_an_embedder_without_a_price_waits_while_there_is_a_budget() -> None:
    async with stage(costing(CAR, 1), costing("At the station.", 1)) as scene:
        scene.bound(day="5")
        embedder = await started(scene, price=None)
        await scene.say("Where is the car?")
        await scene.settled()
        await scene.say("/new")
        await scene.shows("fresh start")
        await scene.say("The automobile of the physician?")
        await scene.settled(2)
        assert CAR in recalled(scene)[0].text
        assert embedder.texts == []
        await scene.say("/status")
        told = await scene.shows("Memory: ")
    assert "found by words alone (there is a budget, and nobody told what fake costs" in told


async def test_a_budget_that_is_used_up_leaves_the_words_and_indexing_waits_for_it() -> None:
    async with stage(costing(CAR, 12)) as scene:
        scene.bound(day="0.10")
        embedder = await started(scene)
        await ready(scene)
        await scene.say("Where is the car?")
        await scene.settled()
        await scene.until(lambda: bool(scene.store.rows.passages))
        embedder.texts.clear()
        await scene.say("/memory automobile")
        await scene.until(lambda: sum(CAR in text for text in scene.texts) == 2)
        await scene.say("/status")
        told = await scene.shows("Memory: ")
        assert "found by words alone (today's budget of everybody is used up)" in told
        assert embedder.texts == []
        assert scene.store.rows.meant == set()
        await scene.say("/budget day 9")
        await scene.shows("for everybody is $9.00 a day from now on.")
        await scene.clock.advance(301)
        await caught_up(scene)
        assert any(CAR in text for text in embedder.texts)


async def test_the_budget_of_a_person_bounds_their_searches_and_nobody_elses() -> None:
    async with stage(costing("One.", 12), says("Two."), people=BOTH) as scene:
        scene.bound(person="0.10")
        embedder = await started(scene)
        embedder.tokens = 1
        await ready(scene)
        await scene.say("first", BOB, at=BOBS)
        await scene.shows_in(BOBS, "One.")
        await caught_up(scene)
        searched = len(embedder.texts)
        await scene.say("second of Bob", BOB, at=BOBS)
        await scene.shows_in(BOBS, "I stopped:")
        assert not any("second of Bob" in text for text in embedder.texts[searched:])
        await scene.say("mine")
        await scene.settled(3)
        assert any("mine" in text for text in embedder.texts[searched:])


class Slow(FakeEmbedder):
    """Never answers the question `never`, and everything else at once."""

    async def embed(self, texts: Sequence[str]) -> Embedded:
        if "never" in texts:
            await asyncio.Event().wait()
        return await super().embed(texts)


async def test_a_search_that_took_too_long_is_counted_as_an_estimate() -> None:
    world = World()
    world.embedder = Slow(price=DEAR)
    meaning = world.meaning()
    await meaning.catch_up()
    store = world.store
    recall = Recall(store.memory, store.words, meaning, store.journal, FakeClock())
    assert (await recall.fitting("never", ME, (), CAUSE)).records == ()
    await meaning.catch_up()
    (guess,) = [line for line in store.rows.usage.values() if line.estimated]
    assert (guess.cause, guess.usage.input) == (CAUSE, 1)


async def test_an_answer_with_nonsense_is_counted_and_one_that_never_came_is_not() -> None:
    async with stage() as scene:
        embedder = await started(scene)
        await ready(scene)
        for fault, more in ((EmbedderError("away"), 0), (EmbedderError("NaN", paid=True), 1)):
            embedder.fault = fault
            before = len(embeddings(scene))
            await scene.say("/memory station")
            await scene.shows("I remember nothing")
            await scene.until(lambda n=before + more: len(embeddings(scene)) == n)


async def test_looking_by_command_is_counted_for_the_person() -> None:
    async with stage() as scene:
        await started(scene)
        await ready(scene)
        await scene.say("/memory station")
        await scene.shows("I remember nothing")
        await scene.until(lambda: any(line.cause.person for line in embeddings(scene)))
    (line,) = [line for line in embeddings(scene) if line.cause.person]
    assert line.cause.turn == ""
