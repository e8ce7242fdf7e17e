"""The mark of a page: it is read as it was written, and tells what the page lacks."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.web.mark import Mark

_rows = st.integers(0, 10**17)
_numbers = st.dictionaries(_rows, st.integers(0, 2**32 - 1), max_size=8)


@given(_rows, _rows, _numbers, _numbers)
def test_a_mark_is_read_as_it_was_written(
    said: int, shown: int, versions: dict[int, int], waits: dict[int, int]
) -> None:
    mark = Mark(said, shown, versions, waits)
    assert Mark.read(str(mark)) == mark


@pytest.mark.parametrize("text", ["", "1", "1.2.", "1.2~x", "1.2.3:4~", "-1.2", "1.2.3", "1.2\n"])
def test_other_words_are_no_mark(text: str) -> None:
    found = Mark.read(text)
    assert found is None or str(found) in text


def test_a_message_that_waits_is_named_until_it_waits_no_more() -> None:
    waiting = Mark(4, 0).with_said(7, 7, 99)
    assert (waiting.said, waiting.waits) == (7, {7: 99})
    changed = waiting.with_said(7, 9, 0)
    assert (changed.said, changed.waits) == (9, {})


def test_a_mark_that_can_be_cut_in_many_ways_is_refused_at_once() -> None:
    before = process_time()
    assert Mark.read(f"1.1.1{':1111111111' * 300}:x") is None
    assert process_time() - before < 0.5


def test_an_open_card_is_named_until_the_page_has_its_end() -> None:
    mark = Mark(shown=9).settled({8: 1, 9: 1}, asking={8})
    assert Mark.read(str(mark)) == mark
    assert mark.versions == {8: 1}
    decided = mark.with_shown(8, 2).with_shown(70, 1).settled({8: 2, 70: 1})
    assert (decided.version(8), decided.shown) == (2, 70)
    assert decided.settled({70: 1}).versions == {}
