"""A growing text: read at any moment, it is what came until then."""

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.text.growing_text import GrowingText


@given(st.text(), st.lists(st.tuples(st.text(), st.booleans())))
def test_it_is_all_pieces_in_their_order_whenever_it_is_read(
    first: str, pieces: list[tuple[str, bool]]
) -> None:
    growing, whole = GrowingText(first), first
    for piece, looked in pieces:
        growing.add(piece)
        whole += piece
        assert len(growing) == len(whole)
        if looked:
            assert str(growing) == whole
    assert str(growing) == whole


def test_it_is_true_only_with_words() -> None:
    growing = GrowingText()
    growing.add("")
    assert not growing
    growing.add("a")
    assert growing
