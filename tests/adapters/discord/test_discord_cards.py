"""A card is one message: a long content is cut, and a file has the whole of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.discord.cutting import LONGEST, units
from bot.adapters.discord.pieces import split_content
from bot.domain.talk.message import Button, CodeBlock, FileRef, Outbound, OutboundKind, Plain

BUTTONS = ((Button("✅ Approve", "a"), Button("❌ Deny", "d")),)


def card(*contents: str, files: tuple[FileRef, ...] = ()) -> Outbound:
    blocks = (Plain("🔐 Create a.md", style="title"), *map(CodeBlock, contents))
    return Outbound(
        OutboundKind.CARD, (*blocks, Plain("open for 24 h", style="aside")), BUTTONS, files
    )


@pytest.mark.parametrize(
    "content",
    ["line of words\n" * 400, "x" * 5_000, "😀" * 3_000, "a\u200b" * 1_500, "```\n" * 900],
    ids=["lines", "one line", "wide", "invisible", "fences"],
)
def test_a_long_content_is_cut_and_a_file_has_the_whole(content: str) -> None:
    first, file = split_content(card(content))
    assert units(first.body["text"]) <= LONGEST
    assert first.body["buttons"]
    assert first.body["text"].startswith("**🔐 Create a.md**")
    assert first.body["text"].endswith("-# open for 24 h")
    assert "characters more: the file below has all of it." in first.body["text"]
    assert file.body["file"] == {"text": content, "name": "content.txt"}
    assert "buttons" not in file.body


def test_a_card_that_has_its_file_already_gets_no_second_one() -> None:
    whole = FileRef("", "a.md", text="words " * 900)
    pieces = split_content(card("words " * 900, files=(whole,)))
    assert [piece.body.get("file", {}).get("name") for piece in pieces] == [None, "a.md"]


def test_the_longest_of_two_contents_is_cut() -> None:
    first, _ = split_content(card("short one", "y" * 4_000))
    assert "short one" in first.body["text"]


def test_a_short_card_stays_as_it_is() -> None:
    [piece] = split_content(card("print(1)"))
    assert "more" not in piece.body["text"]


@given(contents=st.lists(st.text(max_size=2_500), max_size=3))
def test_any_card_fits_and_has_its_buttons_once(contents: list[str]) -> None:
    pieces = split_content(card(*contents))
    assert all(units(piece.body["text"]) <= LONGEST for piece in pieces)
    assert sum("buttons" in piece.body for piece in pieces) == 1
