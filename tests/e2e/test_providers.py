"""A server of Chat Completions behind the real program: turns, tools, cards, switching, faults."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from tests.e2e.steward import Steward
from tests.standins import messages_api
from tests.standins.chat_completions import (
    ChatCompletions,
    ReceivedRequest,
    calls,
    failure,
    page,
    raw_events,
    text,
    thinking,
    tool,
)
from tests.standins.serving import serving

pytestmark = pytest.mark.flows_own("a provider answers turns, and no platform")

KEY = "sk-local-e2e-a-key-nobody-may-ever-see"
PASS = "a-header-nobody-may-ever-see"
MODEL = "local/qwen-local"


@dataclass(frozen=True)
class Local:
    """A Steward whose default model is that of a server of its own."""

    steward: Steward
    server: ChatCompletions


@pytest.fixture
async def local(steward: Steward) -> AsyncIterator[Local]:
    server = ChatCompletions(api_key=KEY)
    async with serving(server.app) as url:
        (steward.folder / "steward.toml").write_text(
            f'[providers.local]\nbase_url = "{url}/v1"\nkey = "LOCAL_KEY"\n'
            'headers = { X-Pass = "${LOCAL_PASS}" }\n'
            '[models."local/qwen-local"]\nwindow = 32_000\noutput = 4_000\n'
            'price = { input = 0.5, output = 1.5, date = "2026-11-22" }\n'
        )
        steward.settings |= {"STEWARD_MODEL": MODEL, "LOCAL_KEY": KEY, "LOCAL_PASS": PASS}
        yield Local(steward, server)
        server.assert_exhausted()
        assert not [r for r in server.refusals if r[0] != 429]
        files = [path for path in steward.home.rglob("*") if path.is_file()]
        for path in (*files, steward.folder / "output.txt"):
            assert KEY.encode() not in path.read_bytes()
            assert PASS.encode() not in path.read_bytes()


def tool_texts(request: ReceivedRequest) -> list[str]:
    return [m["content"] for m in request.body["messages"] if m["role"] == "tool"]


async def test_a_server_of_ones_own_answers_with_tools_cards_and_its_reasoning(
    local: Local,
) -> None:
    steward, server = local.steward, local.server
    (steward.workspace / "a.txt").write_text("alpha\n")
    server.add(
        thinking("First a look. ") + calls(tool("read_file", {"path": "a.txt"})),
        thinking("Now write.") + calls(tool("write_file", {"path": "b.txt", "content": "beta"})),
        text("Both done."),
    )
    await steward.start()
    steward.say("Copy it.")
    card = await steward.card()
    press = steward.press(card, "✅ Approve")
    await steward.sees("Both done.")
    assert await steward.answered(press) is not None
    assert (steward.workspace / "b.txt").read_text() == "beta"
    second, third = server.requests[1:]
    assert "alpha" in tool_texts(second)[0]
    reasoned = [m.get("reasoning_content") for m in third.body["messages"]]
    assert [words for words in reasoned if words] == ["First a look. ", "Now write."]
    assert second.headers["x-pass"] == PASS
    await steward.recorded()


async def test_a_chat_goes_to_and_fro_between_providers_in_the_middle_of_its_talk(
    local: Local,
) -> None:
    steward, server = local.steward, local.server
    (steward.workspace / "a.txt").write_text("alpha\n")
    look = tool("read_file", {"path": "a.txt"})
    server.add(thinking("Hm.") + calls(look), text("It says alpha."))
    await steward.start()
    steward.say("What does it say?")
    await steward.sees("It says alpha.")
    steward.say("/model anthropic/claude-sonnet-5-5")
    await steward.sees("From your next message on")
    said = messages_api.calls(messages_api.tool("read_file", {"path": "a.txt"}))
    steward.script(messages_api.thinking("So.") + said, messages_api.text("Still alpha."))
    steward.say("And now?")
    await steward.sees("Still alpha.")
    steward.say(f"/model {MODEL}")
    await steward.sees("From your next message on", times=2)
    server.add(text("Alpha for ever."))
    steward.say("And now?")
    await steward.sees("Alpha for ever.")
    sent = server.requests[-1].body["messages"]
    assert [m.get("reasoning_content") for m in sent if m.get("reasoning_content")] == ["Hm."]
    assert len(tool_texts(server.requests[-1])) == 2
    await steward.recorded()


async def test_a_chat_goes_to_and_fro_while_calls_wait_and_a_fallback_takes_over(
    local: Local,
) -> None:
    steward, server = local.steward, local.server
    (steward.workspace / "a.txt").write_text("alpha\n")
    look, write = tool("read_file", {"path": "a.txt"}, id="Agent:0"), {"path": "b.txt"}
    server.add(
        thinking("Hm.") + calls(look, tool("write_file", write | {"content": "b"}, id="W:1"))
    )
    await steward.start(
        STEWARD_FALLBACK_MODELS="anthropic/claude-haiku-5-5", STEWARD_MODEL_RETRIES=0
    )
    steward.say("Copy it.")
    first = await steward.card()
    steward.say("/model anthropic/claude-sonnet-5-5")
    await steward.sees("From your next message on")
    asked = messages_api.calls(
        messages_api.tool("read_file", {"path": "a.txt"}),
        messages_api.tool("write_file", {"path": "c.txt", "content": "c"}),
    )
    steward.script(messages_api.thinking("So.") + asked)
    steward.say("And another one.")
    await steward.until(lambda: [card for card in steward.cards if "c.txt" in card.text])
    steward.say(f"/model {MODEL}")
    await steward.sees("From your next message on", times=2)
    server.add(thinking("Late.") + calls(tool("read_file", {"path": "b.txt"}, id="")))
    server.add(failure(503))
    steward.script(messages_api.text("Both are there."))
    steward.press(first, "✅ Approve")
    answer = await steward.sees("Both are there.")
    assert "anthropic/claude-haiku-5-5" in answer.text
    sent = server.requests[-1].body["messages"]
    assert [m["reasoning_content"] for m in sent if "reasoning_content" in m] == ["Hm.", "Late."]
    named = [c["id"] for m in sent for c in m.get("tool_calls") or ()]
    assert named[:2] == ["Agent:0", "W:1"], "a server gets its own ids back"
    assert [m["tool_call_id"] for m in sent if m["role"] == "tool"] == named
    fallen = str(steward.model.requests[-1].body["messages"])
    assert "Agent:0" not in fallen
    assert "Hm." not in fallen
    assert steward.model.refusals == server.refusals == []
    await steward.recorded()
    assert (steward.workspace / "b.txt").read_text() == "b"


async def test_a_call_written_as_text_runs_nothing_and_is_told_to_the_model(local: Local) -> None:
    steward, server = local.steward, local.server
    server.add(
        text('{"name": "write_file", "arguments": {"path": "b.txt", "content": "beta"}}'),
        text("I cannot, sorry."),
    )
    await steward.start()
    steward.say("Write it.")
    await steward.sees("I cannot, sorry.")
    assert not (steward.workspace / "b.txt").exists()
    assert "A text runs nothing" in server.requests[-1].body["messages"][-1]["content"]
    await steward.recorded()
    assert len(steward.shown) == 1


async def test_json_without_a_bottom_is_an_answer_or_a_refused_call_and_is_asked_for_once(
    local: Local,
) -> None:
    steward, server = local.steward, local.server
    deep = "[" * 900 + "]" * 900
    server.add(text(deep), calls(tool("read_file", pieces=['{"path": ', deep, "}"])), text("Done."))
    await steward.start()
    steward.say("Show me brackets")
    await steward.eventually(lambda: any("[[[[" in one.text for one in steward.shown))
    assert len(server.requests) == 1
    steward.say("Read it")
    await steward.sees("Done.")
    assert len(server.requests) == 3
    assert tool_texts(server.requests[-1])
    await steward.recorded()


async def test_a_server_that_stays_away_gives_way_to_the_fallback(local: Local) -> None:
    steward, server = local.steward, local.server
    server.add(*[failure(429)] * 2)
    steward.script(messages_api.text("Here I am."))
    await steward.start(
        STEWARD_FALLBACK_MODELS="anthropic/claude-haiku-5-5", STEWARD_MODEL_RETRIES=1
    )
    steward.say("Hello")
    await steward.sees("Here I am.")
    await steward.recorded()


@pytest.mark.on_each_platform
async def test_tiers_and_models_are_chosen_by_buttons(local: Local) -> None:
    steward, server = local.steward, local.server
    server.add(text("Fast answer."))
    steward.script(messages_api.text("Deep answer."))
    await steward.start(STEWARD_FAST_MODEL=MODEL)
    steward.say("/model")
    menu = await steward.sees(
        "US dollars for a million tokens in / out, looked up from 2026-11-20 to 2026-11-22."
    )
    labels = [button.text for row in menu.buttons for button in row]
    assert labels[0] == "✓ qwen-local · $0.50 / $1.50"
    assert "claude-opus-5-5 · $4 / $20" in labels
    steward.say("/tier")
    menu = await steward.sees("No tier is chosen here.")
    steward.press(menu, "Fast")
    await steward.sees(f"fast, that is {MODEL}")
    steward.say("Hello")
    await steward.sees("Fast answer.")
    steward.say('Why?\nTraceback (most recent call last):\n  File "a.py", line 1')
    await steward.sees("Deep answer.")
    assert steward.model.requests[-1].body["model"] == "claude-opus-5-5"
    await steward.recorded()


@pytest.mark.on_each_platform
async def test_a_turn_that_no_model_serves_waits_over_a_restart_and_is_tried_now(
    local: Local,
) -> None:
    steward, server = local.steward, local.server
    server.add(*[failure(429, "no room")] * 2)
    await steward.start(STEWARD_MODEL_RETRIES=1)
    steward.say("A hard thing")
    card = await steward.card()
    assert "“A hard thing” waits; nothing is lost or changed." in card.text
    assert "I try again in 1 minute." in card.text
    assert [b.text for row in card.buttons for b in row] == ["🔁 Try now", "⏹ Give up"]
    await steward.recorded()
    await steward.restart()
    server.add(text("At last."))
    steward.press(card, "🔁 Try now")
    await steward.sees("At last.")
    await steward.recorded()
    assert steward.records.stop_reasons == ["final_answer"]


async def test_a_turn_that_no_model_serves_is_tried_again_by_itself(local: Local) -> None:
    steward, server = local.steward, local.server
    server.add(*[failure(429, "no room")] * 2, text("At last."))
    await steward.start(STEWARD_MODEL_RETRIES=0, STEWARD_REST_MINUTES="0.01,0.02")
    steward.say("A hard thing")
    await steward.sees("At last.")
    assert len(server.requests) == 3
    await steward.recorded()


async def test_odd_replies_of_a_server_end_in_words_and_the_chat_goes_on(local: Local) -> None:
    steward, server = local.steward, local.server
    odd = (
        raw_events('{"choices": [{"delta": {"content": "Ha'),
        raw_events("[DONE]"),
        page("text/html", "<html><body>Sign in</body></html>"),
        text("Half").unfinished(),
    )
    await steward.start(STEWARD_MODEL_RETRIES=0, STEWARD_REST_MINUTES="none")
    for number, reply in enumerate(odd, start=1):
        server.add(reply)
        steward.say(f"Question {number}")
        await steward.sees("The connection to the model broke", times=number)
    server.add(
        calls(tool("write_file", pieces=['{"path": "b.txt", "content": "be'])).finishing("length"),
        text("Better not."),
    )
    steward.say("Write it")
    await steward.sees("Better not.")
    assert not (steward.workspace / "b.txt").exists()
    assert "cut inside its calls" in tool_texts(server.requests[-1])[0]
    await steward.recorded()


async def test_rubbish_around_good_calls_costs_neither_the_calls_nor_their_price(
    local: Local,
) -> None:
    steward, server = local.steward, local.server
    (steward.workspace / "a.txt").write_text("alpha\n")

    def chunk(delta: object, reason: str | None = None, **more: object) -> str:
        return json.dumps({"choices": [{"delta": delta, "finish_reason": reason}], **more})

    def piece(index: int, name: str, arguments: str) -> object:
        function = {"name": name, "arguments": arguments}
        return {"tool_calls": [{"index": index, "function": function}], "mood": "good"}

    server.add(
        raw_events(
            '{"mood": "good"}',
            chunk({"role": "assistant", "content": None, "annotations": []}, x_odd={"id": 1}),
            chunk(piece(0, "list_files", "{}")),
            chunk(piece(1, "read_file", '{"path": "a.txt"}')),
            chunk({}, "tool_calls"),
            chunk({"odd": None}, "stop"),
            '{"choices": [], "usage": null, "ping": 1}',
            "[DONE]",
        ),
        text("It says alpha.").uncounted(),
    )
    await steward.start()
    steward.say("Read it")
    await steward.sees("It says alpha.")
    listed, read = tool_texts(server.requests[-1])
    assert "a.txt" in listed
    assert "alpha" in read
    asked = server.requests[-1].body["messages"][-3]["tool_calls"]
    assert len({call["id"] for call in asked} - {""}) == 2
    steward.say("/usage")
    told = (await steward.sees("Usage of all chats")).text
    assert "2 calls came without a count: I estimated the tokens." in told
    assert "≈" in told
    await steward.recorded()


async def test_the_doctor_asks_every_provider(local: Local) -> None:
    steward = local.steward
    (steward.folder / "steward.toml").write_text(
        (steward.folder / "steward.toml").read_text()
        + '[providers.gone]\nbase_url = "http://127.0.0.1:1/v1"\n'
        + '[providers.odd]\nbase_url = "http://127.0.0.1:1/v1"\nkey = "NOWHERE"\n'
    )
    assert await steward.exit_code("doctor") == 0
    told = " ".join(steward.output.split())
    assert f"The key is good, and {MODEL} is there." in told
    assert "warn providers.gone" in told
    assert "cannot be reached at http://127.0.0.1:1/v1" in told
    assert "[providers.odd] cannot be used: its key NOWHERE" in told
    steward.settings["LOCAL_KEY"] = "sk-another-key-of-nobody"
    assert await steward.exit_code("doctor") == 1
    assert "Correct LOCAL_KEY" in " ".join(steward.output.split())
    local.server.refusals.clear()
