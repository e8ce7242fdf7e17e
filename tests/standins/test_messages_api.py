"""The stand-in answers and fails the way the real Messages API does."""

import asyncio
from typing import Any

import anthropic
import httpx
import pytest

from tests.standins.messages_api import (
    Gate,
    MessagesApi,
    calls,
    dropped,
    empty,
    failure,
    raw_block,
    silence,
    text,
    thinking,
    tool,
)
from tests.standins.messages_api.request_bodies import (
    ADAPTIVE,
    SONNET,
    assistant,
    loop,
    request,
    user,
    words,
)
from tests.standins.messages_api.talking import Client, talking_to
from tests.standins.serving import serving


async def test_the_sdk_reads_refusals_as_its_own_errors() -> None:
    async with talking_to(MessagesApi()) as client:
        with pytest.raises(anthropic.NotFoundError, match="model: claude-none"):
            await client.sdk.messages.create(
                model="claude-none", max_tokens=1, messages=[{"role": "user", "content": "a"}]
            )
        with pytest.raises(anthropic.AuthenticationError, match="invalid x-api-key"):
            await client.sdk.with_options(api_key="wrong").models.retrieve(SONNET)
        assert (await client.sdk.models.retrieve(SONNET)).max_input_tokens == 1_000_000


async def test_a_streamed_reply_is_assembled_by_the_sdk_to_the_same_message() -> None:
    reply = thinking("Hm.") + text("Looking.") + calls(tool("look", {"at": "the sea"}))
    async with talking_to(MessagesApi(reply.in_pieces(3), reply)) as client:
        body: Any = loop(thinking=ADAPTIVE)
        async with client.sdk.messages.stream(**body) as stream:
            streamed = await stream.get_final_message()
        whole = await client.sdk.messages.create(**body)
    assert [block.type for block in streamed.content] == ["thinking", "text", "tool_use"]
    assert streamed.stop_reason == whole.stop_reason == "tool_use"
    assert streamed.content[0] == whole.content[0]
    assert streamed.content[2].to_dict()["input"] == {"at": "the sea"}
    assert streamed.usage.output_tokens == whole.usage.output_tokens


@pytest.mark.parametrize(
    "reason",
    ["end_turn", "max_tokens", "pause_turn", "model_context_window_exceeded", "something_new"],
)
async def test_any_stop_reason_can_be_scripted(reason: str) -> None:
    reply = text("So far").stopping(reason)
    async with talking_to(MessagesApi(reply, reply)) as client:
        events = await client.events(request())
        assert (await client.say(request()))["stop_reason"] == reason
    assert events[-2]["delta"]["stop_reason"] == reason


async def test_a_refusal_names_its_category_and_a_stop_sequence_itself() -> None:
    refused = empty().stopping("refusal", category="cyber")
    stopped = text("So").stopping("stop_sequence", sequence="END")
    async with talking_to(MessagesApi(refused, stopped)) as client:
        assert (await client.say(request()))["stop_details"]["category"] == "cyber"
        assert (await client.say(request()))["stop_sequence"] == "END"


async def test_a_reply_without_content_streams_no_block() -> None:
    async with talking_to(MessagesApi(empty())) as client:
        events = await client.events(request())
    assert [event["type"] for event in events] == ["message_start", "message_delta", "message_stop"]


async def test_argument_pieces_are_streamed_as_scripted() -> None:
    cut = ("", '{"at": "\\ud8', "3d\\ude00")
    reply = calls(tool("look", pieces=cut), tool("look"), tool("look", id="same"))
    async with talking_to(MessagesApi(reply.stopping("max_tokens"))) as client:
        events = await client.events(loop())
    deltas = [e["delta"]["partial_json"] for e in events if e["type"] == "content_block_delta"]
    starts = [e["content_block"] for e in events if e["type"] == "content_block_start"]
    assert tuple(deltas) == cut
    assert [start["input"] for start in starts] == [{}, {}, {}]
    assert starts[2]["id"] == "same"


async def test_blocks_and_events_of_unknown_types_can_be_sent_and_the_block_sent_back() -> None:
    strange = {"type": "smell", "of": "roses"}
    reply = raw_block(strange).with_ping().with_event("weather", {"sky": "blue"}, after=2)
    async with talking_to(MessagesApi(reply, text("Indeed."))) as client:
        events = await client.events(request())
        await client.say(request(user("Hello"), assistant([strange]), user("And?")))
    assert [event["type"] for event in events[:4]] == [
        "message_start",
        "ping",
        "content_block_start",
        "weather",
    ]


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (403, "permission_error"),
        (404, "not_found_error"),
        (413, "request_too_large"),
        (429, "rate_limit_error"),
        (500, "api_error"),
        (529, "overloaded_error"),
    ],
)
async def test_an_http_failure_comes_in_the_apis_envelope(status: int, kind: str) -> None:
    api = MessagesApi(failure(status, "No.", retry_after=7))
    async with talking_to(api) as client:
        response = await client.post(request(stream=True))
    envelope = response.json()
    assert response.status_code == status
    assert response.headers["retry-after"] == "7"
    assert envelope.pop("request_id") == response.headers["request-id"]
    assert envelope == {"type": "error", "error": {"type": kind, "message": "No."}}
    assert api.refusals == []


async def test_an_error_event_ends_the_stream_in_the_middle() -> None:
    async with talking_to(MessagesApi(text("Lost").failing(after=2))) as client:
        events = await client.events(request())
    assert [event["type"] for event in events] == ["message_start", "content_block_start", "error"]
    assert events[-1]["error"] == {"type": "overloaded_error", "message": "Overloaded"}


async def test_a_connection_is_dropped_before_the_first_byte() -> None:
    async with talking_to(MessagesApi(dropped(), dropped())) as client:
        with pytest.raises(httpx.RemoteProtocolError, match="without sending a response"):
            await client.post(request())
        with pytest.raises(anthropic.APIConnectionError):
            await client.sdk.messages.create(**request())


async def test_a_connection_is_dropped_after_the_events_wanted() -> None:
    got: list[str] = []

    async def read(client: Client) -> None:
        post = client.http.stream("POST", "/v1/messages", json=request(stream=True))
        async with post as response:
            async for line in response.aiter_lines():
                got.append(line)

    async with talking_to(MessagesApi(text("Lost").dropped(after=2))) as client:
        with pytest.raises(httpx.RemoteProtocolError, match="incomplete chunked read"):
            await read(client)
    assert [line for line in got if line.startswith("event")] == [
        "event: message_start",
        "event: content_block_start",
    ]


async def test_a_gate_holds_a_reply_between_events() -> None:
    gate = Gate()
    seen: list[str] = []
    async with (
        talking_to(MessagesApi(text("Now").held(gate, after=1))) as client,
        client.http.stream("POST", "/v1/messages", json=request(stream=True)) as response,
    ):
        lines = (line async for line in response.aiter_lines() if line.startswith("event"))
        seen.append(await anext(lines))
        await gate.arrived()
        gate.release()
        seen += [line async for line in lines]
    assert seen[0] == "event: message_start"
    assert seen[-1] == "event: message_stop"


async def test_a_gate_tells_when_the_client_gives_up_before_the_first_byte() -> None:
    gate = Gate()
    async with talking_to(MessagesApi(text("Late").held(gate))) as client:
        asking = asyncio.create_task(client.post(request()))
        await gate.arrived()
        asking.cancel()
        await gate.abandoned()


async def test_silence_does_not_keep_the_server_from_closing() -> None:
    api = MessagesApi(silence())
    async with serving(api.app) as url, httpx.AsyncClient(verify=False) as http:
        headers = {"x-api-key": "test-key", "anthropic-version": "2026-10-21"}
        post = http.post(f"{url}/v1/messages", json=request(), headers=headers, timeout=None)
        asking = asyncio.create_task(post)
        await api.received(1)
        assert not asking.done()
    await asyncio.wait([asking])
    api.assert_exhausted()


async def test_a_request_beyond_the_script_is_a_500_and_fails_the_test() -> None:
    api = MessagesApi(text("Only one."))
    async with talking_to(api) as client:
        await client.say(request())
        response = await client.post(request())
    assert response.status_code == 500
    with pytest.raises(AssertionError, match="the script holds no reply for request 2"):
        api.assert_exhausted()


async def test_requests_are_recorded_in_order_of_arrival() -> None:
    api = MessagesApi(text("a"), text("b"))
    async with talking_to(api) as client:
        await client.say(request(user("first")))
        await client.say(request(user("second")))
        latest = await api.received(2)
    assert [each.number for each in api.requests] == [1, 2]
    assert latest.body["messages"] == [user("second")]
    assert latest.headers["x-api-key"] == "test-key"
    assert api.requests[0].received_at <= latest.received_at


async def test_without_strictness_a_rule_answers_anything_and_records_are_bounded() -> None:
    api = MessagesApi(respond=lambda each: text(f"number {each.number}"), strict=False, keep=1)
    async with talking_to(api) as client:
        await client.say({"model": "any", "messages": []})
        second = await client.say({"model": "any", "messages": []})
    assert second["content"] == [words("number 2")]
    assert [each.number for each in api.requests] == [2]
