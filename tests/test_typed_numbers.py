"""Numbers that a person types show as they were given; no reader of Markdown counts them anew."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from bot.domain.text.markdown import item
from tests.adapters.hidden_links import shown_text

FLOW = Path(__file__).resolve().parents[1] / "bot" / "flow"
NUMBERS = (2, 4, 17)

STEPS = {
    "plans/cards.py": "_line",  # Plain text: each step from 1 on, and nobody types its number.
    "plans/wording.py": "_told",  # Words for the model.
}
"""The functions that may write a counted line by themselves, each with its reason."""

_COUNTING = {"enumerate", "count", "range"}
_CALLED = {"n", "nth", "number", "id", "index", "place", "position", "row"}
_BEGINS = re.compile(r"(?:\A|\n)[ \t>*+-]*\Z")
_COUNTS = re.compile(r"\\?[.)](?:\s|\Z)")


def test_every_list_whose_numbers_are_typed_goes_through_one_function() -> None:
    modules = list(FLOW.rglob("*.py"))
    assert len(modules) > 100
    found = {
        f"{path.relative_to(FLOW)}: {line}"
        for path in modules
        for function, line in counted(path.read_text())
        if STEPS.get(str(path.relative_to(FLOW))) != function
    }
    assert found == set()


def test_each_exception_is_still_needed() -> None:
    for name, function in STEPS.items():
        assert function in {found for found, _ in counted((FLOW / name).read_text())}


@pytest.mark.parametrize(
    "line",
    [
        'f"{note.id}. {text}"',
        'f"{head}\\n{number}) {text}"',
        'f"- {n}. {text}"',
        'f"> {n + 1}. " + text',
        '"\\n".join(f"{place}. {text}" for place, text in enumerate(texts, 1))',
        '"{}. {}".format(n, text)',
        'str(n) + ". " + text',
    ],
)
def test_a_list_that_counts_by_itself_is_found(line: str) -> None:
    assert list(counted(f"def told(n, text):\n    return {line}\n")) == [("told", 2)]


def test_a_sentence_that_begins_with_a_value_is_none() -> None:
    assert list(counted('def told(now):\n    return f"{now}. It is done: {1}."\n')) == []


@pytest.mark.parametrize("channel", ["telegram", "discord", "terminal"])
def test_numbers_with_gaps_show_as_they_are_on_each_channel(channel: str) -> None:
    text = "\n".join(["Notes:", "", *(item(n, f"note {n}") for n in NUMBERS)])
    assert all(f"{n}: note {n}" in shown_text(text, None, channel) for n in NUMBERS)


def counted(source: str) -> Iterator[tuple[str, int]]:
    """Yields the lines that begin with a number of the program's, each with its function."""
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            numbers = _CALLED | set(_enumerated(function))
            for node in ast.walk(function):
                if isinstance(node, ast.expr) and _counts(node, numbers):
                    yield function.name, node.lineno


def _enumerated(function: ast.AST) -> Iterator[str]:
    """Yields the names that a count gives their values."""
    for node in ast.walk(function):
        if (
            isinstance(node, ast.For | ast.comprehension)
            and isinstance(node.iter, ast.Call)
            and _name(node.iter.func) in _COUNTING
        ):
            first = node.target.elts[0] if isinstance(node.target, ast.Tuple) else node.target
            yield _name(first)


def _counts(node: ast.expr, numbers: set[str]) -> bool:
    match node:
        case ast.JoinedStr(values=parts):
            return any(
                isinstance(part, ast.FormattedValue)
                and _is_number(part.value, numbers)
                and _begins_line(parts[at - 1] if at else None)
                and _goes_on(after)
                for at, (part, after) in enumerate(pairwise(parts))
            )
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as form), attr="format")):
            return re.search(r"(?:\A|\n)[ \t>*+-]*\{\w*\}[.)] ", form) is not None
        case ast.BinOp(left=ast.Call(func=ast.Name(id="str")), op=ast.Add(), right=right):
            return _goes_on(right)
        case _:
            return False


def _is_number(value: ast.expr, numbers: set[str]) -> bool:
    if isinstance(value, ast.BinOp):
        return _is_number(value.left, numbers)
    if isinstance(value, ast.Call):
        return _name(value.func) in {"next", "len"}
    return _name(value) in numbers


def _name(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _begins_line(before: ast.expr | None) -> bool:
    if before is None:
        return True
    return isinstance(before, ast.Constant) and bool(_BEGINS.search(str(before.value)))


def _goes_on(after: ast.expr) -> bool:
    return isinstance(after, ast.Constant) and bool(_COUNTS.match(str(after.value)))
