"""Searches that the model's own provider makes: OpenAI's, in the running program."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from tests.e2e.pausing import paused_by_a_search
from tests.e2e.steward import Steward
from tests.standins import chat_completions, messages_api
from tests.standins.messages_api import Gate, calls, search, tool
from tests.standins.responses_api import ResponsesApi, call, look, reasoning, says
from tests.standins.serving import serving
from tests.words import DENY

pytestmark = pytest.mark.flows_own("a provider answers turns, and no platform")

KEY = "sk-openai-e2e-a-key-nobody-may-ever-see"
ONE_CENT = 10_000_000
"""In billionths of a dollar."""


@dataclass(frozen=True)
class Searching:
    """A Steward that OpenAI answers for."""

    steward: Steward
    api: ResponsesApi


@pytest.fixture
async def openai(steward: Steward) -> AsyncIterator[Searching]:
    api = ResponsesApi(api_key=KEY)
    steward.secrets.append(KEY)
    async with serving(api.app) as url:
        steward.settings |= {
            "STEWARD_MODEL": "openai/gpt-5.1",
            "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": f"{url}/v1",
        }
        yield Searching(steward, api)
        api.assert_exhausted()
        assert api.refusals == api.chat.refusals == []


async def test_openai_searches_by_itself_and_what_it_found_is_foreign_paid_and_survives_a_kill(
    openai: Searching,
) -> None:
    steward, api = openai.steward, openai.api
    write = call("write_file", {"path": "a.txt", "content": "a"})
    found = reasoning() + look("ferry times", sources=("https://ships.example/9",))
    gate = Gate()
    # The call stands in the very reply that searched, so its mark must count at once.
    api.add(write, says("Allowed."), found + write, (found + says("At")).held(gate))
    await steward.start(STEWARD_SEARCH="openai", STEWARD_RECALL_TOKENS="0")
    card = await paused_by_a_search(steward)
    assert "a web search by OpenAI" in card.text
    steward.press(card, DENY)
    await gate.arrived()
    await steward.kill()
    gate.release()
    api.add(found + says("At nine.", "https://ships.example/9"))
    await steward.start()
    await steward.sees("At nine.")
    assert {"type": "web_search"} in api.bodies[2]["tools"]
    kinds = [item["type"] for item in api.bodies[-1]["input"]]
    assert kinds[-3:] == ["web_search_call", "function_call", "function_call_output"]
    costs = [cost for (cost,) in steward.records.rows("SELECT cost FROM usage ORDER BY id")]
    assert costs[1] < ONE_CENT < costs[2]
    assert ONE_CENT < costs[-1] < 3 * ONE_CENT
    # Switched off, the same conversation goes on without it.
    api.chat.add(chat_completions.text("No search now."))
    await steward.restart(STEWARD_SEARCH="")
    steward.say("and now?")
    await steward.sees("No search now.")
    assert "web_search" not in json.dumps(api.chat.requests[0].body)


async def test_the_first_question_that_needs_the_web_asks_an_owner_once_and_goes_on_with_it(
    openai: Searching,
) -> None:
    steward, api = openai.steward, openai.api
    steward.script(
        calls(tool("search_with_claude", {})),
        search("ferry", {"url": "https://ships.example/"}) + messages_api.text("At nine."),
    )
    await steward.start(STEWARD_MODEL="anthropic/claude-sonnet-5-5", STEWARD_RECALL_TOKENS="0")
    steward.say("/tools")
    listed = await steward.sees("Search of the web")
    assert "web_search: off. /tools search on switches it on: by Claude, $10" in listed.text
    steward.say("when does the ferry leave?")
    card = await steward.card()
    assert "Search the web with Claude?" in card.text
    assert "$10 for 1,000 searches, on top of the tokens." in card.text
    assert card.labels == ["✅ Switch on", "❌ Not now"]
    await steward.kill()
    await steward.start()
    steward.press(card, "✅ Switch on")
    await steward.sees("At nine.")
    asked, searched = steward.model.requests[-2:]
    assert "search_with_claude" in str(asked.body["tools"])
    assert "web_search_20250305" not in str(asked.body["tools"])
    assert "search_with_claude" not in str(searched.body["tools"])
    assert "web_search_20250305" in str(searched.body["tools"])
    steward.say("/tools")
    await steward.sees("web_search: on, by Claude, $10 for 1,000 searches.")
    # Another provider asks for itself; a no is kept, and this turn goes on without it.
    api.chat.add(
        chat_completions.calls(chat_completions.tool("search_with_openai", {})),
        chat_completions.text("Then I do not know."),
        chat_completions.calls(chat_completions.tool("search_with_openai", {})),
        chat_completions.text("Still not."),
    )
    steward.say("/model openai/gpt-5.1")
    steward.say("and today?")
    card = await steward.card(about="with OpenAI")
    steward.press(card, "❌ Not now")
    await steward.sees("Then I do not know.")
    steward.say("and now?")
    await steward.sees("Still not.")
    offered = [str(each.body["tools"]) for each in api.chat.requests]
    assert ["search_with_openai" in each for each in offered] == [True, False, False, False]
    steward.say("/tools search off")
    await steward.sees("The search of the web is off.")
    steward.say("/model anthropic/claude-sonnet-5-5")
    steward.script(messages_api.text("Off."))
    steward.say("news?")
    await steward.sees("Off.")
    assert "web_search" not in str(steward.model.requests[-1].body["tools"])
    assert steward.model.refusals == []


async def test_only_an_owner_switches_the_search_on(openai: Searching) -> None:
    steward = openai.steward
    bob = steward.person(77, "Bob")
    asking = calls(tool("search_with_claude", {}))
    steward.script(
        asking, messages_api.text("Not this time."), asking, messages_api.text("I search.")
    )
    await steward.start(
        STEWARD_MODEL="anthropic/claude-sonnet-5-5", STEWARD_ALLOWED=steward.account(bob)
    )
    steward.say("/tools")
    await steward.sees("Search of the web")
    steward.say("/tools search on", by=bob)
    await steward.sees("Only an owner", at=bob)
    steward.say("news?", by=bob)
    card = await steward.card(about="with Claude")
    assert "Bob" in card.text
    theirs = await steward.card(at=bob)
    assert "✅ Switch on" not in theirs.labels
    # A member's no is about this call, and an owner is asked the next time.
    steward.press(theirs, DENY, bob)
    await steward.sees("Not this time.", at=bob)
    # In a plan, it asks while the plan is collected.
    steward.say("/plan tell the news", by=bob)
    (card,) = await steward.until(
        lambda: [c for c in steward.cards if "with Claude?" in c.text and c.id != card.id]
    )
    assert "search_with_claude" in str(steward.model.requests[-1].body["tools"])
    steward.press(card, "✅ Switch on")
    await steward.sees("I search.", at=bob)
    assert "web_search_20250305" in str(steward.model.requests[-1].body["tools"])
