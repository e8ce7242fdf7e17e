"""The words with which passages are told again: windows around the words that were asked for."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.memory.passage import Passage
from bot.domain.memory.recalled import RECALL_TOKENS, Recipient, told_again
from bot.domain.memory.token_count import tokens_of
from bot.domain.text.stems import beginnings

NOW = datetime(2026, 11, 2, tzinfo=UTC)
FILLER = "Nothing in this sentence helps anybody at all. "


def passage(id: str, answer: str) -> Passage:
    return Passage(id, "p1", NOW, f"question {id}", answer, person=1, speaker="Ann")


def told(asked: str, *passages: Passage, tokens: int = RECALL_TOKENS) -> str:
    ids = [one.id for one in passages]
    body = told_again(ids, passages, beginnings(asked), Recipient(1), tokens)
    return "" if body is None else body.text


def test_a_long_answer_is_cut_around_the_words_that_stand_near_each_other() -> None:
    parts = ("A lantern. ", FILLER * 60, "The green lanterns hang in Zürich. ", FILLER * 60)
    text = told("Where are the green lanterns?", passage("a", "".join(parts)))
    assert "The green lanterns hang in Zürich." in text
    assert "A lantern." not in text
    assert "… " in text
    assert " …" in text


def test_five_long_answers_fit_the_room_of_a_message() -> None:
    long = [passage(f"n{n}", f"{FILLER * 40}Rex {n} is a dog. {FILLER * 40}") for n in range(5)]
    text = told("Which dogs are there?", *long)
    assert all(f"Rex {n} is a dog." in text for n in range(5))
    assert tokens_of(text) <= RECALL_TOKENS


@given(st.text(max_size=9_000), st.text(max_size=300), st.integers(60, 1_500))
def test_whatever_is_quoted_stays_within_its_tokens(answer: str, asked: str, tokens: int) -> None:
    text = told(asked, passage("a", answer), passage("b", answer[::-1]), tokens=tokens)
    assert tokens_of(text) <= tokens + 5


def test_a_question_of_many_words_costs_no_more_than_its_first_ones() -> None:
    many = " ".join(f"{n}nth" for n in range(50_000))
    assert len(beginnings(many)) == 48
    assert told(many, passage("a", many[:16_000]))
