"""Messages about tool calls on Telegram: folded, and nothing in them comes alive."""

import pytest

from bot.adapters.telegram.cutting import LONGEST, MOST_SPANS
from bot.adapters.telegram.pieces import split_content
from bot.domain.talk.message import CallBlock, Outbound, OutboundKind, Plain
from bot.domain.tools.call_words import ROOM
from tests.standins.bot_api.entity import check_borders, parse_entities, settle
from tests.standins.bot_api.rich_markup import parse_html

HOSTILE = (
    "@bob https://evil.example /stop #tag a@b.example +49 30 123456",
    "</pre></details><a href='https://evil.example'>x</a> &lt;",
    "**x** `y` ```\nz\n``` ||q||",
    "\u200b\u202e\x00\x1b[31m\U0001f600 \U0001f600",
    "Output\nInput\n",
)


def calls(*blocks: CallBlock) -> Outbound:
    return Outbound(OutboundKind.CALLS, (Plain("Helper: `x`", style="aside"), *blocks), silent=True)


@pytest.mark.parametrize("text", HOSTILE)
def test_all_that_a_tool_was_given_and_told_is_code_in_a_folded_quote(text: str) -> None:
    (piece,) = split_content(calls(CallBlock("✓ `look x`, 3 s", text, text)))
    shown, entities = piece.body["text"], parse_entities(piece.body["entities"])
    check_borders(shown, entities)
    assert settle(entities) == tuple(entities), "the service keeps each as it is"
    assert piece.body["silent"]
    units = shown.encode("utf-16-le")
    code = [e for e in entities if e.type == "code"]
    (quote,) = [e for e in entities if e.type == "expandable_blockquote"]
    inside = [e for e in code if quote.offset <= e.offset and e.end <= quote.end]
    assert len(inside) == 2
    rest = "".join(
        units[2 * a : 2 * b].decode("utf-16-le")
        for a, b in zip((0, *(e.end for e in code)), (*(e.offset for e in code), None), strict=True)
        if b is not None
    )
    assert rest.split() == ["Helper:", "✓", ",", "3", "s", "Input", "Output"]


@pytest.mark.parametrize("text", HOSTILE)
def test_where_there_are_rich_messages_each_call_is_a_detail_with_code(text: str) -> None:
    (piece,) = split_content(calls(CallBlock("✓ `look x`", text, text)), rich=True)
    root = parse_html(piece.body["rich"])
    named, details = root.parts
    assert (named.tag, details.tag) == ("p", "details")
    assert [part.tag for part in details.parts] == ["summary", "p", "pre", "p", "pre"]
    assert all(
        isinstance(one, str) for pre in (details.parts[2], details.parts[4]) for one in pre.inside
    )
    assert [other["text"] for other in piece.body["instead"]]


def test_a_full_message_of_many_calls_is_one_message() -> None:
    each = (ROOM - 20 * 40) // 40
    many = [CallBlock(f"✓ `look number {n}`", "i" * each, "o" * each) for n in range(20)]
    (piece,) = split_content(calls(*many))
    assert len(piece.body["text"]) <= LONGEST
    assert len(piece.body["entities"]) <= MOST_SPANS
    (rich,) = split_content(calls(*many), rich=True)
    parse_html(rich.body["rich"])


def test_a_call_without_texts_is_a_line() -> None:
    (piece,) = split_content(calls(CallBlock("✓ `look`")))
    assert [e["type"] for e in piece.body["entities"]] == ["italic", "code", "code"]
    (rich,) = split_content(calls(CallBlock("✓ `look`")), rich=True)
    assert "rich" not in rich.body
