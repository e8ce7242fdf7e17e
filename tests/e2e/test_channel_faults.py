"""Faults in the program of a channel, which nobody foresaw: they end no run and no turn."""

import pytest

from tests.e2e.steward import Steward
from tests.standins.messages_api import Gate, calls, text, tool

pytestmark = pytest.mark.on_each_platform

_TOLD = "Something could not be shown in"


async def test_a_channel_that_fails_at_showing_ends_nothing_and_its_owner_is_told_once(
    steward: Steward,
) -> None:
    gate = Gate()
    steward.module = "tests.e2e.faulty_channel_program"
    steward.script(
        text("A first part.").held(gate, after=3),
        calls(tool("write_file", {"path": "a.md", "content": "a"})),
        text("Written."),
    )
    await steward.start()
    steward.say("Tell me something")
    told = await steward.sees(_TOLD)
    assert "I still run" in told.text
    gate.release()
    await steward.sees("A first part.")
    steward.say("Write a file")
    steward.press(await steward.card(), "✅ Approve")
    await steward.sees("Written.")
    assert len(steward.showing(_TOLD)) == 1
    assert steward.running
    assert steward.output.count("nobody foresaw this") >= 1
