"""The page in a browser: people sign in, talk, decide, and miss nothing."""

import socket
from collections.abc import AsyncIterator

import pytest

from tests.e2e.browser import LINK, Browser, browser
from tests.e2e.steward import Steward
from tests.ports import free_port
from tests.standins.messages_api import calls, text, tool

pytestmark = pytest.mark.flows_own("the page is served beside any platform")


@pytest.fixture
async def page(steward: Steward) -> AsyncIterator[Browser]:
    """A browser in which the person at the machine is signed in."""
    await steward.start(STEWARD_WEB_PORT=free_port())
    origin, code = (await steward.eventually(lambda: LINK.search(steward.output))).groups()
    async with browser(origin) as found:
        await steward.eventually(lambda: _answers(found.origin))
        assert (await found.enter(code)).status_code == 303
        yield found


def _answers(origin: str) -> bool:
    with socket.socket() as probe:
        host, port = origin.removeprefix("http://").split(":")
        return probe.connect_ex((host, int(port))) == 0


async def test_somebody_talks_and_decides_on_the_page(steward: Steward, page: Browser):
    home = await page.home()
    async with page.listening(home) as heard:
        steward.script(text("Hello from the model."))
        await page.say("Hi there", home)
        await heard.hears("Hello from the model.")
        steward.script(
            calls(tool("write_file", {"path": "a.txt", "content": "x"})), text("Written.")
        )
        await page.say("Write a file", home)
        await heard.hears("a.txt")
        await page.press("Approve", home)
        await heard.hears("Written.")
    assert (steward.home / "workspace" / "a.txt").read_text() == "x"
    said = [text for _, text in await page.messages(home)]
    assert "Hi there" in said[0]
