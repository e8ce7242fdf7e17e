"""The page without a chat app and without a terminal: one person starts it, others are let in."""

import re
import socket
from collections.abc import AsyncIterator

import pytest
from bs4 import BeautifulSoup

from tests.e2e.browser import LINK, browser, forms_in
from tests.e2e.steward import Steward
from tests.e2e.test_page import door
from tests.e2e.test_page_login import signed_in_as
from tests.ports import free_port
from tests.standins.messages_api import text

pytestmark = pytest.mark.flows_own("no platform is served")


@pytest.fixture
def alone(steward: Steward) -> Steward:
    steward.settings = {k: v for k, v in steward.settings.items() if not k.endswith("_BOT_TOKEN")}
    steward.settings["STEWARD_WEB_PORT"] = str(free_port())
    return steward


@pytest.fixture
async def served(alone: Steward) -> AsyncIterator[str]:
    """The address of the page."""
    process = await alone.launched("run")
    yield await door(alone)
    process.terminate()
    assert await process.wait() == 0


async def test_the_page_alone_is_served_and_others_are_let_in_there(
    alone: Steward, served: str
) -> None:
    async with browser(served) as owner, browser(served) as bob:
        assert (await owner.enter(LINK.findall(alone.output)[-1][1])).is_redirect
        alone.script(text("Hello from the model."))
        await owner.say("Hi there")
        await owner.sees("Hello from the model.")
        form = next(one for one in await owner.forms("/people") if "sign-in link" in one.label)
        answer = await owner.send(form, second="Bob")
        told = BeautifulSoup(answer.text, "html.parser")
        code = LINK.search(told.get_text(" "))
        assert code is not None
        assert (await bob.enter(code[2])).is_redirect
        assert await signed_in_as(bob) == "Bob"
        alone.script(text("Hello Bob."))
        await bob.say("Hi")
        await bob.sees("Hello Bob.")
        people = (await owner.page("/people")).get_text(" ", strip=True)
        assert re.search(r"Bob member .* Came in .*, by ", people)
        # The buttons below the answer give more, as those in a chat do.
        more = next(
            one
            for one in forms_in(BeautifulSoup(answer.text, "html.parser"))
            if "approve changes" in one.label
        )
        assert "approve changes" in (await owner.send(more)).text


async def test_a_port_in_use_leaves_no_way_to_talk_and_ends_it(alone: Steward) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        alone.settings["STEWARD_WEB_PORT"] = str(other.getsockname()[1])
        assert await alone.exit_code("run") == 2
    (sentence,) = alone.output.splitlines()
    assert sentence.startswith("steward: There is no way to talk to me: no chat app is set up")
