"""Text of unknown origin becomes text that every store takes."""

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.text.storable import storable

ANY = st.text(st.characters(codec=None, exclude_categories=()))


@given(ANY)
def test_what_is_storable_can_be_encoded_and_stays_so(text: str) -> None:
    kept = storable(text)
    kept.encode()
    assert "\0" not in kept
    assert storable(kept) == kept


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_sound_text_stays_as_it_is(text: str) -> None:
    assert storable(text) == text


def test_pairs_are_joined_and_halves_replaced() -> None:
    assert storable("a\ud83d\ude00b\ud83dc\0") == "a\U0001f600b\ufffdc\ufffd"
