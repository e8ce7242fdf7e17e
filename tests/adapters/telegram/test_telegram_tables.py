"""Tables on a phone: columns where they fit into 35, records where they do not."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.adapters.markdown_tables import NARROW, laid_out
from bot.adapters.telegram.markdown import formatted
from bot.adapters.telegram.pieces import split_content
from bot.domain.talk.message import Markdown, Outbound, OutboundKind

WIDE = "| Name | What it is for |\n|---|---|\n"


def covered(source: str, kind: str) -> list[str]:
    rich = formatted(source, None)
    return [rich.text[s.start : s.end] for s in rich.spans if s.kind == kind]


def test_a_narrow_table_becomes_aligned_columns() -> None:
    source = "| City | Price |\n|:--|--:|\n| Bonn | 9 |\n| Rome | 120 |"
    columns = "City  Price\n────  ─────\nBonn      9\nRome    120"
    assert formatted(source).text == columns
    assert covered(source, "pre") == [columns]


def test_wide_characters_take_two_columns_and_marks_none() -> None:
    source = (
        "| a | b |\n|---|---|\n| 日本 | x |\n| e\u0301 | y |\n| 👩\u200d💻 | z |\n| ❤\ufe0f | w |"
    )
    assert formatted(source).text.split("\n")[2:] == [
        "日本  x",
        "e\u0301     y",
        "👩\u200d💻    z",
        "❤\ufe0f    w",
    ]


def test_a_wide_table_becomes_records_that_keep_their_formatting() -> None:
    source = WIDE + (
        "| grep | finds `a\\|b` in **every** file there is |\n"
        "| docs | [here](https://example.com/a) |\n"
    )
    assert formatted(source, None).text == (
        "Name: grep\nWhat it is for: finds a|b in every file there is\n\n"
        "Name: docs\nWhat it is for: here"
    )
    assert covered(source, "bold") == [
        "Name:",
        "What it is for:",
        "every",
        "Name:",
        "What it is for:",
    ]
    assert covered(source, "code") == ["a|b"]
    assert covered(source, "text_link") == ["here"]


def test_empty_cells_say_nothing_and_a_cell_too_many_is_kept() -> None:
    source = WIDE + "| a |  |\n|  |  |\n| b | c | a cell too many for its head | d |"
    assert formatted(source).text == (
        "Name: a\n\nName: b\nWhat it is for: c\na cell too many for its head | d"
    )


def test_a_table_without_rows_shows_what_its_columns_are_called() -> None:
    head = "| " + " | ".join(f"column number {n}" for n in range(4)) + " |\n" + "|---" * 4 + "|"
    assert formatted(head).text == " ".join(f"column number {n}:" for n in range(4))


def test_a_table_in_a_quote_and_in_a_list_stays_in_its_place() -> None:
    table = "> | a | b |\n> |---|---|\n> | 1 | 2 |\n"
    source = f"Before\n\n{table}\n- point\n\n  | a | b |\n  |---|---|\n  | 3 | 4 |\n\nAfter"
    shown = formatted(source).text
    assert (
        re.sub(r"\n+", "\n", shown) == "Before\na  b\n─  ─\n1  2\n• point\na  b\n─  ─\n3  4\nAfter"
    )
    assert covered(source, "blockquote") == ["a  b\n─  ─\n1  2"]


def test_a_heading_with_marks_in_it_is_shown_as_it_is() -> None:
    source = "| a*b_c~ and <d> | second column here it is |\n|---|---|\n| 1 | 2 |"
    assert formatted(source).text == "a*b_c~ and <d>: 1\nsecond column here it is: 2"


def test_fences_in_code_do_not_end_the_columns() -> None:
    source = "| a | b |\n|---|---|\n| ```` ``` ```` | 2 |"
    assert covered(source, "pre") == ["a    b\n───  ─\n```  2"]


@pytest.mark.parametrize(
    "source",
    [
        "|" + "a|" * 1000 + "\n|" + "-|" * 1000 + "\n" + "|x\n" * 1000,
        "|" + "a|" * 1000 + "\n|" + "-|" * 1000 + "\n" + ("|" + "1|" * 1000 + "\n") * 30,
    ],
)
def test_a_table_beyond_all_measure_is_shown_as_written(source: str) -> None:
    assert formatted(source).text == source


@pytest.mark.parametrize("source", ["no table", "a | b - c", "```\n| a | b |\n|---|---|\n```"])
def test_what_is_no_table_is_not_touched(source: str) -> None:
    assert laid_out(source) == source


WORDS = st.text(alphabet="ab1é日😀*_`[]()<>$\\-# ", max_size=25)
ROWS = st.lists(st.lists(WORDS, min_size=1, max_size=5), min_size=1, max_size=6)


@pytest.mark.parametrize(
    "row", ["|one <a|two >|", "|one \\<a|two >|", "|one|<a |two >|", "|`one <a`|two >|"]
)
def test_a_sign_in_one_cell_makes_no_tag_of_the_next(row: str) -> None:
    shown = formatted(f"|head|\n|---|\n{row}").text
    assert [word in shown for word in ("one", "<a", "two")] == [True] * 3
    assert "\\" not in shown


@example(1, [["<a", ">"]])
@given(st.integers(1, 4), ROWS)
def test_no_word_of_any_table_is_lost(columns: int, rows: list[list[str]]) -> None:
    lines = [
        "|" + "|".join(f"w{n}x{m}w {cell}" for m, cell in enumerate(row)) + "|"
        for n, row in enumerate(rows)
    ]
    head = "|" + "|".join(f"head{n}" for n in range(columns)) + "|"
    source = "\n".join((head, "|" + "---|" * columns, *lines))
    shown = formatted(source).text
    for word in re.findall(r"w\d+x\d+w", source):
        assert word in shown


@given(st.integers(1, 6), ROWS)
def test_columns_are_never_wider_than_a_phone(columns: int, rows: list[list[str]]) -> None:
    lines = ["|" + "|".join(row) + "|" for row in rows]
    source = "\n".join(("|" + "h|" * columns, "|" + "---|" * columns, *lines))
    for block in covered(source, "pre"):
        if "─" in block:
            assert max(len(line) for line in block.split("\n")) <= NARROW


def test_a_long_table_is_cut_between_records() -> None:
    source = WIDE + "".join(f"| n{n} | {'word ' * 30}end{n} |\n" for n in range(60))
    pieces = split_content(Outbound(OutboundKind.ANSWER, (Markdown(source),)))
    assert len(pieces) > 1
    assert all(piece.body["text"].startswith("Name: n") for piece in pieces)
