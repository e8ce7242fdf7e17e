"""What is said of an answer that goes along as a file."""

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.talk.message import FileRef, Markdown, Outbound, OutboundKind, Plain
from bot.domain.turn.folding import FILE_NAME, folded, opening


def test_whole_paragraphs_are_taken_as_long_as_they_fit() -> None:
    first = "First of all. " * 20
    assert opening(f"# Plan\n\n{first}\n \nSecond.\n\n{'x' * 700}") == (
        f"# Plan\n\n{first.strip()}\n\nSecond."
    )


def test_a_paragraph_that_is_too_long_ends_with_a_sentence() -> None:
    text = "One is here. Two is 3.5 long! “Three?” " + "Four goes on and on " * 50
    assert opening(text, 60) == "One is here. Two is 3.5 long! “Three?”"
    assert opening("一つです。二つです。" + "三" * 100, 30) == "一つです。二つです。"


def test_without_a_sentence_whole_words_are_taken() -> None:
    assert opening("word " * 30, 22) == "word word word word…"
    assert opening("x" * 30, 10) == "x" * 9 + "…"


def test_a_heading_alone_is_no_opening() -> None:
    assert opening("# Plan\n\nOne. " + "Two goes on " * 90, 200) == "# Plan\n\nOne."


def test_a_heading_stays_with_the_text_that_is_left_out() -> None:
    text = f"One.\n\n## Part 2\n\n**More:**\n\n{'Two goes on. ' * 90}"
    assert opening(text, 30) == "One."
    assert opening(f"One.\n\n## Part 2\n\n{'Two goes on. ' * 90}", 200).endswith("on.")
    assert opening("One.\n\n**Thanks!**") == "One.\n\n**Thanks!**"


def test_code_and_tables_are_no_opening() -> None:
    assert opening("Look:\n\n```\ncode\n```\n\nAfter.") == "Look:"
    assert opening("| a | b |\n|---|---|\n| 1 | 2 |") == ""


def test_the_whole_goes_along_before_the_other_files() -> None:
    other = FileRef("/f", "f.txt")
    content = Outbound(
        OutboundKind.ANSWER, (Markdown("One."), Plain("Two.")), files=(other,), folded=True
    )
    shown = folded(content)
    assert shown.files == (FileRef("", FILE_NAME, text="One.\n\nTwo."), other)
    assert [block.text for block in shown.blocks] == [
        "One.\n\nTwo.\n\n📄 The whole answer is in answer.md: 10 characters."
    ]
    assert not shown.folded


@given(st.text(), st.integers(20, 200))
def test_an_opening_is_never_longer_than_it_may_be(text: str, longest: int) -> None:
    assert len(opening(text, longest)) <= longest
