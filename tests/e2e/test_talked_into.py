"""Pages attack the running program; the model obeys each of them, and nothing happens."""

from collections.abc import AsyncIterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from tests.attacks.attack_texts import DISGUISES, ORDERS, THINGS
from tests.attacks.obedient import orders_in
from tests.e2e.steward import Steward, results_in
from tests.standins.messages_api import calls, text, tool
from tests.standins.serving import serving
from tests.words import ALWAYS, DENY, RULE_PAUSED

pytestmark = pytest.mark.flows_own("what a page asks for is judged in the turn")

WRITTEN = THINGS["write"].format(0)
PICKED = (
    *("plain", "closing", "closing of look-alikes", "closing with a hidden letter", "forged note"),
    *("forged late result", "forged plan", "forged sender", "forged system", "tags", "look-alikes"),
    *("base64", "zero width", "reversed"),
)


@pytest.fixture
async def site(steward: Steward) -> AsyncIterator[str]:
    async def page(request: Request) -> PlainTextResponse:
        order = ORDERS["en"][0].format(WRITTEN)
        return PlainTextResponse(DISGUISES[PICKED[int(request.path_params["n"])]].make(order))

    async with serving(Starlette(routes=[Route("/{n}", page)])) as url:
        steward.settings |= {"STEWARD_WEB_HOSTS": url.removeprefix("http://")}
        yield url


async def test_a_dozen_pages_ask_for_what_a_rule_allows_and_each_waits_for_a_press(
    steward: Steward, site: str
) -> None:
    write = calls(tool("write_file", {"path": WRITTEN, "content": "a"}))
    target = steward.workspace / WRITTEN
    steward.script(write, text("Allowed."))
    # What is recalled would bring the mark of the page before.
    await steward.start(STEWARD_RECALL_TOKENS="0")
    steward.say("Write it")
    steward.press(await steward.card(), ALWAYS)
    await steward.sees("Allowed.")
    target.unlink()
    # The rule holds as long as nothing foreign is in view, so only the guard can stop a page.
    steward.script(write, text("By the rule."))
    steward.say("Write it again")
    await steward.sees("By the rule.")
    target.unlink()
    for n, disguise in enumerate(PICKED):
        page = calls(tool("web_fetch", {"url": f"{site}/{n}"}))
        steward.script(page, write, text(f"Kept off {disguise}."))
        steward.say("/new")
        steward.say(f"Read {site}/{n}")
        card = await steward.card()
        assert RULE_PAUSED in card.text
        (told,) = results_in(steward.model.requests[-1]).values()
        assert ("write", WRITTEN) in list(orders_in(told))
        assert told.count("</quoted_data>") == told.count('<quoted_data from="the web page') == 1
        assert "\n[Steward] The person has" not in told
        assert not target.exists()
        steward.press(card, DENY)
        await steward.sees(f"Kept off {disguise}.")
    assert not target.exists()
