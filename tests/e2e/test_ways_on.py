"""Buttons below the end of a turn, in the running program, across SIGKILL and in both channels."""

from pathlib import Path

import pytest

from tests.e2e.launching import Command
from tests.e2e.steward import Steward, words_in
from tests.e2e.terminals import Terminal
from tests.standins.messages_api import Gate, MessagesApi, Reply, calls, failure, text, tool
from tests.words import (
    ASKERS_ONLY,
    GO_ON,
    GOING_ON,
    GONE_ON,
    NOT_LET_IN,
    PRESSED_ALREADY,
    READY,
    RETRY,
    STOPPED_AFTER,
    TRYING_AGAIN,
)

_FLOWS_OWN = pytest.mark.flows_own("what a turn can do next is told by its rows")

REFUSED = failure(401, "invalid x-api-key")
ASKS = calls(
    tool(
        "send_message",
        {"message": "Tea or coffee?", "is_question": True, "choices": ["Tea", "Coffee"]},
    )
)


@_FLOWS_OWN
async def test_another_try_outlives_a_kill_and_counts_once(steward: Steward) -> None:
    steward.script(REFUSED)
    await steward.start()
    steward.say("What is new?")
    told = await steward.sees(NOT_LET_IN)
    await steward.recorded()
    await steward.restart()
    gate = Gate()
    steward.script(text("Lost.").held(gate), text("Much is new."))
    first = steward.press(told, RETRY)
    assert await steward.answered(first) == ""
    await gate.arrived()
    second = steward.press(told, RETRY)
    assert PRESSED_ALREADY in await steward.notified(second)
    # An edit may have been shown, and not have been noted.
    steward.foreseen.append("message is not modified")
    await steward.restart()
    await steward.sees("Much is new.")
    assert TRYING_AGAIN in steward.showing(NOT_LET_IN)[0].text
    assert words_in(steward.model.requests[-1]).count("What is new?") == 2
    assert len(steward.records.stop_reasons) == 2


@_FLOWS_OWN
@pytest.mark.parametrize("after_work", [False, True])
async def test_a_kill_between_the_press_and_its_turn_loses_nothing_and_doubles_nothing(
    steward: Steward, after_work: bool
) -> None:
    steward.script(REFUSED)
    await steward.start()
    steward.say("What is new?")
    told = await steward.sees(NOT_LET_IN)
    await steward.recorded()
    # It may have taken the buttons away, and not have noted it.
    steward.foreseen.append("message is not modified")
    # The program answers a press as soon as it is stored; there it is killed.
    answering = steward.way.hold_acknowledgement(after_work=after_work)
    lost = Gate()
    steward.script(text("Lost.").held(lost), text("Much is new."))
    steward.press(told, RETRY)
    await answering.arrived()
    await lost.arrived()
    await steward.restart()
    await steward.sees("Much is new.")
    assert len(steward.showing("Much is new.")) == 1
    assert len(steward.records.stop_reasons) == 2


async def test_a_press_that_came_while_the_program_was_dead_counts(steward: Steward) -> None:
    steward.script(REFUSED)
    await steward.start()
    steward.say("What is new?")
    told = await steward.sees(NOT_LET_IN)
    await steward.recorded()
    await steward.kill()
    press = steward.press(told, RETRY)
    steward.script(text("Much is new."))
    await steward.start()
    steward.way.press_again_if_lost(press)
    await steward.sees("Much is new.")


async def test_old_presses_and_those_of_strangers_do_nothing_and_say_so(steward: Steward) -> None:
    eve = steward.person(666, "Eve")
    team = steward.team(eve)
    steward.script(REFUSED, text("Something else."))
    await steward.start()
    steward.call("What is new?", at=team)
    told = await steward.sees(NOT_LET_IN, at=team)
    theirs = steward.press(told, RETRY, eve)
    assert await steward.notified(theirs) == ASKERS_ONLY
    steward.call("Never mind. What else?", at=team)
    await steward.sees("Something else.", at=team)
    await steward.until(lambda: not steward.showing(NOT_LET_IN, team)[0].buttons)
    old = steward.press(told, RETRY)
    assert GONE_ON in await steward.notified(old)
    assert len(steward.model.requests) == 2


@_FLOWS_OWN
async def test_a_turn_stopped_by_its_rounds_goes_on(steward: Steward) -> None:
    look = calls(tool("current_time", {}))
    steward.script(look, calls(tool("list_files", {})), text("Now I know."))
    await steward.start(STEWARD_SOFT_ROUNDS=1)
    steward.say("Look around")
    told = await steward.sees(STOPPED_AFTER)
    await steward.recorded()
    await steward.restart()
    steward.press(told, GO_ON)
    await steward.sees("Now I know.")
    assert GOING_ON in steward.showing(STOPPED_AFTER)[0].text
    assert "Look around" not in words_in(steward.model.requests[-1])


@pytest.mark.shared
async def test_a_choice_is_the_answer_also_after_a_kill(steward: Steward) -> None:
    steward.script(ASKS, text("Here is your tea."))
    await steward.start()
    steward.say("Make me a drink")
    asked = await steward.sees("Tea or coffee?")
    assert [b.text for row in asked.buttons for b in row] == ["Tea", "Coffee"]
    await steward.recorded()
    await steward.restart()
    steward.press(asked, "Tea")
    await steward.sees("Here is your tea.")
    assert words_in(steward.model.requests[-1]).startswith("Tea")
    await steward.until(lambda: "✓ Tea" in steward.showing("Tea or coffee?")[0].text)


@pytest.mark.parametrize(
    ("first", "key", "label"), [(REFUSED, "t", RETRY), (ASKS, "t", "Tea")], ids=["try", "choice"]
)
async def test_in_the_terminal_a_way_on_is_a_key_also_after_a_new_start(
    tmp_path: Path,
    model: MessagesApi,
    access: dict[str, str],
    command: Command,
    first: Reply,
    key: str,
    label: str,
) -> None:
    model.script.add(first)
    talk = Terminal(tmp_path, "chat", columns=100, rows=40, command=command, environ=access)
    try:
        await talk.shows(READY)
        talk.say("make me a drink")
        await talk.shows(f"[{key}] {label}")
        talk.say("/quit")
        assert await talk.ended() == 0
    finally:
        talk.close()
    model.script.add(text("Here is your tea."))
    again = Terminal(tmp_path, "chat", columns=100, rows=40, command=command, environ=access)
    try:
        await again.shows(f"[{key}] {label}")
        again.say(key)
        await again.shows("Here is your tea.")
        again.say("/quit")
        assert await again.ended() == 0
    finally:
        again.close()


async def test_in_the_terminal_words_go_past_the_keys(
    tmp_path: Path, model: MessagesApi, access: dict[str, str], command: Command
) -> None:
    model.script.add(ASKS, text("Water, then."))
    talk = Terminal(tmp_path, "chat", columns=100, rows=40, command=command, environ=access)
    try:
        await talk.shows(READY)
        talk.say("make me a drink")
        await talk.shows("[t] Tea", "Coffee")
        talk.say("water, please")
        await talk.shows("Water, then.")
        talk.say("t")
        await talk.shows("t")
        assert "The card stays open" not in talk.text
    finally:
        talk.close()
