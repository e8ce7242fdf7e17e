"""Pages of the web in the running program, between the stand-ins."""

import json
from collections.abc import AsyncIterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.e2e.steward import Steward
from tests.standins.messages_api import calls, text, tool
from tests.standins.searching import KEY, SearchServices
from tests.standins.serving import serving

PAGE = "<html><head><title>Ferries</title></head><body><main><h1>Ferries</h1>\
<p>The ferry leaves at <b>nine</b>. <a href='/more'>More</a></p></main></body></html>"


@pytest.fixture
async def site(steward: Steward) -> AsyncIterator[str]:
    async def page(request: Request) -> Response:
        if request.path_params["what"] == "inside":
            return RedirectResponse("http://127.0.0.1:9/secret")
        return HTMLResponse(PAGE)

    async with serving(Starlette(routes=[Route("/{what}", page)])) as url:
        steward.settings |= {"STEWARD_WEB_HOSTS": url.removeprefix("http://")}
        yield url


async def test_a_page_is_read_and_answered_and_private_addresses_are_refused(
    steward: Steward, site: str
) -> None:
    steward.script(
        calls(
            tool("web_fetch", {"url": f"{site}/ferry"}),
            tool("web_fetch", {"url": "http://2130706433:9/"}),
            tool("web_fetch", {"url": f"{site}/inside"}),
        ),
        text("It leaves at nine."),
    )
    await steward.start()
    steward.say(f"when does the ferry leave? {site}/ferry {site}/inside http://2130706433:9/")
    await steward.sees("It leaves at nine.")
    told = json.dumps((await steward.asked(2)).body, ensure_ascii=False)
    assert f"the web page {site}/ferry" in told
    assert f"The ferry leaves at **nine**. [More]({site}/more)" in told
    assert "2130706433 is not a public address" in told
    assert "127.0.0.1 is not a public address" in told


async def test_a_search_is_offered_where_a_service_is_set(steward: Steward) -> None:
    services = SearchServices(
        [{"title": "Ferries", "url": "https://ferries.example/", "words": "Nine."}]
    )
    async with serving(services.app) as url:
        steward.settings |= {
            "STEWARD_SEARCH": "brave",
            "STEWARD_SEARCH_URL": url,
            "STEWARD_SEARCH_KEY": KEY,
        }
        steward.script(calls(tool("web_search", {"query": "ferry times"})), text("At nine."))
        await steward.start()
        steward.say("when does the ferry leave?")
        await steward.sees("At nine.")
        assert services.queries == ["ferry times"]
        assert "https://ferries.example/" in json.dumps(
            (await steward.asked(2)).body, ensure_ascii=False
        )
        assert KEY not in steward.output


async def test_tools_tells_what_would_let_it_search(steward: Steward) -> None:
    await steward.start()
    steward.say("/tools")
    await steward.sees("STEWARD_SEARCH")
