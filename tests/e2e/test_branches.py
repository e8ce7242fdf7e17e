"""A talk branches off and is opened again in the whole program, across SIGKILL, on each channel."""

from pathlib import Path

import pytest

from tests.e2e.launching import Command
from tests.e2e.steward import KEY, Steward
from tests.e2e.terminals import Terminal
from tests.standins.messages_api import Gate, MessagesApi, text
from tests.standins.serving import serving
from tests.words import BRANCHED, OPEN_AGAIN, READY, STILL_WORKING, TALKS


@pytest.mark.shared
async def test_talks_branch_off_and_are_opened_by_buttons_over_kills(steward: Steward) -> None:
    gate = Gate()
    steward.script(text("Rome."), text("By train."), text("By ship.").held(gate), text("Two days."))
    await steward.start()
    steward.say("Where shall I go?")
    await steward.sees("Rome.")
    await steward.recorded()
    steward.say("/title Holidays")
    await steward.sees("This conversation is called “Holidays”.")
    steward.say("/branch Another way")
    branched = await steward.sees(BRANCHED)
    steward.say("How do I get there?")
    await steward.sees("By train.")
    first, second = steward.model.requests
    assert second.body["messages"][0] == first.body["messages"][0]
    assert (second.body["system"], second.body["tools"]) == (
        first.body["system"],
        first.body["tools"],
    )
    await steward.recorded()
    await steward.restart()
    steward.press(branched, "◂ Back to “Holidays”")
    await steward.sees(OPEN_AGAIN)
    steward.say("How else do I get there?")
    await gate.arrived()
    assert "By train." not in str(steward.model.requests[-1].body["messages"])
    steward.say("/branch")
    await steward.sees(STILL_WORKING)
    gate.release()
    await steward.sees("By ship.")
    await steward.recorded()
    steward.say("/conversations")
    listed = await steward.sees(TALKS)
    assert "✓ Holidays" in listed.labels
    await steward.recorded()
    await steward.restart()
    steward.press(listed, "Another way")
    await steward.sees("Another way is open again")
    steward.say("How long does it take?")
    await steward.sees("Two days.")
    asked = str(steward.model.requests[-1].body["messages"])
    assert "By train." in asked
    assert "By ship." not in asked


async def test_in_the_terminal_conversations_are_opened_by_keys(
    tmp_path: Path, command: Command
) -> None:
    model = MessagesApi(api_key=KEY)
    model.script.add(text("Rome."), text("By train."), text("Two days."))
    async with serving(model.app) as url:
        access = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url}
        talk = Terminal(tmp_path, "chat", columns=100, rows=40, command=command, environ=access)
        try:
            await talk.shows(READY)
            talk.say("Where shall I go?")
            await talk.shows("Rome.")
            talk.say("/branch Side")
            await talk.shows(BRANCHED)
            talk.say("How do I get there?")
            await talk.shows("By train.")
            talk.say("/conversations")
            await talk.shows("✓ Side", "[w] Where shall I go?")
            talk.say("w")
            await talk.shows(OPEN_AGAIN)
            talk.say("How long?")
            await talk.shows("Two days.")
            assert "By train." not in str(model.requests[-1].body["messages"])
            talk.say("/quit")
            assert await talk.ended() == 0
        finally:
            talk.close()
