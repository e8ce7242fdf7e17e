"""The tools for conversations: what they tell of closed ones, and how the present one ends."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.domain.change import Append, Change, SaveConversation
from bot.domain.money.model import FinishReason
from bot.domain.talk.chat import Conversation
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.message import Address
from bot.domain.tools.tool import CloseConversation, ToolOutput
from bot.domain.turn.mandate import PERSONAL
from bot.domain.turn.transcript import (
    AskerBody,
    BackgroundBody,
    Body,
    Entry,
    Provenance,
    RecallBody,
    ReplyBody,
    TextPart,
)
from bot.flow.log.tools import conversation_tools
from bot.ports.tool import Place
from tests.fakes.store import MemoryStore

Run = Callable[..., Awaitable[ToolOutput]]

AT = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def place() -> Place:
    return Place(
        Path("/nowhere"), 1, "turn", "conversation", 1, "Europe/Berlin", "call", mandate=PERSONAL
    )


@pytest.fixture
def run(store: MemoryStore, place: Place) -> Run:
    made = conversation_tools(store.chats, store.journal, store.plans.live)
    tools = {tool.spec.name: tool for tool in made}

    async def run(name: str, *, at: Place = place, **arguments: Any) -> ToolOutput:
        tools[name].check(arguments)
        return await tools[name].run(arguments, at, None)

    return run


def said(text: str, untrusted: str | None = None) -> AskerBody:
    return AskerBody(text, "Anna", untrusted=untrusted)


def answered(text: str) -> ReplyBody:
    return ReplyBody((TextPart(text),), FinishReason.END, Provenance("demo", "demo", "demo"))


async def put(
    store: MemoryStore, place: Place, id: str, *bodies: Body, closed: bool = True
) -> None:
    """Stores a conversation of the place's chat with these entries."""
    address = Address("telegram", "1")
    chat = await store.chats.at(address, private=True)
    assert chat.id == place.chat
    conversation = Conversation(id, chat.id, AT, AT if closed else None, f"about {id}", "sum")
    entries = tuple(
        Entry(number, id, "turn", AT, body) for number, body in enumerate(bodies, chat.last_seq + 1)
    )
    fence = await store.journal.claim(chat.id)
    await store.journal.commit(
        Change((SaveConversation(conversation), Append(chat.id, entries)), fence)
    )


async def test_ending_a_conversation_is_left_to_the_settling(run: Run) -> None:
    assert (await run("end_conversation", reason="done")).after == CloseConversation("done")
    assert (await run("end_conversation")).after == CloseConversation("")


async def test_closed_conversations_are_listed_and_read(
    run: Run, store: MemoryStore, place: Place
) -> None:
    assert "no closed conversation" in (await run("get_conversation")).text
    await put(store, place, "c1", said("hello"), answered("hi there"))
    listed = await run("get_conversation")
    assert listed.text == 'c1 · closed 2026-11-02 13:00 · "about c1"\nsum'
    assert listed.untrusted is None
    read = await run("get_conversation", conversation_id="c1")
    assert read.text.splitlines()[1:] == [
        '2026-11-02 13:00 "Anna": hello',
        "2026-11-02 13:00 Assistant: hi there",
    ]


async def test_only_closed_conversations_of_this_chat_are_given(
    run: Run, store: MemoryStore, place: Place
) -> None:
    await put(store, place, "open", said("now"), closed=False)
    await put(store, place, "c1", said("before"))
    with pytest.raises(ToolFailure, match="current conversation"):
        await run("get_conversation", conversation_id="open")
    with pytest.raises(ToolFailure, match="no conversation with that id"):
        await run("get_conversation", conversation_id="other")
    elsewhere = replace(place, chat=2)
    with pytest.raises(ToolFailure, match="no conversation with that id"):
        await run("get_conversation", at=elsewhere, conversation_id="c1")


async def test_what_was_untrusted_then_is_untrusted_now(
    run: Run, store: MemoryStore, place: Place
) -> None:
    await put(store, place, "c1", said("look", "a forward from Eve"), answered("ok"))
    source = "an earlier conversation with a forward from Eve"
    assert (await run("get_conversation")).untrusted == source
    assert (await run("get_conversation", conversation_id="c1")).untrusted == source


@pytest.mark.parametrize(
    ("body", "source"),
    [
        (
            BackgroundBody(2, "a cook", "Bob is a cook.", "Bob", group=True),
            "what Bob says about themselves",
        ),
        (RecallBody(("p",), "Bob: lunch", writers=((2, "a note of Bob"),)), "a note of Bob"),
    ],
    ids=["about", "recalled"],
)
async def test_words_of_others_of_a_group_are_untrusted_for_the_others(
    run: Run, store: MemoryStore, place: Place, body: Body, source: str
) -> None:
    await put(store, place, "c1", said("hello"), body, answered("as Bob says"))
    told = f"an earlier conversation with {source}"
    for asked in ({}, {"conversation_id": "c1"}):
        assert (await run("get_conversation", **asked)).untrusted == told
        own = await run("get_conversation", at=replace(place, person=2), **asked)
        assert own.untrusted is None


async def test_a_long_conversation_is_bounded_to_its_newest_words(
    run: Run, store: MemoryStore, place: Place
) -> None:
    await put(store, place, "c1", *(said(f"{n} " + "x" * 9_000) for n in range(50)))
    text = (await run("get_conversation", conversation_id="c1")).text
    assert len(text.encode()) < 30_000
    assert "earlier messages are not shown" in text
    assert '"Anna": 49 ' in text
