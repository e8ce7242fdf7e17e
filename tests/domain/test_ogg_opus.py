"""The length of a recording is read from its last page; anything else is no recording."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.talk.ogg_opus import seconds_of, waveform_of
from tests.standins.opus import opus


@pytest.mark.parametrize(("seconds", "told"), [(0.01, 1), (1, 1), (1.2, 2), (300, 300)])
def test_the_length_is_told_in_whole_seconds(seconds: float, told: int) -> None:
    assert seconds_of(opus(seconds)) == told


def test_words_that_look_like_a_page_do_not_mislead() -> None:
    assert seconds_of(opus(7, b"OggS" + b"\x00" * 3)) == 7


@given(st.binary(max_size=200) | st.binary(max_size=60).map(lambda b: opus()[:60] + b))
def test_anything_is_read_without_a_fault(sound: bytes) -> None:
    assert (seconds_of(sound) or 1) >= 1


@pytest.mark.parametrize("sound", [b"", b"OggS", b"ID3\x04" + b"\x00" * 99, opus()[:50]])
def test_what_is_no_opus_is_told_apart(sound: bytes) -> None:
    assert seconds_of(sound) is None


def test_the_waveform_shows_where_there_is_more_to_hear() -> None:
    loud = opus(seconds=0.1, words=b"x" * 600)
    assert waveform_of(loud, 256) == b"\xff"
    head = loud[: loud.rindex(b"OggS")]
    packets = b"\x03" + bytes([10, 100, 50])
    page = b"OggS" + bytes([0, 4]) + (48_000).to_bytes(8, "little") + bytes(12) + packets
    assert waveform_of(head + page + bytes(160), 256) == bytes([25, 255, 127])
    assert waveform_of(head + page + bytes(160), 1) == b"\xff"


@given(st.binary(max_size=400))
def test_no_sound_at_all_makes_the_waveform_fail(rest: bytes) -> None:
    for sound in (rest, b"OggS" + rest, opus(words=rest)[:-1] + rest):
        assert len(waveform_of(sound, 256)) <= 256
