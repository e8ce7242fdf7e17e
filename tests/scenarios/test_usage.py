"""What calls have cost: for whom it is told, by what, and in whose days."""

from dataclasses import replace

import pytest

from bot.domain.money.model import Usage
from bot.domain.money.money import DOLLAR
from bot.domain.talk.message import Address
from bot.domain.talk.person import Role
from bot.flow.money.usage_words import rows_of, series_of, table
from bot.ports.ledger import Bill
from tests.fakes.model import says
from tests.scenarios.stage import ANN, BOB, Stage, stage
from tests.scenarios.team import TEAM, group
from tests.words import NO_USAGE

BOBS = Address("fake", "2")
BOTH = ((ANN, Role.OWNER), (BOB, Role.MEMBER))


def costing(text: str, tenths: int):
    """A reply whose tokens cost so many tenths of a dollar."""
    return replace(says(text), usage=Usage(output=tenths * 20_000))


async def both_have_asked(scene: Stage) -> None:
    await scene.say("mine and secret")
    await scene.shows("To Ann.")
    await scene.say("a question of Bob", BOB, at=BOBS)
    await scene.shows_in(BOBS, "To Bob.")
    await scene.settled(2)


async def test_an_owner_sees_all_and_a_member_their_own() -> None:
    async with stage(costing("To Ann.", 3), costing("To Bob.", 4), people=BOTH) as scene:
        await both_have_asked(scene)
        await scene.say("/usage day person")
        told = await scene.shows("Usage of all chats, today")
        await scene.say("/usage person day", BOB, at=BOBS)
        own = await scene.shows_in(BOBS, "Usage of your messages, today")
    assert "Ann  $0.30" in told
    assert "Bob  $0.40" in told
    assert "$0.70 in 2 calls" in told
    assert "Ann" not in own
    assert "$0.40 in 1 call " in own


async def test_tasks_have_the_readers_own_words_and_nobody_elses() -> None:
    async with stage(costing("To Ann.", 3), costing("To Bob.", 4), people=BOTH) as scene:
        await both_have_asked(scene)
        await scene.say("/usage task")
        told = await scene.shows("Usage of all chats")
    assert "mine and secret" in told
    assert "a question" not in told
    assert "Bob" in told


async def test_chats_and_skills_are_named() -> None:
    async with stage(costing("To Ann.", 3), costing("To Bob.", 4), people=BOTH) as scene:
        await both_have_asked(scene)
        await scene.say("/usage chat")
        await scene.shows("private, Bob")
        await scene.say("/usage skill")
        await scene.shows("without a skill")


async def test_the_chart_has_the_readers_days_and_a_layer_for_each_subject() -> None:
    async with stage(costing("To Ann.", 3), costing("To Bob.", 4), people=BOTH) as scene:
        await both_have_asked(scene)
        await scene.say("/timezone Auckland")
        await scene.shows("Pacific/Auckland")
        await scene.say("/usage week person")
        await scene.shows("since 28 Oct 00:00 (Pacific/Auckland)")
        (chart,) = scene.charts.drawn.values()
    # At noon in UTC it is past midnight there.
    assert chart.bars == ("Wed 28", "Thu 29", "Fri 30", "Sat 31", "Sun 01", "Mon 02", "Tue 03")
    assert chart.money
    layers = {series.name: series.numbers for series in chart.series}
    assert layers == {"Ann": (*[0] * 6, 3 * DOLLAR // 10), "Bob": (*[0] * 6, 4 * DOLLAR // 10)}


async def test_a_picture_that_fails_leaves_the_table() -> None:
    async with stage(costing("To Ann.", 3)) as scene:
        scene.charts.fails = True
        await scene.say("hello")
        await scene.shows("To Ann.")
        await scene.say("/usage")
        await scene.shows("██████████ 1 call")
    assert len(scene.texts) == 2


async def test_what_is_too_old_does_not_count() -> None:
    async with stage(costing("To Ann.", 3)) as scene:
        await scene.say("hello")
        await scene.shows("To Ann.")
        scene.clock.set_wall(7 * 24 * 3600)
        await scene.say("/usage week")
        await scene.shows(NO_USAGE)
        await scene.say("/usage month")
        await scene.shows("$0.30 in 1 call")


def bill(of: str, cost: int, slot: int = 0, **more: int) -> Bill:
    return Bill(slot, of, 1, Usage(1_200_000, 500), cost, *(more.get(n, 0) for n in ("u", "e")))


def test_the_cheaper_ones_share_one_row() -> None:
    rows = rows_of([bill(f"model-{n}", n * DOLLAR) for n in range(1, 12)], str)
    lines = table(rows).splitlines()
    assert lines[0] == "model-11  $11.00"
    assert lines[-3:] == [
        "3 others  $6.00",
        "█████░░░░░ 3 calls",
        "tokens: 3.6M in, 1.5k out",
    ]
    assert [len(one.numbers) for one in series_of(rows, 1, money=True)] == [1] * 6
    assert sum(one.numbers[0] for one in series_of(rows, 1, money=True)) == 66 * DOLLAR


@pytest.mark.parametrize(
    ("one", "told"),
    [
        (bill("m", 0, u=1), "price unknown"),
        (bill("m", DOLLAR, e=1), "≈ $1.00"),
        (bill("m", 0), "$0.00"),
        (bill("m", 0, e=1), "$0.00"),
    ],
)
def test_unknown_is_never_nothing(one: Bill, told: str) -> None:
    assert table(rows_of([one], str)).splitlines()[0] == f"m  {told}"


def test_a_label_cannot_leave_the_table() -> None:
    (line, *_) = table(rows_of([bill("a```\n**b**\u202e" + "x" * 99, 1)], str)).splitlines()
    assert "`" not in line
    assert len(line) < 60


async def test_a_group_sees_what_the_group_has_cost() -> None:
    async with group(costing("In the group.", 3)) as team:
        await team.ask("hello", BOB)
        await team.scene.settled()
        await team.ask("/usage")
        told = await team.scene.shows_in(TEAM, "Usage of this group")
    assert "$0.30 in 1 call" in told
