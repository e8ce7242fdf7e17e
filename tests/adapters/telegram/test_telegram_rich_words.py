"""Rich messages that come in: words of their sender, unless they hold more than words."""

import json
from typing import Any

import pytest

from bot.adapters.telegram.addressing import Own
from bot.adapters.telegram.updates import parse_update
from bot.domain.talk.message import InboundMessage


def read_message(**fields: Any) -> InboundMessage:
    message = {
        "message_id": 7,
        "from": {"id": 42, "is_bot": False, "first_name": "Ann"},
        "chat": {"id": 42, "type": "private"},
        "date": 1_790_000_000,
        **fields,
    }
    inbound = parse_update(
        json.dumps({"update_id": 1, "message": message}), Own("4200", "steward_bot")
    )
    assert isinstance(inbound, InboundMessage)
    return inbound


def rich(*blocks: Any) -> dict[str, Any]:
    return {"blocks": list(blocks)}


MILK = {"type": "paragraph", "text": "milk"}
RICH = rich(
    {"type": "heading", "size": 2, "text": ["A ", {"type": "italic", "text": "title"}]},
    {"type": "paragraph", "text": [{"type": "url", "text": "here", "url": "https://a.b"}, "\nx"]},
    {"type": "table", "cells": [[{"text": "a"}, {"text": {"type": "bold", "text": "b"}}], [{}]]},
    {
        "type": "list",
        "items": [
            {
                "label": "•",
                "has_checkbox": True,
                "is_checked": True,
                "blocks": [MILK],
            },
            {
                "label": "2.",
                "blocks": [
                    MILK,
                    {"type": "list", "items": [{"label": "•", "blocks": [MILK]}]},
                ],
            },
        ],
    },
    {"type": "mathematical_expression", "expression": "x^2"},
    {"type": "pre", "text": "code"},
    {"type": "blockquote", "blocks": [MILK]},
    {"type": "details", "summary": "More", "blocks": [MILK]},
    {"type": "divider"},
)
RICH_WORDS = (
    "## A _title_\n\nhere (https://a.b)\nx\n\na | **b**\n\n\n- [x] milk\n2. milk\n  - milk"
    "\n\n$$x^2$$\n\n```\ncode\n```\n\n> milk\n\nMore\nmilk\n\n---"
)


def test_a_rich_message_is_read_as_words_of_its_sender() -> None:
    message = read_message(rich_message=RICH)
    assert message.text == RICH_WORDS
    assert message.untrusted is None


def test_an_answer_that_was_a_rich_message_is_quoted_as_own_words() -> None:
    reply = {
        "message_id": 3,
        "from": {"id": 4200, "is_bot": True, "first_name": "Steward"},
        "chat": {"id": 42, "type": "private"},
        "rich_message": RICH,
    }
    message = read_message(text="hi", reply_to_message=reply)
    assert message.quote is not None
    assert (message.quote.text, message.quote.own) == (RICH_WORDS, True)
    assert message.untrusted is None


@pytest.mark.parametrize(
    "value",
    [
        rich({"type": "photo", "photo": [], "caption": {"text": "a cat"}}),
        rich({"type": "details", "summary": "x", "blocks": [{"type": "video"}]}),
        rich({"type": "list", "items": [{"blocks": [{"type": "map"}]}]}),
        rich({"type": "of tomorrow"}),
        rich("no block"),
        {"blocks": "none"},
        7,
    ],
)
def test_a_rich_message_with_more_than_words_is_foreign(value: object) -> None:
    assert read_message(text="hi", rich_message=value).untrusted is not None


@pytest.mark.parametrize(
    ("words", "addressed"),
    [
        ("Ask @Steward_bot about it", True),
        ("Ask @steward_botany about it", False),
        ("mail me@steward_bot", False),
        ("Nobody", False),
    ],
)
def test_in_a_group_a_rich_message_calls_the_bot_by_its_name(
    words: str, *, addressed: bool
) -> None:
    named = {"type": "paragraph", "text": {"type": "bold", "text": words}}
    group = {"id": -7, "type": "group", "title": "Team"}
    assert read_message(chat=group, rich_message=rich(named)).addressed is addressed


def test_media_of_a_rich_message_are_named() -> None:
    shown = rich({"type": "photo", "caption": {"text": "a cat"}}, {"type": "voice_note"})
    assert read_message(rich_message=shown).text == "[photo: a cat]\n\n[voice note]"


def test_a_rich_message_nested_without_end_is_read() -> None:
    block: dict[str, Any] = {"type": "paragraph", "text": "deep"}
    for _ in range(200):
        block = {"type": "blockquote", "blocks": [block]}
    assert read_message(rich_message=rich(block)).untrusted is not None
