"""`/why` in the running program: what allowed a call is told by rows, so SIGKILL takes nothing."""

import pytest

from tests.e2e.steward import Steward
from tests.standins.messages_api import calls, text, tool
from tests.words import APPROVE

WHY = "Why this answer"


@pytest.mark.shared
async def test_who_allowed_a_change_is_told_after_a_kill(steward: Steward) -> None:
    write = tool("write_file", {"path": "week.md", "content": "Tea\n"})
    steward.script(calls(tool("list_files", {}), write), text("Written."))
    await steward.start()
    steward.say("Note the tea")
    steward.press(await steward.card(), APPROVE)
    await steward.sees("Written.")
    await steward.recorded()
    await steward.restart()
    steward.say("/why")
    page = (await steward.sees(WHY)).text
    assert "“Note the tea”" in page
    assert "List the workspace: it only reads" in page
    assert "Write week.md: you approved its card" in page
    assert "claude" in page
    assert "% from the cache" in page or "tokens read" in page
    assert "How it ended:" in page


async def test_what_a_tool_read_outside_is_named(steward: Steward) -> None:
    (steward.workspace / "a.md").write_text("hello")
    steward.script(calls(tool("read_file", {"path": "a.md"})), text("Read."), text("More."))
    await steward.start()
    steward.say("Read a.md")
    await steward.sees("Read.")
    steward.say("And?")
    await steward.sees("More.")
    steward.say("/why")
    assert "1 earlier message of this conversation" in (await steward.sees(WHY)).text
