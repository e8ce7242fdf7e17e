"""Answers become words that can be spoken: bounded, in order, without code and addresses."""

from time import process_time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.domain.text.speakable import MOST_SPOKEN, Speakable, speakable

_WORD = st.text(st.characters(categories=("Lu", "Ll", "Lo", "Nd")), min_size=1, max_size=8)
_PARAGRAPH = st.lists(_WORD, min_size=1, max_size=12).map(" ".join)
_SIGNS = [
    *("```", "~~~", "`", "**", "*", "_", "# ", "> ", "- ", "1. ", "| a | b |", "|---|---|", "---"),
    *("[a](http://b.de/c)", "![p](q.png)", "https://x.org/y", "www.z.com", "<b>", "<!--", "-->"),
    *("\n", "\n\n", " ", "a", "7", "✅", "\\*", "[^1]", "||", "\u200d", "\ufe0f", "\x00", "\ud83d"),
]
_MARKDOWN = st.lists(st.sampled_from(_SIGNS) | _WORD, max_size=25).map("".join)


@given(_MARKDOWN, st.integers(1, 60))
@example("a" * 100, 10)
def test_no_more_is_spoken_than_may_be(text: str, most: int) -> None:
    assert len(speakable(text, most).text) <= most


@given(_MARKDOWN)
@example("[https://a.de](https://b.de)")
@example("<https://a.de/b>")
@example("_https://a.de/b")
@example("https:\ufe0f//a.de")
def test_neither_addresses_nor_signs_are_spoken(text: str) -> None:
    said = speakable(text).text
    assert "://" not in said
    assert not any(sign in said for sign in ("```", "✅", "\x00", "\ud83d"))


@given(st.lists(_PARAGRAPH, max_size=8))
def test_plain_words_are_spoken_as_they_are(paragraphs: list[str]) -> None:
    text = "\n\n".join(paragraphs)
    assert speakable(text) == Speakable(text)


@given(st.lists(_PARAGRAPH, min_size=2, max_size=8), st.integers(20, 200))
def test_a_long_answer_is_spoken_up_to_a_whole_paragraph(paragraphs: list[str], most: int) -> None:
    text = "\n\n".join(paragraphs)
    said = speakable(text, most)
    assert text.startswith(said.text)
    assert said.cut == (said.text != text)
    if said.cut and len(paragraphs[0]) <= most:
        rest = text[len(said.text) :]
        assert rest.startswith("\n\n")
        assert len(said.text) + 2 + len(rest[2:].partition("\n\n")[0]) > most


@given(_MARKDOWN)
def test_code_is_never_spoken(text: str) -> None:
    said = speakable(f"Before.\n\n```python\nxyzzyplugh\n```\n\n{text}")
    assert "xyzzyplugh" not in said.text
    assert said.text.startswith("Before.")
    assert said.bare


@pytest.mark.parametrize(
    ("markdown", "said"),
    [
        ("# The plan\n\nDo *this*, then **that**.", "The plan\n\nDo this, then that."),
        ("See [the page](https://a.de/b_(c)?d=1).", "See the page."),
        ("See https://www.a.de/b?c=d, then <https://e.org>.", "See a.de, then e.org."),
        ("- [x] one ✅\n- two\n3. three", "one\ntwo\n3. three"),
        ("> quoted\n> **twice**", "quoted\ntwice"),
        ("Use `pytest -q` and snake_case.", "Use pytest -q and snake_case."),
        ("3 * 4 = 12, and 2 \\* 3.", "3 * 4 = 12, and 2 * 3."),
        ("It is 20 °C for 3 €.", "It is 20 °C for 3 €."),
        ("a\u200cb\u00adc", "abc"),
        ("One<br/>two <b class='x'>three</b>", "One two three"),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n\nAfter.", "After."),
        ("a | b\n--|--\n1 | 2\nAfter.", "After."),
        ("> | a | b |\n> | :-- | --: |\n> | 1 | 2 |\n\nAfter.", "After."),
        ("One | two, or - | three.", "One | two, or - | three."),
        ("## Title ##\n\nC# and # 1 ##x", "Title\n\nC# and # 1 ##x"),
        ("One <!-- two <!-- three --> four", "One <!-- two four"),
        ("***\n\nYes 👍🏽\n\n---", "Yes"),
        ("[a]: https://b.de\n\nText[^1].\n\n[^1]: A note.", "Text."),
        ("[![badge](https://a.de/b.png)](https://c.de)", "badge"),
        ("~~~\nunclosed", ""),
        ("✅ 🎉", ""),
    ],
)
def test_what_people_would_read_out(markdown: str, said: str) -> None:
    assert speakable(markdown).text == said


def test_a_first_paragraph_that_is_too_long_ends_with_a_sentence_or_a_word() -> None:
    assert speakable("One two. Three four. Five", 20) == Speakable("One two. Three four.", cut=True)
    assert speakable("one two three", 9) == Speakable("one two", cut=True)
    assert speakable("一二三。四五六。七", 8).text == "一二三。四五六。"
    assert speakable("abcdefgh", 3) == Speakable("abc", cut=True)


@pytest.mark.parametrize(
    "markdown", ["<!--", "![", "[^", " " * 40_000 + "|", "-" + " " * 40_000 + "|x", "|-", "# ", "`"]
)
def test_a_very_long_answer_is_cut_in_good_time(markdown: str) -> None:
    begun = process_time()
    said = speakable(markdown * (500_000 // len(markdown)))
    # Everybody waits for it; it took half a minute where spaces were looked through again.
    assert process_time() - begun < 5
    assert said.cut
    assert len(said.text) <= MOST_SPOKEN
