"""Thinking comes back unchanged to the conversation it was thought in, or not at all."""

import copy
from collections.abc import Callable

import pytest

from tests.standins.messages_api import MessagesApi, calls, text, thinking, tool
from tests.standins.messages_api.request_bodies import (
    ADAPTIVE,
    MARK,
    PREFILL,
    TOOL,
    assistant,
    loop,
    request,
    result,
    user,
    words,
)
from tests.standins.messages_api.talking import Client, talking_to
from tests.standins.messages_api.wire import Json

FOREIGN = (
    "Invalid `signature` in `thinking` block. The block is bound to a different conversation. "
    'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
)
INVALID = "Invalid `signature` in `thinking` block"
MODIFIED = (
    "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. "
    "These blocks must remain as they were in the original response."
)


async def thoughtful(client: Client) -> Json:
    """Talk for two tool rounds with thinking; return the request for the third reply."""
    body = loop(user("Look"), thinking=ADAPTIVE, system="Be kind.")
    for _ in range(2):
        message = await client.say(body)
        call_id = message["content"][-1]["id"]
        body["messages"] += [assistant(message["content"]), user([result(call_id)])]
    return body


THOUGHTS = tuple(
    thinking(f"Thought {n}.") + text(f"Round {n}.") + calls(tool("look", {"n": n})) for n in (1, 2)
)


def _mark(body: Json) -> None:
    body["messages"][2]["content"][0]["cache_control"] = {"type": "ephemeral"}
    body["system"] = [words("Be kind.", **MARK)]
    body["output_config"] = {"effort": "low"}


def _drop_first_thought(body: Json) -> None:
    del body["messages"][1]["content"][0]


def _drop_every_thought(body: Json) -> None:
    del body["messages"][1]["content"][0]
    del body["messages"][3]["content"][0]


def _split_user_turn(body: Json) -> None:
    body["messages"].append(user("Quick!"))


def _change_model(body: Json) -> None:
    body["model"] = "claude-opus-5-5"
    body["system"] = "Be brief."


@pytest.mark.parametrize(
    "change",
    [_mark, _drop_first_thought, _drop_every_thought, _split_user_turn, _change_model],
)
async def test_thinking_is_taken_back_where_its_prefix_is_unchanged(
    change: Callable[[Json], None],
) -> None:
    async with talking_to(MessagesApi(*THOUGHTS, text("Done."))) as client:
        body = await thoughtful(client)
        change(body)
        assert (await client.say(body))["content"] == [words("Done.")]


def _edit_system(body: Json) -> None:
    body["system"] = "Be brief."


def _edit_tools(body: Json) -> None:
    body["tools"].append({**TOOL, "name": "leap"})


def _edit_first_message(body: Json) -> None:
    body["messages"][0] = user("Look!")


def _edit_result(body: Json) -> None:
    body["messages"][2]["content"][0]["content"] = "masked"


def _edit_first_thought(body: Json) -> None:
    body["messages"][1]["content"][0]["thinking"] = "Other."


def _edit_last_thought(body: Json) -> None:
    body["messages"][3]["content"][0]["thinking"] = "Other."


def _drop_last_thought(body: Json) -> None:
    del body["messages"][3]["content"][0]


def _move_last_thought(body: Json) -> None:
    content = body["messages"][3]["content"]
    content[0], content[1] = content[1], content[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_edit_system, f"messages.1.content.0: {FOREIGN}"),
        (_edit_tools, f"messages.1.content.0: {FOREIGN}"),
        (_edit_first_message, f"messages.1.content.0: {FOREIGN}"),
        (_edit_result, f"messages.3.content.0: {FOREIGN}"),
        (_edit_first_thought, f"messages.1.content.0: {INVALID}"),
        (_edit_last_thought, f"messages.3.content.0: {MODIFIED}"),
        (_drop_last_thought, f"messages.3.content.0: {MODIFIED}"),
        (_move_last_thought, f"messages.3.content.1: {FOREIGN}"),
    ],
)
async def test_thinking_is_refused_where_it_or_its_prefix_changed(
    change: Callable[[Json], None], message: str
) -> None:
    async with talking_to(MessagesApi(*THOUGHTS)) as client:
        body = await thoughtful(client)
        change(body)
        assert await client.refusal(body) == message


async def test_a_thought_between_others_may_not_be_left_out() -> None:
    last = thinking("Thought 3.") + text("Round 3.")
    async with talking_to(MessagesApi(*THOUGHTS, last)) as client:
        body = await thoughtful(client)
        message = await client.say(body)
        body["messages"] += [assistant(message["content"]), user("And?")]
        del body["messages"][3]["content"][0]
        assert await client.refusal(body) == f"messages.5.content.0: {FOREIGN}"


async def test_mismatched_thinking_is_dropped_when_the_request_says_so() -> None:
    async with talking_to(MessagesApi(*THOUGHTS, text("Done."))) as client:
        body = await thoughtful(client)
        body["system"] = "Be brief."
        binding = {"prefix_mismatch_behavior": "drop_block"}
        body["thinking"] = {"type": "adaptive", "block_binding": binding}
        beta = {"anthropic-beta": "thinking-binding-controls-2026-08-01"}
        assert (await client.post(body, **beta)).status_code == 200


async def test_redacted_thinking_is_bound_like_any_other() -> None:
    reply = thinking("Secret.", redacted=True) + text("Well.")
    async with talking_to(MessagesApi(reply, text("Done."))) as client:
        first = await client.say(request())
        body = request(user("Hello"), assistant(first["content"]), user("And?"))
        await client.say(body)
        body["messages"][0] = user("Hi")
        assert await client.refusal(body) == f"messages.1.content.0: {FOREIGN}"


async def test_only_a_paused_turn_may_stand_last_and_only_as_it_was() -> None:
    paused = text("Searching").stopping("pause_turn")
    async with talking_to(MessagesApi(paused, paused, text("Found."))) as client:
        body = request(user("Search"))
        for _ in range(2):
            content = (await client.say(body))["content"]
            body["messages"].append(assistant(content))
        altered = copy.deepcopy(body)
        altered["messages"][-1]["content"][0]["text"] = "Looking"
        assert await client.refusal(altered) == PREFILL
        assert (await client.say(body))["content"] == [words("Found.")]
