"""A process dies, and another one on the same database takes over what it left, unasked."""

import asyncio
import random

import httpx
import pytest

from tests.e2e.crowd import Crowd
from tests.e2e.steward import Steward
from tests.e2e.test_errands import answered_once, family
from tests.e2e.test_hooks import Caller, caller
from tests.e2e.test_two_processes import Pair, pair
from tests.patience import PATIENCE
from tests.standins.messages_api import Gate, text

__all__ = ["caller", "pair"]
pytestmark = [
    pytest.mark.postgres,
    pytest.mark.timeout(240),
    pytest.mark.telegrams_own("two processes share its webhook; Discord tells both of everything"),
]


@pytest.mark.parametrize(
    "words", ["What colour has the parrot?", "/help"], ids=["words", "command"]
)
async def test_an_update_that_was_not_routed_is_routed_by_the_other(
    pair: Pair, steward: Steward, words: str
) -> None:
    if not words.startswith("/"):
        steward.script(text("The parrot is green."))
    await steward.recorded()
    before = len(steward.shown)
    with pair.records.tables_locked("account, person"):
        await pair.told(1, lambda: steward.say(words))
        await steward.eventually(lambda: pair.records.waiting)
        assert steward.records.rows("SELECT count(*) FROM inbox WHERE state = 'new'") == [(1,)]
        await pair.end()
    await steward.until(lambda: len(steward.shown) > before)
    await steward.eventually(lambda: not steward.records.untidy())
    await steward.recorded()
    assert len(steward.shown) == before + 1


@pytest.mark.parametrize("after_work", [False, True], ids=["unsent", "sent"])
async def test_an_answer_that_was_not_delivered_is_delivered_by_the_other_once(
    pair: Pair, steward: Steward, *, after_work: bool
) -> None:
    await steward.recorded()
    steward.script(text("The parrot is green."))
    gate = steward.way.hold_message(after_work=after_work)
    await pair.told(1, lambda: steward.say("What colour has the parrot?"))
    await gate.arrived()
    await pair.end()
    gate.release()
    await steward.recorded()
    assert len(steward.showing("The parrot is green.")) == 1
    assert len(steward.model.requests) == 1


async def test_a_turn_that_the_other_has_long_seen_at_work_goes_on_when_its_process_dies(
    pair: Pair, steward: Steward
) -> None:
    await steward.recorded()
    held = Gate()
    steward.script(text("Nobody reads this.").held(held, after=1), text("The parrot is green."))
    await pair.told(1, lambda: steward.say("What colour has the parrot?"))
    await held.arrived()
    await pair.both_look()
    await pair.end()
    await steward.sees("The parrot is green.")
    await steward.recorded()


async def test_an_errand_whose_process_dies_is_done_and_told_by_the_other(
    pair: Pair, steward: Steward
) -> None:
    await steward.recorded()
    held = Gate()
    replies = iter([text("Nobody reads this.").held(held, after=1), text("First result.")])
    steward.model.script.rule(family("one", one=lambda _: next(replies)))
    await pair.told(1, lambda: steward.say("Do one thing"))
    await held.arrived()
    await pair.both_look()
    await pair.end()
    await steward.sees("First result.")
    await steward.recorded()
    answered_once(steward, 1)
    assert len(steward.showing("First result.")) == 1


async def test_a_living_process_delivers_though_the_other_owes_words_to_the_same_chat(
    pair: Pair, steward: Steward
) -> None:
    await steward.recorded()
    steward.script(text("The parrot is green."))
    gate = steward.way.hold_message()
    await pair.told(1, lambda: steward.say("What colour has the parrot?"))
    await gate.arrived()
    before = len(steward.telegram.calls_of("sendMessage"))
    await pair.told(0, lambda: steward.say("/help"))
    await pair.both_look()
    assert len(steward.telegram.calls_of("sendMessage")) == before
    gate.release()
    await steward.sees("The parrot is green.")
    await steward.recorded()
    assert len(steward.showing("The parrot is green.")) == 1


async def test_a_queued_call_of_a_hook_is_carried_out_by_the_other_once(
    own_postgres_url: str, caller: Caller, pair: Pair, steward: Steward
) -> None:
    steward.script(text("No water."))
    url = f"http://127.0.0.1:{pair.hooks_port}"
    async with httpx.AsyncClient(base_url=url, timeout=PATIENCE) as client:
        with pair.records.tables_locked("entry"):
            assert (await Caller(client).post()).status_code == 202
            await steward.eventually(lambda: pair.records.waiting)
            await pair.end()
    await steward.sees("No water.")
    await steward.recorded()
    assert len(steward.model.requests) == 1
    assert steward.records.rows("SELECT state, tries FROM hook_call") == [("done", 1)]


@pytest.fixture
def crowd(steward: Steward) -> Crowd:
    return Crowd(steward)


@pytest.mark.parametrize("seed", range(4))
async def test_a_process_that_dies_at_any_moment_loses_and_doubles_nothing(
    own_postgres_url: str, crowd: Crowd, pair: Pair, steward: Steward, seed: int
) -> None:
    dice = random.Random(seed)
    steward.foreseen.append("message is not modified")
    for _ in range(2):
        for person in dice.sample(crowd.people, 12):
            pair.call(dice.randrange(2))
            crowd.ask(person)
            await asyncio.sleep(dice.uniform(0, 0.05))
    await asyncio.sleep(dice.uniform(0, 0.6))
    await pair.end()
    pair.call(0)
    for person in crowd.people:
        crowd.ask(person)
    await crowd.answered()
    await steward.recorded()
    assert crowd.doubled == []
    assert steward.records.rows("SELECT key FROM inbox WHERE state = 'dead'") == []
