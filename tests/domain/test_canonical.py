"""Equal calls are equal in their canonical arguments, however a model spelt them."""

import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from bot.domain.text.visible_text import clipped
from bot.domain.tools.tool import ToolCall, canonical
from tests.domain.logs import json_objects, json_values


def same(left: Any, right: Any) -> bool:
    """Equal as JSON values: numbers by value, booleans never as numbers."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[k], right[k]) for k in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


def reordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: reordered(v) for k, v in reversed(value.items())}
    if isinstance(value, list):
        return [reordered(v) for v in value]
    whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53
    return float(value) if whole else value


@given(json_objects)
def test_order_spacing_and_the_spelling_of_numbers_do_not_matter(arguments: dict[str, Any]) -> None:
    spaced = json.loads(json.dumps(reordered(arguments), indent=3))
    assert canonical(spaced) == canonical(arguments)


near = st.sampled_from([0, 1, 1.0, -0.0, True, False, None, "1", 1e16, 10**16, 2**53 + 1, 2.0**53])


@given(json_values | near, json_values | near)
@example(1e16, 10**16)
@example(2**53 + 1, 2.0**53)
@example(1.0, True)
@example([1], [[1]])
@example("1", 1)
def test_two_spellings_are_equal_exactly_when_the_values_are(left: Any, right: Any) -> None:
    assert (canonical({"a": left}) == canonical({"a": right})) == same(left, right)


@given(json_objects)
def test_the_canonical_spelling_means_the_same_and_is_its_own(arguments: dict[str, Any]) -> None:
    spelling = canonical(arguments)
    assert same(json.loads(spelling), arguments)
    assert canonical(json.loads(spelling)) == spelling


@given(st.text(alphabet=st.characters(exclude_categories=[])), st.floats())
def test_no_text_and_no_number_makes_it_fail(text: str, number: float) -> None:
    assert canonical({text: number, "x": text})


def test_unreadable_arguments_stand_for_themselves() -> None:
    broken = ToolCall("1", "run", '{"command": ', None, "cut")
    assert broken.canonical == '{"command": '
    assert broken.signature != ToolCall("1", "run", "{}", {}).signature


def test_the_tool_belongs_to_the_signature() -> None:
    assert ToolCall("1", "read", "", {}).signature != ToolCall("1", "list", "", {}).signature
    assert ToolCall("1", "read", "", {}).signature == ToolCall("2", "read", "{ }", {}).signature


def test_the_subject_is_one_short_line() -> None:
    assert ToolCall("1", "run", "", {"command": "a\n  b"}).subject == "run a b"
    assert ToolCall("1", "run", "", None).subject == "run"
    long = ToolCall("1", "run", "", {"command": "x" * 500}).subject
    assert len(long) == len("run ") + 60
    assert long.endswith("…")


@given(st.text(), st.integers(1, 50))
def test_clipped_text_is_never_longer_than_asked(text: str, length: int) -> None:
    assert len(clipped(text, length)) <= length
    assert clipped(text, len(text)) == text
