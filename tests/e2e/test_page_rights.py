"""Rights that an owner takes away count on a page that stands open."""

from collections.abc import AsyncIterator

import pytest

from tests.e2e.browser import LINK, Browser, browser
from tests.e2e.steward import Steward
from tests.e2e.test_page import door
from tests.ports import free_port
from tests.standins.messages_api import calls, text, tool
from tests.words import OWNERS_APPROVE

pytestmark = pytest.mark.flows_own("the page is served beside any platform")


@pytest.fixture
async def page(steward: Steward) -> AsyncIterator[Browser]:
    """A browser in which Bob has signed in, who may approve what changes his files."""
    bob = steward.person(77, "Bob")
    await steward.start(STEWARD_WEB_PORT=free_port(), STEWARD_ALLOWED=steward.account(bob))
    await door(steward)
    steward.say(f"/rights {bob.id} approve changes")
    await steward.sees("approve changes")
    steward.say("/login", by=bob)
    link = LINK.search((await steward.sees("Open this link in your browser", at=bob)).text)
    assert link is not None
    async with browser(link[1]) as found:
        assert (await found.enter(link[2])).status_code == 303
        yield found


async def test_a_right_that_is_taken_away_between_load_and_press_runs_nothing(
    steward: Steward, page: Browser
) -> None:
    steward.script(calls(tool("write_file", {"path": "a.txt", "content": "a"})))
    home = await page.home()
    await page.say("Write a file", home)
    await page.sees("Approve", home)
    forms = [
        next(one for one in await page.forms(path) if one.label.startswith("Approve"))
        for path in (home, "/cards")
    ]
    async with page.listening(home) as heard:
        await heard.until(lambda one: one.events)
        steward.say("/rights 77 approve off")
        await steward.sees("approve off")
        # The page is told to load again, and its stream ends.
        await heard.until(lambda one: one.ended)
        assert heard.events[-1].name == "left"
    async with page.listening(home) as heard:
        await heard.until(lambda one: one.events)
        for form in forms:
            assert (await page.send(form)).status_code in (303, 409)
        told = await heard.until(lambda one: [e.text for e in one.events if e.name == "told"])
        assert OWNERS_APPROVE in told[0]
    assert list(steward.workspace.rglob("a.txt")) == []
    assert steward.records.rows("SELECT state FROM approval") == [("open",)]


async def test_other_rights_than_those_of_a_person_leave_their_page_alone(
    steward: Steward, page: Browser
) -> None:
    cy = steward.person(43, "Cy")
    steward.say(f"/allow {steward.account(cy)}")
    await steward.sees("can use me now.")
    home = await page.home()
    async with page.listening(home) as heard:
        await heard.until(lambda one: one.events)
        steward.say("/rights 43 commands off")
        await steward.sees("commands off")
        steward.script(text("Here."))
        await page.say("Are you there?", home)
        await heard.hears("Here.")
        assert not [one for one in heard.events if one.name == "left"]
