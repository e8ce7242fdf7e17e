"""Budgets in turns: what is refused, what is said, and how it goes on."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.domain.money.budget import CallKind, Scope
from bot.domain.money.model import Usage
from bot.domain.money.money import DOLLAR
from bot.domain.talk.errors import ModelUnreachable
from bot.domain.talk.limits import Limits
from bot.domain.talk.message import Address
from bot.domain.talk.person import Role
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.turn import TurnState
from bot.domain.turn.view import ModelReply, ModelRequest
from tests.fakes.model import PROFILE, Gate, ScriptedModel, Torn, call, calls, price, says
from tests.scenarios.stage import ANN, BOB, Stage, running, stage
from tests.scenarios.tools import looking
from tests.words import (
    ALL_TODAY,
    BUDGET_OFF,
    FIVE_EACH,
    GO_ON,
    HALTED,
    MOSTLY_USED,
    NO_BUDGET,
    OVER_DAY,
    OVER_PERSON,
    OVER_TURN,
    UNCOUNTED,
    UNPRICED,
    UNPRICED_CALL,
    YOU_TODAY,
)

BOBS = Address("fake", "2")
BOTH = ((ANN, Role.OWNER), (BOB, Role.MEMBER))
CENT = DOLLAR // 100


def costing(text: str, cents: int):
    """A reply whose tokens cost so many cents: an output token costs five millionths."""
    return replace(says(text), usage=Usage(output=cents * 2_000))


def spent(scene: Stage) -> int:
    return sum(line.cost or 0 for line in scene.store.rows.usage.values())


async def test_a_call_that_would_pass_the_budget_is_not_made() -> None:
    async with stage(costing("One.", 12)) as scene:
        scene.bound(day="0.10")
        await scene.crash()
        await scene.say("first")
        await scene.shows("One.")
        await scene.say("second")
        told = await scene.shows(f"{HALTED} $0.12 {OVER_DAY}")
        turn = await scene.settled(2)
    assert turn.stop_reason is StopReason.BUDGET
    assert "$0.12" in told
    assert "00:00 (UTC)" in told
    assert "/budget day <dollars>" in told
    assert spent(scene) == 12 * CENT


async def test_a_raised_budget_lets_a_stopped_turn_go_on() -> None:
    script = (costing("One.", 12), costing("Two.", 1))
    async with stage(*script, people=BOTH) as scene:
        scene.bound(person="0.1")
        await scene.crash()
        await scene.say("first", BOB, at=BOBS)
        await scene.shows_in(BOBS, "One.")
        await scene.say("second", BOB, at=BOBS)
        told = await scene.shows_in(BOBS, f"{HALTED} $0.12 {OVER_PERSON}")
        assert "An owner can raise it" in told
        await scene.say("/budget person 5")
        await scene.shows(FIVE_EACH)
        await scene.press(GO_ON, BOB)
        await scene.shows_in(BOBS, "Two.")


async def test_the_budget_of_a_turn_bounds_its_rounds_and_go_on_spends_as_much_again() -> None:
    script = (
        replace(calls(call("c1", "look")), usage=Usage(output=4_000)),
        costing("Done.", 1),
    )
    async with stage(*script, tools=[looking()]) as scene:
        scene.bound(turn="0.02")
        await scene.crash()
        await scene.say("go")
        told = await scene.shows(f"{HALTED} $0.02 {OVER_TURN}")
        assert "Done so far" in told
        await scene.press(GO_ON)
        await scene.shows("Done.")
        scene.assert_whole()


async def test_people_are_told_once_when_most_of_it_is_used() -> None:
    script = [costing(f"Answer {n}.", 30) for n in range(4)]
    async with stage(*script, people=BOTH) as scene:
        scene.bound(day="1", person="1")
        await scene.crash()
        for n in range(4):
            await scene.say("go", BOB, at=BOBS)
            await scene.shows_in(BOBS, f"Answer {n}.")
            await scene.settled(n + 1)
            await scene.crash()
        await scene.shows_in(BOBS, MOSTLY_USED)
        await scene.shows(MOSTLY_USED)
    mine = [text for text in scene.channel.texts(BOBS) if MOSTLY_USED in text]
    owners = [text for text in scene.texts if MOSTLY_USED in text]
    assert [OVER_PERSON in text and "90 %" in text for text in mine] == [True]
    assert [OVER_DAY in text and "90 %" in text for text in owners] == [True]


async def test_a_stopped_turn_says_once_what_is_used_and_owners_hear_of_the_budget_of_all() -> None:
    async with stage(costing("One.", 30), people=BOTH) as scene:
        await scene.say("go", BOB, at=BOBS)
        await scene.shows_in(BOBS, "One.")
        await scene.say("/budget person 0.01")
        await scene.shows("$0.01 a day from now on")
        await scene.say("go", BOB, at=BOBS)
        await scene.shows_in(BOBS, f"{HALTED} $0.30 {OVER_PERSON}")
        await scene.say("/budget person off")
        await scene.say("/budget day 0.01")
        await scene.shows("The budget for everybody is $0.01")
        await scene.say("go", BOB, at=BOBS)
        await scene.shows_in(BOBS, f"{HALTED} $0.30 {OVER_DAY}")
        await scene.say("go")
        await scene.shows(f"{HALTED} $0.30 {OVER_DAY}")
        await scene.settled(4)
    assert not [text for text in scene.channel.texts(BOBS) if MOSTLY_USED in text]
    assert len([text for text in scene.texts if MOSTLY_USED in text and OVER_DAY in text]) == 1


async def test_what_is_left_of_budgets_is_listed_when_one_is_taken_away() -> None:
    async with stage() as scene:
        await scene.say("/budget message 0.5")
        await scene.say("/budget person 1")
        await scene.shows("is $1.00 a day from now on")
        await scene.say("/budget person off")
        told = await scene.shows("The budget for each person is off.")
    assert "Each message: at most $0.50" in told


def _as_estimated(request: ModelRequest) -> ModelReply:
    """Costs as much as was foreseen."""
    return says("Zero.", usage=Usage(input=request.estimate))


async def test_a_first_budget_counts_the_calls_that_are_under_way() -> None:
    gate = Gate()
    dear = replace(PROFILE, price=price("200", "5", "200", "200"))
    model = ScriptedModel(_as_estimated, gate, says("One."), profile=dear)
    async with running(Stage(model, (), Limits()), BOTH) as scene:
        await scene.say("zero")
        await scene.shows("Zero.")
        one_prompt = model.requests[0].estimate * 200 / 1_000_000
        await scene.say("first", BOB, at=BOBS)
        await gate.reached()
        await scene.say(f"/budget day {one_prompt * 2.5:.6f}")
        await scene.shows("from now on.")
        await scene.say("second")
        told = await scene.shows(HALTED)
        assert "The next step costs at least" in told
        gate.open()
        await scene.shows_in(BOBS, "One.")
        await scene.settled(3)
        _, counted = await scene.application.parts.rooms.money.till.today()
    model.assert_exhausted()
    assert counted == spent(scene)


async def test_calls_side_by_side_do_not_count_on_the_same_money() -> None:
    gate = Gate()
    dear = replace(PROFILE, price=price("200", "5", "200", "200"))
    model = ScriptedModel(_as_estimated, gate, says("One."), profile=dear)
    async with running(Stage(model, (), Limits()), BOTH) as scene:
        await scene.say("zero")
        await scene.shows("Zero.")
        one_prompt = model.requests[0].estimate * 200 / 1_000_000
        scene.bound(day=f"{one_prompt * 2.5:.6f}")
        await scene.crash()
        await scene.say("first")
        await gate.reached()
        await scene.say("second", BOB, at=BOBS)
        told = await scene.shows_in(BOBS, HALTED)
        assert "The next step costs at least" in told
        gate.open()
        await scene.shows("One.")
    model.assert_exhausted()


async def test_the_least_cost_of_a_call_is_on_record_before_it_is_made() -> None:
    gate = Gate()
    async with stage(gate, costing("Again.", 1)) as scene:
        scene.bound(day="5")
        await scene.crash()
        await scene.say("go")
        await gate.reached()
        (reserved,) = scene.store.rows.usage.values()
        assert reserved.estimated
        assert (reserved.cost or 0) > 0
        gate.open()
        await scene.shows("Again.")
        await scene.settled()
    (paid,) = scene.store.rows.usage.values()
    assert paid.call == reserved.call
    assert (paid.cost, paid.estimated) == (CENT, False)


async def test_a_model_without_a_price_is_not_called_while_there_is_a_budget() -> None:
    model = ScriptedModel(profile=replace(PROFILE, price=None))
    scene = Stage(model, (), Limits())
    scene.bound(day="5")
    async with running(scene):
        await scene.say("go")
        told = await scene.shows(UNPRICED)
    assert "steward.toml" in told
    assert "/model" in told


async def test_without_a_budget_an_unknown_price_is_counted_as_unknown() -> None:
    model = ScriptedModel(says("Hello."), profile=replace(PROFILE, price=None))
    async with running(Stage(model, (), Limits())) as scene:
        await scene.say("go")
        await scene.shows("Hello.")
        await scene.say("/usage")
        told = await scene.shows("**Usage of all chats")
        await scene.say("/budget")
        await scene.shows(NO_BUDGET)
    assert "price unknown" in told
    assert UNPRICED_CALL in told
    assert "$0.00" not in told


async def test_a_free_model_works_when_the_budget_is_used_up() -> None:
    model = ScriptedModel(says("Hello."), profile=replace(PROFILE, price=price(*"0000")))
    scene = Stage(model, (), Limits())
    scene.bound(day="0")
    async with running(scene):
        await scene.say("go")
        await scene.shows("Hello.")


async def test_an_answer_without_usage_is_estimated_and_said_so() -> None:
    async with stage(replace(says("word " * 100), usage=Usage())) as scene:
        scene.bound(day="5")
        await scene.crash()
        await scene.say("go")
        await scene.shows("word")
        await scene.settled()
        (line,) = scene.store.rows.usage.values()
        await scene.say("/usage")
        told = await scene.shows("**Usage of all chats")
    assert line.estimated
    assert line.usage.output == 125
    assert line.usage.input > 0
    assert UNCOUNTED in told
    assert "≈" in told


async def test_what_came_before_a_call_broke_off_is_paid_for() -> None:
    torn = Torn("word " * 100, ModelUnreachable("gone"))
    async with stage(torn, says("Whole.")) as scene:
        scene.bound(day="5")
        await scene.crash()
        await scene.say("go")
        await scene.until(lambda: scene.clock.sleepers)
        await scene.clock.advance(60)
        await scene.shows("Whole.")
        await scene.settled()
    lines = sorted(scene.store.rows.usage.values(), key=lambda line: line.estimated)
    assert [line.estimated for line in lines] == [False, True]
    assert lines[1].usage.output == 125


async def test_a_call_that_failed_before_its_first_word_costs_nothing() -> None:
    faults = [ModelUnreachable("gone")] * 3
    async with stage(*faults) as scene:
        scene.bound(day="5")
        await scene.crash()
        await scene.say("go")
        for _ in range(2):
            await scene.until(lambda: scene.clock.sleepers)
            await scene.clock.advance(60)
        await scene.until(lambda: any(t.state is TurnState.RESTING for t in scene.turns))
    assert scene.store.rows.usage == {}


async def test_a_summary_is_counted_as_one() -> None:
    async with stage(says("Hello."), says("They greeted.")) as scene:
        await scene.say("hello")
        await scene.shows("Hello.")
        await scene.say("/compact")
        await scene.settled(2)
    kinds = [line.cause.kind for line in scene.store.rows.usage.values()]
    assert kinds == [CallKind.ANSWER, CallKind.SUMMARY]


async def test_members_see_their_budget_and_change_none() -> None:
    async with stage(costing("One.", 12), people=BOTH) as scene:
        scene.bound(day="5", person="1", turn="0.5")
        await scene.crash()
        await scene.say("go", BOB, at=BOBS)
        await scene.shows_in(BOBS, "One.")
        await scene.say("/budget", BOB, at=BOBS)
        told = await scene.shows_in(BOBS, "**Budgets**")
        await scene.say("/budget day 100", BOB, at=BOBS)
        await scene.shows_in(BOBS, "Only an owner can change budgets.")
        await scene.say("/status", BOB, at=BOBS)
        status = await scene.shows_in(BOBS, "- Version")
    assert f"{YOU_TODAY} $0.12 of $1.00 is used (12 %)" in told
    assert f"{ALL_TODAY} 2 % is used" in told
    assert "$5.00" not in told
    assert "Money" not in status
    assert dict(scene.store.rows.budgets) == {}


async def test_an_owner_sets_budgets_with_buttons_and_takes_them_away() -> None:
    async with stage() as scene:
        await scene.say("/budget")
        await scene.shows(NO_BUDGET)
        await scene.press("Day $5")
        await scene.shows(f"{ALL_TODAY} $0.00 of $5.00 is used (0 %)")
        assert scene.store.rows.budgets[Scope.DAY].money == 5 * DOLLAR
        await scene.crash()
        await scene.say("/status")
        await scene.shows("Money today, all chats: $0.00, of $5.00")
        await scene.press("Day: no budget")
        await scene.shows(BUDGET_OFF)
    actions = [line.action for line in scene.store.rows.audit if line.person is not None]
    assert actions == ["budget.set", "budget.set"]


@pytest.mark.parametrize("words", ["day", "week 5", "day 5 6", "day -1", "message much"])
async def test_bad_words_change_nothing(words: str) -> None:
    async with stage() as scene:
        await scene.say(f"/budget {words}")
        await scene.until(lambda: len(scene.texts) == 1)
    assert dict(scene.store.rows.budgets) == {}


async def test_the_day_of_a_person_begins_at_their_own_midnight() -> None:
    async with stage(costing("One.", 12), costing("Two.", 1)) as scene:
        scene.bound(person="0.1")
        await scene.crash()
        await scene.say("/timezone Tokyo")
        await scene.shows("Asia/Tokyo")
        await scene.say("first")
        await scene.shows("One.")
        await scene.say("second")
        told = await scene.shows(HALTED)
        assert "(Asia/Tokyo)" in told
        assert "00:00" in told
        await scene.clock.advance(24 * 3600)
        await scene.press(GO_ON)
        await scene.shows("Two.")


async def test_another_time_zone_is_no_new_budget_before_the_day_has_ended() -> None:
    async with stage(costing("One.", 12), costing("Two.", 1)) as scene:
        scene.bound(person="0.1")
        await scene.crash()
        await scene.say("first")
        await scene.shows("One.")
        await scene.clock.advance(5_400)
        await scene.say("/timezone Pacific/Guadalcanal")
        await scene.shows("it is 00:30 there")
        await scene.say("second")
        assert "00:00 (UTC)" in await scene.shows(HALTED)
        await scene.clock.advance(11 * 3600)
        await scene.press(GO_ON)
        await scene.shows("Two.")


@pytest.mark.parametrize(
    ("start", "hours"),
    [
        (datetime(2027, 3, 27, 23, 10, tzinfo=UTC), 23),
        (datetime(2027, 10, 30, 22, 10, tzinfo=UTC), 25),
    ],
    ids=["the clocks go forward", "the clocks go back"],
)
async def test_a_budget_counts_for_the_whole_of_a_day_whose_hours_are_not_24(
    start: datetime, hours: int
) -> None:
    script = (costing("One.", 12), costing("Two.", 1))
    async with stage(*script) as scene:
        scene.clock.set_wall((start - scene.clock.now()).total_seconds())
        scene.bound(person="0.1")
        await scene.crash()
        await scene.say("/timezone Berlin")
        await scene.shows("Europe/Berlin")
        await scene.say("first")
        await scene.shows("One.")
        await scene.clock.advance((hours - 1) * 3600 + 2_400)
        await scene.say("second")
        assert "00:00 (Europe/Berlin)" in await scene.shows(HALTED)
        await scene.clock.advance(900)
        await scene.press(GO_ON)
        await scene.shows("Two.")


@pytest.mark.parametrize("days", [-1, -366])
async def test_what_a_clock_that_was_ahead_has_spent_counts_on_its_own_day(days: int) -> None:
    async with stage(costing("One.", 12), costing("Two.", 12), costing("Three.", 1)) as scene:
        scene.bound(day="0.10")
        await scene.crash()
        await scene.say("first")
        await scene.shows("One.")
        scene.clock.set_wall(days * 86_400)
        await scene.say("second")
        await scene.shows("Two.")
        await scene.say("third")
        assert "$0.12" in await scene.shows(HALTED)
        await scene.crash()
        scene.clock.set_wall(-days * 86_400)
        await scene.say("fourth")
        await scene.until(lambda: sum(HALTED in text for text in scene.texts) == 2)
        scene.clock.set_wall(86_400)
        await scene.say("fifth")
        await scene.shows("Three.")


async def test_an_owner_is_warned_in_a_private_chat_that_has_no_persons_number() -> None:
    terminal = Address("fake", "local")
    async with stage(costing("One.", 12)) as scene:
        scene.bound(day="0.13")
        await scene.crash()
        await scene.say("first", at=terminal)
        await scene.shows_in(terminal, MOSTLY_USED)


async def test_a_budget_names_the_owner_who_set_it() -> None:
    async with stage() as scene:
        await scene.say("/budget person 5")
        told = await scene.shows(FIVE_EACH)
        await scene.say("/budget turn 1")
        more = await scene.shows("Each message: at most $1.00, set by Ann")
    assert f"{YOU_TODAY} $0.00 of $5.00 is used (0 %), set by Ann" in told
    assert f"{YOU_TODAY} $0.00 of $5.00 is used (0 %), set by Ann" in more
