"""A decided card leads to its conversation as well as to its turn."""

import pytest

from tests.e2e.steward import Steward
from tests.e2e.test_page_reading import signed_in
from tests.standins.messages_api import calls, text, tool

pytestmark = pytest.mark.flows_own("the page is served beside any platform")

WRITE = tool("write_file", {"path": "a.txt", "content": "x"})


async def test_a_decided_card_leads_to_the_conversation_of_its_reader_alone(
    steward: Steward,
) -> None:
    bob = steward.person(77, "Bob")
    steward.settings["STEWARD_ALLOWED"] = steward.account(bob)
    async with signed_in(steward) as page:
        home = await page.home()
        steward.script(calls(WRITE), text("Written."))
        await page.say("Write a file", home)
        await page.sees("Approve", home)
        await page.press("Approve", home)
        await page.sees("Written.", home)
        (row,) = (await page.page("/cards")).select("section tbody tr:has(a[href^='/turn/'])")
        assert home in [str(one["href"]) for one in row.select("a[href]")]
        steward.script(calls(WRITE), text("Written, too."))
        steward.say("Write a file", by=bob)
        await steward.sees("I sent this question to an owner", at=bob)
        await page.press("Approve", "/cards")
        await steward.sees("Written, too.", at=bob)
        newest, own = (await page.page("/cards")).select("tbody tr:has(a[href^='/turn/'])")
        # The chat of somebody else has no page for an owner, so nothing leads there.
        assert newest.select("a[href^='/chat/']") == []
        assert len(own.select("a[href^='/chat/']")) == 1
