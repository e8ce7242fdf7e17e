"""The demo's scenes in the real program: files are made, commands run, and a no counts."""

import pytest

from tests.e2e.steward import Steward
from tests.words import ALWAYS, APPROVE, DENY

_FLOWS_OWN = pytest.mark.flows_own("the demo model sees turns alone")


async def pressed(steward: Steward, label: str) -> None:
    """Presses a button of the oldest open card, and waits until that card is decided."""
    card = await steward.card()
    await steward.recorded()
    steward.press(card, label)
    await steward.until(lambda: card.id not in [open.id for open in steward.cards])


@pytest.fixture
async def demo(steward: Steward) -> Steward:
    del steward.settings["ANTHROPIC_API_KEY"]
    await steward.start()
    return steward


@_FLOWS_OWN
@pytest.mark.commands
async def test_a_bug_is_found_a_wrong_way_denied_and_the_right_one_taken(demo: Steward) -> None:
    demo.say("show me the tests")
    for label in (APPROVE, APPROVE, DENY, APPROVE, APPROVE):
        await pressed(demo, label)
    await demo.sees("both tests pass")
    program = (demo.workspace / "demo_prices.py").read_text()
    assert "return round(" in program
    assert "11.89)" in program


@_FLOWS_OWN
@pytest.mark.commands
async def test_a_messy_export_becomes_a_clean_table(demo: Steward) -> None:
    demo.say("csv")
    for _ in range(4):
        await pressed(demo, APPROVE)
    await demo.sees("5 rows in, 3 out, 2 put aside")
    clean = (demo.workspace / "demo-expenses.clean.csv").read_text()
    assert clean.splitlines()[0] == "date,what,amount"
    assert len(clean.splitlines()) == 4
    demo.say("list")
    await demo.sees("demo-expenses.rejected.csv")


@_FLOWS_OWN
async def test_what_is_allowed_for_good_does_not_ask_again(demo: Steward) -> None:
    demo.say("always")
    await pressed(demo, ALWAYS)
    await demo.sees("Written")
    demo.say("always")
    await demo.sees("Written", times=2)
    assert demo.cards == []


async def test_its_question_takes_an_answer(demo: Steward) -> None:
    demo.say("question")
    await demo.sees("Tea or coffee?")
    demo.say("tea please")
    await demo.sees("Tea it is.")
