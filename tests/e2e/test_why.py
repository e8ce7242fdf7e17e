"""`/why` in the running program: what allowed a call is told by rows, so SIGKILL takes nothing."""

from urllib.parse import urlsplit

import pytest

from tests.e2e.steward import Steward
from tests.ports import free_port
from tests.standins.messages_api import calls, text, tool
from tests.words import APPROVE

WHY = "Why this answer"


@pytest.mark.shared("thorough")
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


@pytest.mark.flows_own("the page is served beside any platform")
async def test_its_last_line_is_the_address_of_the_page_about_the_answer_in_private_alone(
    steward: Steward,
) -> None:
    public = "https://steward.example.org"
    steward.script(text("An answer."), text("Another."))
    await steward.start(STEWARD_WEB_PORT=free_port(), STEWARD_WEB_PUBLIC_URL=public)
    steward.say("Ask")
    await steward.sees("An answer.")
    steward.say("/why")
    told = (await steward.sees(WHY)).text
    ((turn,),) = steward.records.rows("SELECT id FROM turn")
    assert told.splitlines()[-1].endswith(f"{public}/turn/{turn}")
    assert urlsplit(told.split()[-1]).path == f"/turn/{turn}"
    team = steward.team(steward.person(77, "Bob"))
    steward.call("ask", at=team)
    await steward.sees("Another.", at=team)
    steward.call("/why", at=team)
    assert public not in (await steward.sees(WHY, at=team)).text


@pytest.mark.flows_own("the page is served beside any platform")
async def test_no_line_leads_to_a_page_that_only_this_machine_reaches(steward: Steward) -> None:
    steward.script(text("An answer."))
    await steward.start(STEWARD_WEB_PORT=free_port())
    steward.say("Ask")
    await steward.sees("An answer.")
    steward.say("/why")
    assert "/turn/" not in (await steward.sees(WHY)).text
