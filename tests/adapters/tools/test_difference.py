"""The difference on a card is what the change does, no more and no less."""

import re
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.tools.difference import file_difference, passage_difference

_TEXTS = st.text(st.sampled_from("ab\n"), max_size=40)


@given(_TEXTS, _TEXTS.filter(bool), _TEXTS, _TEXTS)
def test_without_one_sign_it_is_the_text_before_and_without_the_other_the_text_after(
    head: str, old: str, new: str, tail: str
) -> None:
    text, changed = head + old + tail, head + new + tail
    sign, *lines = passage_difference(text, len(head), old, new).split("\n")
    start = int(sign.split()[1].partition(",")[0][1:]) - 1
    before = [line[1:] for line in lines if line[0] in " -"]
    after = [line[1:] for line in lines if line[0] in " +"]
    assert text.split("\n")[start : start + len(before)] == before
    assert changed.split("\n")[start : start + len(after)] == after
    untouched = len(text.split("\n")) - len(before), len(changed.split("\n")) - len(after)
    assert untouched[0] == untouched[1]


_HUNK = re.compile(r"^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$")


def _hunks(difference: str) -> list[tuple[tuple[int, ...], list[str]]]:
    """The places and lines of each hunk."""
    found: list[tuple[tuple[int, ...], list[str]]] = []
    for line in difference.split("\n"):
        if place := _HUNK.match(line):
            found.append((tuple(map(int, place.groups())), []))
        else:
            found[-1][1].append(line)
    return found


@given(
    st.lists(st.sampled_from("abcd"), max_size=60), st.lists(st.sampled_from("abcd"), max_size=60)
)
def test_the_hunks_of_a_replaced_file_make_the_new_one_of_the_old(
    old: list[str], new: list[str]
) -> None:
    gone, come = "\n".join(old), "\n".join(new)
    if gone == come:
        return
    left, made = gone.split("\n"), list[str]()
    taken = 0
    for (start, count, _, _), lines in _hunks(file_difference(gone, come)):
        before = [line[1:] for line in lines if line[0] in " -"]
        assert left[start - 1 : start - 1 + count] == before
        made += chain(left[taken : start - 1], (line[1:] for line in lines if line[0] in " +"))
        taken = start - 1 + count
    assert made + left[taken:] == come.split("\n")


def test_many_changed_lines_are_shown_as_wholly_replaced_with_what_stays_around_them() -> None:
    old = "\n".join(["head", *(f"old {n}" for n in range(300)), "tail"])
    new = "\n".join(["head", *(f"new {n}" for n in range(300)), "tail"])
    lines = file_difference(old, new).split("\n")
    assert lines[:3] == ["@@ -1,302 +1,302 @@", " head", "-old 0"]
    assert lines[-2:] == ["+new 299", " tail"]


@pytest.mark.parametrize(
    ("text", "old", "new", "shown"),
    [
        ("a\nb\nc\n", "b", "x", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c"),
        ("a\nb\nc\n", "c\n", "x\n", "@@ -1,3 +1,3 @@\n a\n b\n-c\n+x"),
        ("a\nb\n", "b\n", "", "@@ -1,2 +1,1 @@\n a\n-b"),
        ("a\nb\nc", "b", "x", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c"),
    ],
)
def test_no_line_is_shown_behind_the_last_line_end(
    text: str, old: str, new: str, shown: str
) -> None:
    assert passage_difference(text, text.index(old), old, new) == shown
    assert not file_difference(text, text.replace(old, new)).endswith("\n ")
