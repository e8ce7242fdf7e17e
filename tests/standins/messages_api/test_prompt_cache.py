"""The prompt cache is accounted for as the API does."""

from tests.standins.messages_api import MessagesApi, Reply, text
from tests.standins.messages_api.request_bodies import MARK, TOOL, assistant, request, user, words
from tests.standins.messages_api.talking import Client, talking_to
from tests.standins.messages_api.wire import Json


def marked(messages: list[Json]) -> list[Json]:
    """Put a cache mark on the last block of the last message."""
    *before, last = messages
    content = [*last["content"][:-1], {**last["content"][-1], **MARK}]
    return [*before, {**last, "content": content}]


async def converse(client: Client, turns: int, *, blocks: int = 1) -> list[Json]:
    """Talk so many turns with a moving cache mark; return each reply's usage."""
    messages: list[Json] = []
    usages: list[Json] = []
    for _ in range(turns):
        messages.append(user([words("word " * (2000 // blocks)) for _ in range(blocks)]))
        message = await client.say(request(*marked(messages)))
        messages.append(assistant(message["content"]))
        usages.append(message["usage"])
    return usages


def answering(reply: Reply) -> MessagesApi:
    return MessagesApi(respond=lambda _: reply)


async def test_a_growing_conversation_reads_what_it_wrote_before() -> None:
    api = answering(text("Yes."))
    async with talking_to(api) as client:
        usages = await converse(client, 12)
    written = [usage["cache_creation_input_tokens"] for usage in usages]
    read = [usage["cache_read_input_tokens"] for usage in usages]
    assert read == [sum(written[:turn]) for turn in range(12)]
    assert all(usage["input_tokens"] < 40 for usage in usages)
    assert api.usage_totals.cache_read_input_tokens == sum(read)
    assert api.usage_totals.cached_share > 0.8


async def test_a_mark_finds_no_prefix_more_than_twenty_blocks_back() -> None:
    async with talking_to(answering(text("Yes."))) as client:
        near = await converse(client, 2, blocks=18)
        far = await converse(client, 2, blocks=25)
    assert near[1]["cache_read_input_tokens"] > 0
    assert far[1]["cache_read_input_tokens"] == 0


async def test_a_prefix_below_the_models_minimum_is_not_cached() -> None:
    async with talking_to(answering(text("Yes."))) as client:
        usage = (await client.say(request(user([words("short", **MARK)]))))["usage"]
    assert usage["cache_creation_input_tokens"] == 0


async def test_changed_tools_lose_the_cache() -> None:
    body = request(user([words("word " * 2000, **MARK)]))
    async with talking_to(answering(text("Yes."))) as client:
        await client.say(body)
        same = (await client.say(body))["usage"]
        other = (await client.say({**body, "tools": [TOOL]}))["usage"]
    assert same["cache_read_input_tokens"] > 2000
    assert other["cache_read_input_tokens"] == 0
