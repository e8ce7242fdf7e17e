"""Text as people see it before they consent."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.text.visible_text import one_line, plain_output, shown_name, visible

_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def test_every_character_that_shows_nothing_is_written_out() -> None:
    unseen = [c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) in _UNSEEN]
    left = [ascii(c) for c in unseen if visible(c) == c and c not in "\n\t"]
    assert left == []
    assert [c for c in unseen if shown_name(c) == c] == []


def test_words_and_signs_stay_as_they_are() -> None:
    for text in ("Grüße, 世界! مرحبا שלום", "⚠️ ✅ 👍🏽", "a\tb\nc", "e\u0301"):
        assert visible(text) == text


def test_a_line_is_bounded_after_all_is_written_out() -> None:
    assert one_line("a\nb", 10) == "a\\nb"
    assert len(one_line("\u202e" * 100, 20)) == 20


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("a\x1b[31mred\x1b[0m", "ared"),
        ("a\x9b31mred\x9b0m", "ared"),
        ("a\x9d0;title\x07b", "ab"),
        ("a\x9d0;title\x9cb", "ab"),
        ("a\x85b\x84c", "abc"),
        ("one\rtwo\n", "two\n"),
    ],
)
def test_no_control_of_a_terminal_is_left_of_an_output(written: str, left: str) -> None:
    assert plain_output(written) == left


@given(st.text(st.characters(max_codepoint=0xFF)))
def test_an_output_has_no_control_character_but_ends_of_lines_and_tabs(written: str) -> None:
    controls = {c for c in plain_output(written) if unicodedata.category(c) == "Cc"}
    assert controls <= {"\n", "\t"}
