"""Money in the running program: what is told, what is refused, and what a SIGKILL leaves."""

from collections.abc import Callable

import pytest

from tests.e2e.steward import Steward
from tests.e2e.terminals import Terminal
from tests.standins.messages_api import Gate, MessagesApi, text
from tests.words import (
    GO_ON,
    HALTED,
    MOSTLY_USED,
    NO_BUDGET,
    NO_USAGE,
    OVER_DAY,
    TEN_A_DAY,
    TWO_A_MESSAGE,
    UNCOUNTED,
    YOU_TODAY,
)

_FLOWS_OWN = pytest.mark.flows_own("money is counted in the store")

COSTS = "SELECT call, cost, estimated FROM usage ORDER BY id"


@_FLOWS_OWN
async def test_usage_is_a_table_and_a_picture(steward: Steward) -> None:
    steward.script(text("Hello."))
    await steward.start()
    steward.say("/usage")
    await steward.sees(NO_USAGE)
    steward.say("Hi")
    await steward.sees("Hello.")
    for words in ("", " day person", " month task", " chat", " skill"):
        steward.say(f"/usage{words}")
    told = await steward.sees("Usage of all chats, 7 days", times=2)
    assert "anthropic/claude-sonnet-5-5" in told.text
    assert "██████████ 1 call" in told.text
    assert "$0." in told.text
    assert "Ann" in (await steward.sees("Usage of all chats, today")).text
    assert "Hi" in (await steward.sees("Usage of all chats, 30 days")).text
    pictures = await steward.until(
        lambda: [one for one in steward.shown if one.file is not None][4:] and steward.shown
    )
    files = [one.file for one in pictures if one.file is not None]
    assert all(file.data.startswith(b"\x89PNG") for file in files)


@_FLOWS_OWN
async def test_a_picture_that_cannot_be_drawn_leaves_the_table(steward: Steward) -> None:
    (steward.home / "charts").write_text("a file where a folder should be")
    steward.foreseen.append("no chart")
    steward.script(text("Hello."))
    await steward.start()
    steward.say("Hi")
    await steward.sees("Hello.")
    steward.say("/usage")
    await steward.sees("claude-sonnet-5-5")
    steward.say("/budget")
    await steward.sees(NO_BUDGET)
    assert all(one.file is None for one in steward.shown)


@pytest.mark.shared
@_FLOWS_OWN
async def test_a_budget_stops_a_turn_and_a_raised_one_lets_it_go_on(steward: Steward) -> None:
    steward.script(text("One."), text("Two."))
    await steward.start(STEWARD_BUDGET_DAY="0.001")
    steward.say("first")
    await steward.sees("One.")
    await steward.sees(MOSTLY_USED)
    steward.say("second")
    halted = await steward.sees(HALTED)
    assert OVER_DAY in halted.text
    assert "00:00 (UTC)" in halted.text
    assert len(steward.model.requests) == 1
    await steward.restart()
    steward.say("/budget day 10")
    await steward.sees(TEN_A_DAY)
    steward.press(halted, GO_ON)
    await steward.sees("Two.")
    steward.say("/status")
    assert "of $10.00; see /budget" in (await steward.sees("running for")).text
    assert len(steward.showing(MOSTLY_USED)) == 1
    assert [reason for reason in steward.records.stop_reasons if reason == "budget"] == ["budget"]


@_FLOWS_OWN
async def test_a_call_that_the_program_did_not_outlive_is_counted_at_its_least(
    steward: Steward,
) -> None:
    cut = Gate()
    steward.script(text("Half an answer.").held(cut), text("Whole."))
    await steward.start(STEWARD_BUDGET_DAY="5")
    steward.say("Hello")
    await cut.arrived()
    ((call, least, estimated),) = steward.records.rows(COSTS)
    assert estimated
    assert least > 0
    await steward.restart()
    await steward.sees("Whole.")
    await steward.eventually(lambda: [r for r in steward.records.rows(COSTS) if not r[2]])
    rows = steward.records.rows(COSTS)
    assert rows[0] == (call, least, estimated)
    assert len(rows) == 2
    assert rows[1][1] > least
    steward.say("/usage day")
    assert UNCOUNTED in (await steward.sees("Usage of all")).text


@_FLOWS_OWN
async def test_a_kill_between_the_refusal_and_its_word_says_it_once(steward: Steward) -> None:
    steward.script(text("One."))
    await steward.start(STEWARD_BUDGET_PERSON="0.001")
    steward.say("first")
    await steward.sees("One.")
    await steward.sees(MOSTLY_USED)
    sending = steward.way.hold_message()
    steward.say("second")
    await sending.arrived()
    await steward.restart()
    await steward.sees(HALTED)
    steward.say("/budget")
    await steward.sees(YOU_TODAY)
    assert len(steward.showing(HALTED)) == 1
    assert len(steward.showing(MOSTLY_USED)) == 1
    assert len(steward.model.requests) == 1


async def test_a_terminal_shows_the_table_and_no_picture(
    model: MessagesApi,
    access: dict[str, str],
    opened: Callable[..., Terminal],
) -> None:
    model.script.add(text("Hello."))
    terminal = opened(**access)
    terminal.say("Hi")
    await terminal.shows("Hello.")
    terminal.say("/usage")
    await terminal.shows("Usage of all chats, 7 days", "██████████", "claude-sonnet-5-5")
    terminal.say("/budget message 2")
    await terminal.shows(TWO_A_MESSAGE)
    assert "usage.png" not in terminal.text
