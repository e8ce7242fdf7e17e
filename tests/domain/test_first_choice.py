"""The first choice: all words of a search count, and length as it does in the weighing."""

from bot.domain.memory.first_choice import Heavy, likely


def test_a_long_passage_with_two_words_comes_before_a_short_one_with_one() -> None:
    assert likely([Heavy(1, 4.0, 200), Heavy(2, 2.0, 8)], 1) == [1]


def test_of_equal_words_the_shorter_comes_first_and_then_the_newer() -> None:
    assert likely([Heavy(1, 4.0, 90), Heavy(2, 4.0, 9), Heavy(3, 4.0, 9)], 3) == [3, 2, 1]
