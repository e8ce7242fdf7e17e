"""Events are the same however a server writes its lines and wherever the network cuts them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.openai.event_stream import END, EventStream

WORDS = '{"choices": [{"delta": {"content": "Grüße, 朋友 🦊"}}]}'
STREAM = (
    f": a comment\nevent: message\nid: 7\nretry: 10\ndata: {WORDS}\n\n"
    f":\n\ndata:{WORDS}\n\ndata: one\ndata: two\n\n\n\ndata: {END}\n\n"
)
EVENTS = [WORDS, WORDS, "one\ntwo", END]


def read(*pieces: bytes) -> list[str]:
    stream = EventStream()
    events = [event for piece in pieces for event in stream.feed(piece)]
    return [*events, *stream.end()]


@given(st.sampled_from(["\n", "\r\n"]), st.lists(st.integers(0, 400), max_size=12))
def test_cuts_anywhere_change_nothing_within_a_character_either(end: str, cuts: list[int]) -> None:
    whole = STREAM.replace("\n", end).encode()
    marks = sorted({0, len(whole), *(cut % len(whole) for cut in cuts)})
    pieces = [whole[a:b] for a, b in pairwise(marks)]
    assert read(*pieces) == EVENTS


def test_every_byte_alone_and_an_end_without_a_line_feed_change_nothing() -> None:
    whole = STREAM.rstrip("\n").encode()
    assert read(*(whole[n : n + 1] for n in range(len(whole)))) == EVENTS


def test_a_huge_event_is_read_and_one_beyond_all_bounds_is_not() -> None:
    words = "x" * 8_000_000
    assert read(f"data: {words}\n\n".encode()) == [words]
    with pytest.raises(ValueError, match="without an end"):
        read(*[b"data: " + b"x" * 1_000_000] * 17)


def test_bytes_that_are_no_text_are_a_fault() -> None:
    with pytest.raises(ValueError, match="utf-8"):
        read(b"data: \xff\xfe\n\n")
