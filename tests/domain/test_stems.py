"""Texts are cut into words in the same way, whatever else stands in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.sql.stemmer import stem
from bot.domain.text.stems import stems


@given(st.text() | st.text("aZé’_-9 \n\x1fß²"))
def test_a_text_is_cut_alike_with_and_without_a_word_of_another_script(text: str) -> None:
    assert stems(f"{text} 茶", stem) == [*stems(text, stem), "茶"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Two_cups, of TEA-9!", ["two", "cup", "of", "tea", "9"]),
        ("Ann’s café – naïve", ["ann", "s", "caf", "naiv"]),
        ("我喝茶 today", ["我喝", "喝茶", "today"]),
    ],
)
def test_words_end_where_no_letter_and_no_digit_stands(text: str, found: list[str]) -> None:
    assert stems(text, stem) == found
