"""Labels of lines: names before what is said."""

import pytest

from bot.domain.memory.line_label import labelled_stems, under_labels


def plain(word: str) -> str:
    return word


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("Ann: I am late", "ann : i am late"),
        ("Hello.\nAnn Lee: Yes.\n\nBob: No.", "hello ann lee :: yes bob : no"),
        ("[29.12.2023, 22:42:04] Ann: Yes", "29 12 2023 22 42 04 ann : yes"),
        ("Budget:\n300 euros", "budget : 300 euros"),
        ("小明\uff1a你好", "小明 : 你好"),
        ("Ann\uff1ayes", "ann : yes"),
    ],
)
def test_a_label_has_a_mark_behind_it(text: str, stems: str) -> None:
    assert " ".join(labelled_stems(text, plain)) == stems


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org/ann: it is there",
        "10:30 in the morning",
        "I told Ann, who came: yes",
        "These are all of the things: tea and milk",
        "- **Ann**: the one of the list",
        "def ann(): return",
        ": yes",
        "Ann:yes",
    ],
)
def test_what_is_no_label_has_none(text: str) -> None:
    assert not any(":" in each for each in labelled_stems(text, plain))


def test_a_mark_has_nothing_before_it_as_stems_have() -> None:
    assert list(labelled_stems("Ann: yes", plain, "p1x")) == ["p1xann", ":", "p1xyes"]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("ann : tea late | bob : milk", {"tea"}),
        ("ann lee :: tea | bob : milk", {"tea"}),
        ("tea ann | bob : milk ann", set()),
        ("bob : tea lee ann : milk bob : tea", {"milk"}),
        ("ann : late ann : tea", {"tea"}),
        ("i : tea milk", set()),
    ],
)
def test_a_word_is_under_a_label_up_to_the_next_one(said: str, found: set[str]) -> None:
    words = said.split()
    places = {
        stem: [n for n, word in enumerate(words) if word == stem]
        for stem in ("ann", "tea", "milk", "i")
        if stem in words
    }
    assert under_labels(words, places, {"ann", "tea", "milk"}, "|") == found
