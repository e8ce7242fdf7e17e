"""Pages of the web in the running program, between the stand-ins."""

import base64
import json
from collections.abc import AsyncIterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.e2e.pausing import paused_by_a_search
from tests.e2e.steward import Steward
from tests.standins.messages_api import calls, raw_block, search, text, tool
from tests.standins.searching import KEY, SearchServices
from tests.standins.serving import serving
from tests.words import ALWAYS, DENY, RULE_PAUSED

pytestmark = pytest.mark.flows_own("pages are read by tools")

PAGE = "<html><head><title>Ferries</title></head><body><main><h1>Ferries</h1>\
<p>The ferry leaves at <b>nine</b>. <a href='/more'>More</a></p></main></body></html>"


PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture
async def site(steward: Steward) -> AsyncIterator[str]:
    async def page(request: Request) -> Response:
        if request.path_params["what"] == "cat.png":
            return Response(PNG, media_type="image/png")
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


async def test_claude_searches_by_itself_and_what_it_found_is_foreign_and_paid(
    steward: Steward,
) -> None:
    write = calls(tool("write_file", {"path": "a.txt", "content": "a"}))
    url = "https://ships.example/9"
    found = search("ferry times", {"url": url, "title": "Write a.txt"})
    quoted = {
        "type": "text",
        "text": "At nine.",
        "citations": [
            {
                "type": "web_search_result_location",
                "url": url,
                "title": "Ferries",
                "encrypted_index": "Eo8B/==",
                "cited_text": "nine",
            }
        ],
    }
    # The call stands in the very reply that searched, so its mark must count at once.
    steward.script(write, text("Allowed."), found + write, raw_block(quoted), text("As I said."))
    await steward.start(STEWARD_SEARCH="anthropic", STEWARD_RECALL_TOKENS="0")
    card = await paused_by_a_search(steward)
    steward.press(card, DENY)
    await steward.sees("At nine.")
    offered = (await steward.asked(3)).body["tools"]
    searching = {"type": "web_search_20250305", "name": "web_search", "max_uses": 5}
    assert searching in offered
    steward.say("again?")
    await steward.sees("As I said.")
    told = json.dumps((await steward.asked(5)).body, ensure_ascii=False)
    assert '"encrypted_content": "Eq+0/x=="' in told
    assert '"encrypted_index": "Eo8B/=="' in told
    costs = [cost for (cost,) in steward.records.rows("SELECT cost FROM usage ORDER BY id")]
    one_cent = 10_000_000  # in billionths of a dollar
    assert costs[2] - costs[3] > one_cent > costs[3]
    steward.say("/usage")
    assert "claude-sonnet-5-5" in (await steward.sees("Usage of all chats, 7 days")).text


async def test_a_search_that_was_cut_off_or_switched_off_spoils_no_later_request(
    steward: Steward,
) -> None:
    begun = raw_block(
        {"type": "server_tool_use", "id": "srvtoolu_9", "name": "web_search", "input": {}}
    )
    whole = search("ships", {"url": "https://ships.example/"}) + text("Ships.")
    steward.script(begun.stopping("max_tokens"), text("One."), whole, text("Two."))
    await steward.start(STEWARD_SEARCH="anthropic")
    steward.say("look")
    await steward.sees("One.")
    steward.say("look for ships")
    await steward.sees("Ships.")
    await steward.stop()
    await steward.start(STEWARD_SEARCH="")
    steward.say("and now?")
    await steward.sees("Two.")
    assert steward.model.refusals == []
    last = json.dumps((await steward.asked(4)).body)
    assert "web_search" not in last


async def test_a_member_who_may_not_search_is_offered_no_search(steward: Steward) -> None:
    bob = steward.person(77, "Bob")
    steward.script(text("I cannot search."), text("I can."))
    await steward.start(STEWARD_SEARCH="anthropic", STEWARD_ALLOWED=steward.account(bob))
    steward.say(f"/rights {steward.account(bob)} tools read_file")
    await steward.sees("tools read_file ·")
    steward.say("hello", by=bob)
    await steward.sees("I cannot search.", at=bob)
    steward.say("hello")
    await steward.sees("I can.")
    offered = [request.body["tools"] for request in steward.model.requests]
    kinds = [[tool["name"] for tool in each if tool.get("type")] for each in offered]
    assert kinds == [[], ["web_search"]]


async def test_a_picture_of_a_page_is_seen_and_a_trusted_site_pauses_no_rule(
    steward: Steward, site: str
) -> None:
    write = calls(tool("write_file", {"path": "a.txt", "content": "a"}))
    look = calls(
        tool("web_fetch", {"url": f"{site}/cat.png"}), tool("web_fetch", {"url": f"{site}/ferry"})
    )
    steward.script(write, text("Allowed."), look, write, text("Asked."))
    await steward.start(STEWARD_RECALL_TOKENS="0")
    steward.say("write a")
    steward.press(await steward.card(), ALWAYS)
    await steward.sees("Allowed.")
    target = steward.workspace / "a.txt"
    target.unlink()
    steward.say(f"look at {site}/cat.png and {site}/ferry, and write a")
    card = await steward.card()
    assert RULE_PAUSED in card.text
    steward.press(card, DENY)
    await steward.sees("Asked.")
    blocks = steward.model.requests[3].body["messages"][-1]["content"]
    assert [b["type"] for b in blocks] == ["tool_result", "tool_result", "text", "image"]
    assert f'from="the web page {site}/cat.png"' in blocks[2]["text"]
    steward.say("/new")
    steward.say(f"/rules trust {site}")
    await steward.sees("no longer pauses your rules")
    await steward.recorded()
    await steward.restart()
    steward.script(look, write, text("By the rule."))
    steward.say(f"look at {site}/cat.png and {site}/ferry, and write a")
    await steward.sees("By the rule.")
    assert target.read_text() == "a"
    steward.say("/rules")
    told = await steward.sees("Trusted: what I read there does not pause your rules:")
    assert site in told.text
    steward.say("/rules remove 2")
    await steward.sees("Not trusted any more")
    target.unlink()
    steward.script(look, write, text("Asked again."))
    steward.say("/new")
    steward.say(f"look at {site}/cat.png and {site}/ferry, and write a")
    card = await steward.card()
    assert RULE_PAUSED in card.text
    steward.press(card, DENY)
    await steward.sees("Asked again.")
    assert not target.exists()
