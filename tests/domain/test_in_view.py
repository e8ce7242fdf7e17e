"""What is kept of the entries in view is what a walk over the whole log finds."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.memory.background import WordsInView
from bot.domain.memory.recalled import PassagesInView
from bot.domain.turn.in_view import InView
from bot.domain.turn.transcript import (
    AskerBody,
    BackgroundBody,
    Body,
    CutBody,
    Entry,
    RecallBody,
    SummaryBody,
    uncovered,
)
from tests.domain.logs import NOON

_TURNS = st.sampled_from(["a", "b", "c"])
_BODIES: st.SearchStrategy[Body] = st.one_of(
    st.builds(AskerBody, st.just("words"), st.just("Ann")),
    st.builds(RecallBody, st.lists(_TURNS, max_size=2).map(tuple), st.just("quoted")),
    st.builds(
        BackgroundBody, st.sampled_from([None, 1, 2]), st.sampled_from(["", "x", "y"]), st.just("")
    ),
    st.builds(SummaryBody, st.integers(0, 30), st.just("so far")),
    st.builds(
        CutBody,
        st.just(()),
        st.just(0),
        st.lists(_TURNS, max_size=2).map(tuple),
        st.lists(_TURNS, max_size=1).map(tuple),
    ),
)


@st.composite
def logs(draw: st.DrawFn) -> list[Entry]:
    """A log of a conversation that begins anywhere, with gaps; a summary covers older entries."""
    log: list[Entry] = []
    seq = draw(st.integers(0, 5))
    for turn, body in draw(st.lists(st.tuples(_TURNS, _BODIES), max_size=25)):
        seq += draw(st.integers(1, 2))
        covered = (
            replace(body, covers=min(body.covers, seq - 1))
            if isinstance(body, SummaryBody)
            else body
        )
        log.append(Entry(seq, "c", turn, NOON, covered))
    return log


def passages(log: Sequence[Entry]) -> set[str]:
    found: set[str] = set()
    for entry in uncovered(reversed(log)):
        if isinstance(entry.body, RecallBody):
            found |= set(entry.body.passages)
        elif not isinstance(entry.body, SummaryBody):
            found.add(entry.turn)
    return found


def words(log: Sequence[Entry]) -> dict[int | None, str]:
    found: dict[int | None, str] = {}
    for entry in uncovered(reversed(log)):
        if isinstance(entry.body, BackgroundBody):
            found.setdefault(entry.body.person, entry.body.words)
    return found


@given(log=logs(), steps=st.lists(st.integers(0, 25), max_size=6))
def test_a_log_that_grows_is_read_as_if_it_was_read_whole(
    log: list[Entry], steps: list[int]
) -> None:
    seen, told = InView(PassagesInView), InView(WordsInView)
    for end in (*sorted(steps), len(log)):
        assert seen.of(log[:end]).ids == passages(log[:end])
        assert told.of(log[:end]).told == words(log[:end])


class _Counting:
    def __init__(self) -> None:
        self.read: list[int] = []

    def take(self, entry: Entry) -> None:
        self.read.append(entry.seq)


def test_each_entry_is_read_once_until_a_summary_takes_some_out_of_view() -> None:
    log = [Entry(n, "c", "t", NOON, AskerBody("hi", "Ann")) for n in range(1, 5)]
    kept = InView(_Counting)
    kept.of(log[:2])
    assert kept.of(log).read == [1, 2, 3, 4]
    log.append(Entry(5, "c", "t", NOON, SummaryBody(3, "so far")))
    assert kept.of(log).read == [4, 5]
