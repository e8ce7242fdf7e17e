"""The first choice: all words of a search count, and length as it does in the weighing."""

from collections.abc import Sequence, Set

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.memory.first_choice import Heavy, in_parts, leading, likely, reached

_WORDS = "abcdefgh"
PASSAGES = st.lists(st.frozensets(st.sampled_from(_WORDS), min_size=1), min_size=1, max_size=60)
WEIGHTS = st.fixed_dictionaries({word: st.floats(0.1, 9) for word in _WORDS})


def heaviest(passages: Sequence[Set[str]], parts: dict[str, int], most: int) -> list[list[int]]:
    """Returns the weights and numbers of the heaviest passages, of equal ones the newest."""
    weights = ([sum(parts[word] for word in held), n] for n, held in enumerate(passages))
    return sorted(weights)[-most:]


def test_a_long_passage_with_two_words_comes_before_a_short_one_with_one() -> None:
    assert likely([Heavy(1, 4.0, 200), Heavy(2, 2.0, 8)], 1) == [1]


def test_of_equal_words_the_shorter_comes_first_and_then_the_newer() -> None:
    assert likely([Heavy(1, 4.0, 90), Heavy(2, 4.0, 9), Heavy(3, 4.0, 9)], 3) == [3, 2, 1]


@given(PASSAGES, WEIGHTS, st.integers(1, 12))
def test_the_heaviest_passages_are_those_to_which_the_narrowed_words_lead(
    passages: list[frozenset[str]], weight: dict[str, float], most: int
) -> None:
    counts = {word: sum(word in held for held in passages) for word in _WORDS}
    parts = dict(in_parts(weight))
    least = reached(parts, counts, most)
    words = leading(parts, counts, least)
    led = [
        {
            word.token
            for word in words
            if word.token in held and (not word.beside or not held.isdisjoint(word.beside))
        }
        for held in passages
    ]
    if least:
        found = heaviest(led, parts, most)
        assert found == heaviest(passages, parts, most)
        assert found[0][0] >= least


def test_a_common_word_leads_only_to_passages_with_a_rarer_one() -> None:
    weight, counts = {"rex": 6.0, "dog": 4.0, "walk": 3.0}, {"rex": 9, "dog": 40, "walk": 90}
    parts = in_parts(weight)
    assert [word.beside for word in leading(parts, counts, reached(parts, counts, 9))] == [
        (),
        ["rex", "walk"],
        ["rex", "dog"],
    ]
    assert [word.beside for word in leading(parts, counts, reached(parts, counts, 10))] == [
        (),
        (),
        ["rex", "dog"],
    ]
    assert reached(parts, counts, 91) == 0


def test_a_word_is_not_narrowed_by_words_that_lead_to_many_times_as_many() -> None:
    parts = in_parts({"rex": 6.0, "dog": 4.0, "ask": 3.0})
    assert [word.beside for word in leading(parts, {"rex": 9, "dog": 40, "ask": 2}, 6 << 36)] == [
        (),
        ["rex", "ask"],
        (),
    ]
