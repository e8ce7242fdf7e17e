"""Each promise of the pages about security has the names of the tests that show it.

A promise is a paragraph, a point of a list, or a table. Behind it stands a comment that readers of
the page do not see: `<!-- shown by: tests/…::test_…, ::test_…, … -->`, where a name without a file
stands in the file before it; or `<!-- no promise: reason -->`.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[1]
_PAGES = tuple(
    _ROOT / "docs" / page
    for page in (
        "security.md",
        "people.md",
        "backup.md",
        "internals/defences.md",
        "internals/threat_model.md",
    )
)
_COMMENT = re.compile(r"<!--\s*(shown by|no promise):\s*(.+?)\s*-->", re.DOTALL)
_NEW_BLOCK = re.compile(r"\n\s*\n|\n(?=[ \t]*- )")
_NO_BLOCK = re.compile(r"#|```|\s*$")


def blocks(page: str) -> Iterator[tuple[str, str | None]]:
    """Returns each block of a page with what its comment says; None where there is no comment."""
    marks = {f"\0{n}\0": one for n, one in enumerate(_COMMENT.finditer(page))}
    for sign, one in marks.items():
        page = page.replace(one[0], sign, 1)
    # A comment may stand below a table or a list point, with an empty line between.
    page = re.sub(r"\s+(\0\d+\0)", r" \1", page)
    for block in _NEW_BLOCK.split(page):
        signs = re.findall(r"\0\d+\0", block)
        words = re.sub(r"\s*\0\d+\0", "", block).strip()
        if not _NO_BLOCK.match(words):
            yield words, ", ".join(marks[one][2] for one in signs if marks[one]) or None


@cache
def defined_in(file: Path) -> frozenset[str]:
    """Returns the names of the tests in a file; none where it does not exist."""
    if not file.is_file():
        return frozenset()
    found = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    functions = (one for one in found if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(one.name for one in functions if one.name.startswith("test_"))


def unknown(named: str) -> list[str]:
    """Returns the names in a comment that are no test of ours; a comment without a name is one.

    A name without a file stands in the file of the name before it.
    """
    file, lacking = "", list[str]()
    for one in re.split(r"[,\s]+", named):
        here, _, test = one.partition("::")
        file = here or file
        if test not in defined_in(_ROOT / file):
            lacking.append(one)
    return lacking


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.name)
def test_each_promise_of_a_page_about_security_names_its_tests(page: Path) -> None:
    found = list(blocks(page.read_text(encoding="utf-8")))
    assert len(found) > 15
    assert [words for words, comment in found if comment is None] == []


def test_each_test_that_is_named_there_exists() -> None:
    comments = [
        one for page in _PAGES for one in _COMMENT.findall(page.read_text(encoding="utf-8"))
    ]
    shown = [named for kind, named in comments if kind == "shown by"]
    assert len(shown) > 80
    assert [missing for named in shown for missing in unknown(named)] == []


@pytest.mark.parametrize(
    ("page", "lacking"),
    [
        ("# Title\n\nWe promise.\n", ["We promise."]),
        ("We promise.\n<!-- shown by: tests/test_promises.py::test_x -->\n", []),
        ("- One.\n  <!-- no promise: a hint -->\n- Two.\n", ["- Two."]),
        ("| a |\n|---|\n| b |\n\n<!-- no promise: a picture -->\n\nMore.\n", ["More."]),
    ],
)
def test_a_promise_without_a_comment_is_found(page: str, lacking: list[str]) -> None:
    assert [words for words, comment in blocks(page) if comment is None] == lacking


def test_a_test_that_does_not_exist_is_found() -> None:
    there = f"tests/test_promises.py::{test_a_test_that_does_not_exist_is_found.__name__}"
    assert unknown(f"{there},\n  ::{test_a_promise_without_a_comment_is_found.__name__}") == []
    gone = ["tests/test_promises.py::test_gone", "::test_no", "tests/gone.py::test_x", "soon"]
    assert unknown(", ".join([there, *gone])) == gone
