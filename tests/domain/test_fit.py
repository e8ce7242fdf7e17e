"""What fits a message: words that say enough, or a meaning that the words agree with."""

from datetime import UTC, datetime

import pytest

from bot.domain.memory.fit import (
    BEYOND,
    BEYOND_OF_BOTH,
    ENOUGH,
    OWN_END,
    Candidate,
    fit,
    together,
)
from bot.domain.memory.meaning import noise, unit
from bot.domain.memory.passage import Hit

NOW = datetime(2026, 11, 2, tzinfo=UTC)


def fitting(words: dict[str, float], meaning: dict[str, float]) -> set[str]:
    """Returns what fits of passages with these shares and these spreads beyond chance."""
    by_words = [Hit(id, share, share, NOW) for id, share in words.items()]
    by_meaning = [Hit(id, beyond, 0.5, NOW) for id, beyond in meaning.items()]
    return {one.id for one in together(by_words, by_meaning, NOW) if one.fits}


@pytest.mark.parametrize(
    ("words", "meaning", "fits"),
    [
        ({"a": ENOUGH, "b": 0.15}, {}, {"a"}),
        # Half as good as the best, it may belong to the same answer.
        ({"a": ENOUGH, "b": 0.3}, {}, {"a", "b"}),
        ({"a": ENOUGH - 0.01, "b": 0.3}, {}, set()),
        ({}, {"a": BEYOND, "b": BEYOND - 1}, {"a"}),
        ({"a": 0.3}, {"a": BEYOND_OF_BOTH}, {"a"}),
        ({"a": 0.2}, {"a": BEYOND_OF_BOTH}, set()),
        # It means the same, but it is about somebody else: other passages have the name.
        ({"a": 0.3, "b": 0.1}, {"a": 5.0, "b": 9.0}, set()),
        # It has the name, and others are much nearer in meaning.
        ({"a": 0.3, "b": 0.3}, {"a": 7.0, "b": 9.0}, {"b"}),
        # The words say nothing, so they do not object.
        ({"b": 0.05}, {"a": 9.0}, {"a"}),
    ],
)
def test_words_and_meaning_have_to_agree(
    words: dict[str, float], meaning: dict[str, float], fits: set[str]
) -> None:
    assert fitting(words, meaning) == fits


def test_what_a_model_cannot_tell_apart_does_not_blur_what_it_can() -> None:
    apart = [unit([0.05 * (n % 2), *(float(n == m) for m in range(8))]) for n in range(8)]
    alike = [unit([5.0, 0.1 * n, *[0.0] * 7]) for n in range(8)]
    assert noise([*apart, *alike]).spread < 0.5 * noise([*apart[:4], *alike, *alike]).spread


def test_a_stem_counts_as_often_as_it_comes_as_a_whole() -> None:
    stems = {
        "once": "tea pot lid",
        "twice": "tea tea lid",
        "apart": "tea lid tea",
        "inside": "teas green-tea atea",
    }
    held = {id: Candidate(NOW, told) for id, told in stems.items()}
    found = {hit.id: hit.score for hit in fit({"tea": 1.0}, held, 9)}
    assert found.keys() == {"once", "twice", "apart"}
    assert found["once"] < found["twice"] == found["apart"]


def test_what_the_person_said_counts_more_than_a_long_answer() -> None:
    talk = " ".join(f"w{n}" for n in range(600))
    held = {
        "said": Candidate(NOW, f"about tea {OWN_END} {talk}"),
        "answered": Candidate(NOW, f"about food {OWN_END} tea {talk} tea tea"),
    }
    assert [hit.id for hit in fit({"tea": 1.0}, held, 9)] == ["said", "answered"]


def test_a_word_that_only_a_long_answer_has_says_little_about_its_fit() -> None:
    talk = " ".join(f"w{n}" for n in range(600))
    held = {
        "said": Candidate(NOW, f"tea {OWN_END} {talk}"),
        "short": Candidate(NOW, f"drinks {OWN_END} tea"),
        "long": Candidate(NOW, f"drinks {OWN_END} {talk} tea"),
    }
    share = {hit.id: hit.share for hit in fit({"tea": 1.0}, held, 9)}
    assert share["said"] == 1.0
    assert 0.95 < share["short"] < 1.0
    assert share["long"] < 0.75


def test_a_neighbour_helps_more_by_words_that_the_passage_lacks() -> None:
    held = {
        "told": Candidate(NOW, "tea cup", 1, after=2),
        "rest": Candidate(NOW, "lid box", 2, before=1),
        "again": Candidate(NOW, "tea cup", 11, after=12),
        "same": Candidate(NOW, "tea box", 12, before=11),
        "alone": Candidate(NOW, "tea cup", 21),
    }
    found = {hit.id: hit.score for hit in fit({"tea": 1.0, "lid": 1.0}, held, 9)}
    assert found["told"] > found["again"] > found["alone"]


def test_a_line_counts_less_where_nobody_of_the_name_speaks() -> None:
    def score(other: str, before: int | None = None) -> float:
        held = {
            "asked": Candidate(NOW, "bob : tennis now", number=2, before=before),
            "other": Candidate(NOW, other, number=1),
        }
        found = fit({"ann": 2.0, "tennis": 3.0}, held, 9)
        return next(hit.score for hit in found if hit.id == "asked")

    # Somebody who is told about says nothing about where the answer stands.
    assert score("ann : tea now") < score("ann tea now")
    assert score("ann : tea now", before=1) > score("ann tea now", before=1) * 0.99
