"""The weight of meaning: bounded, never smaller for more that is found, and honest about little."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.sql.stemmer import stem
from bot.domain.memory.earned import (
    FEWEST,
    NEAR_TOP,
    UNMEASURED,
    earned,
    ranks_by_meaning,
    ranks_by_words,
    sampled,
)
from bot.domain.memory.passage import Passage

NOW = datetime(2026, 11, 2, tzinfo=UTC)
BOTH = st.lists(st.tuples(st.integers(1, 64), st.integers(1, 64)), max_size=64)


def weight(by_words: list[int], by_meaning: list[int]) -> float:
    found = earned(by_words, by_meaning)
    return UNMEASURED if found is None else found


@given(BOTH)
def test_a_weight_is_between_nothing_and_equal(both: list[tuple[int, int]]) -> None:
    assert 0 <= weight([w for w, _ in both], [m for _, m in both]) <= 1


@given(BOTH, st.lists(st.integers(0, 63), max_size=64))
def test_better_ranks_of_meaning_never_earn_less_and_those_of_words_never_give_more(
    both: list[tuple[int, int]], better: list[int]
) -> None:
    words, meaning = [w for w, _ in both], [m for _, m in both]
    more = [*better, *[0] * len(both)]

    def improved(ranks: list[int]) -> list[int]:
        return [max(rank - by, 1) for rank, by in zip(ranks, more, strict=False)]

    assert weight(words, improved(meaning)) >= weight(words, meaning)
    assert weight(improved(words), meaning) <= weight(words, meaning)


def test_as_good_as_words_is_equal_half_as_good_a_quarter_and_chance_nothing() -> None:
    words = [1] * 46 + [64] * 18
    assert earned(words, words) == 1
    assert earned(words, [1] * 26 + [64] * 38) == 0.25
    assert earned(words, [1] * 2 * NEAR_TOP + [64] * 58) == 0
    assert earned([64] * 64, words) == 1


def test_few_questions_and_answers_that_nothing_finds_say_nothing() -> None:
    assert earned([1] * (FEWEST - 1), [64] * (FEWEST - 1)) is None
    assert earned([64] * 64, [64] * 64) is None


@given(st.integers(0, 200), st.integers(1, 64))
def test_a_sample_is_bounded_and_has_each_question_and_answer_once(kept: int, most: int) -> None:
    every = [Passage(f"t{n}", "p1", NOW, f"q{n % 90}", f"a{n % 80}", 1) for n in range(kept)]
    found = sampled(every, most)
    assert len(found) == min(most, kept, 80)
    assert len({one.question for one in found}) == len({one.answer for one in found}) == len(found)


def test_an_answer_that_nothing_tells_apart_from_the_others_has_the_last_rank() -> None:
    questions, answers = ["where is the car?", "hm?"], ["The car is away.", "Yes."]
    assert ranks_by_words(questions, answers, stem) == [1, 2]
    assert ranks_by_meaning([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 0.0]]) == [2, 2]
