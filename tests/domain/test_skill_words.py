"""What a model reads of skills: the list, pages, and a person's words in their places."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.skills.skill import Skill
from bot.domain.skills.skill_words import (
    PAGE,
    arguments_in,
    brought,
    due,
    listing,
    page,
    put_to_work,
    with_arguments,
)


def skill(name: str, description: str = "Does it.", body: str = "Do it.") -> Skill:
    return Skill(name, description, body, f"/skills/{name}")


def lines(skills: list[Skill], budget: int) -> list[str]:
    return listing(skills, budget).split("Known skills\n")[1].split("\n")


def test_all_names_are_listed_and_descriptions_share_the_room() -> None:
    skills = [skill(f"marketing-skill-{n}", "Writes words that sell. " * 30) for n in range(50)]
    found = lines([skill("short", "Brief."), *skills], 6_000)
    assert len("\n".join(found)) <= 6_000
    assert found[0] == "- short: Brief."
    assert all(line.startswith("- ") and ": Writes words that" in line for line in found[1:])
    assert all(line.endswith("…") for line in found[1:])


def test_of_thousands_as_many_names_as_fit_are_listed_and_the_rest_is_counted() -> None:
    found = lines([skill(f"skill-{n:04}") for n in range(3_000)], 6_000)
    assert len("\n".join(found)) <= 6_000
    assert found[:2] == ["- skill-0000", "- skill-0001"]
    assert found[-1] == f"- {3_001 - len(found)} more are not in this list: find_skills finds them."
    assert len(found) > 400


def test_short_ones_are_listed_whole() -> None:
    assert lines([skill("a"), skill("b", "Ä" * 100)], 6_000) == [
        "- a: Does it.",
        f"- b: {'Ä' * 100}",
    ]
    assert listing([], 6_000) == ""


@given(st.lists(st.text(max_size=80), min_size=1, max_size=30), st.integers(0, 2_000))
def test_the_list_never_outgrows_its_room(told: list[str], budget: int) -> None:
    found = lines([skill(f"s{n}", text) for n, text in enumerate(told)], budget)
    if "more are not in this list" not in found[-1]:
        assert sum(len(line.encode()) + 1 for line in found) <= budget


LONG = "\n".join(f"Line {n} of the instructions." for n in range(2_000))


def test_long_instructions_come_in_pages_and_whole() -> None:
    text = put_to_work(skill("long", body=LONG))
    assert len(text.encode()) < PAGE + 2_000
    assert 'read_skill_file with skill "long", path "SKILL.md" and offset ' in text
    read, offset = "", 0
    while True:
        part, more = page(LONG, offset, "long")
        read += part
        if not more:
            break
        offset = int(more.rstrip(".").rpartition(" ")[2])
    assert read == LONG


def test_what_came_in_pages_is_not_brought_again() -> None:
    one = skill("long", body=LONG)
    assert due(one, ("long", put_to_work(one))) is None
    assert due(one, ("long", brought(one).text)) is None
    assert due(skill("long", body=f"New. {LONG}"), ("long", put_to_work(one))) is not None


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("/skill tea green or black", "tea", "green or black"),
        ("/skill@my_bot tea green\nor black", "tea", "green\nor black"),
        ("/skill tea", "", ""),
        ("tell me of /skill tea green", "", ""),
    ],
)
def test_the_words_behind_a_choice_are_its_arguments(text: str, name: str, words: str) -> None:
    assert arguments_in(text) == (name, words)


@pytest.mark.parametrize(
    ("body", "filled"),
    [
        ("Mend $ARGUMENTS.", "Mend the door now."),
        ("Mend $1 $2, $3, $4.", "Mend the door, now, ."),
        ("Mend it.", "Mend it.\n\nARGUMENTS: the door now"),
        ("Costs $15 or $1.50.", "Costs $15 or $1.50.\n\nARGUMENTS: the door now"),
        (
            "$1:\n```\nawk '{print $1}' $ARGUMENTS\n```",
            "the:\n```\nawk '{print $1}' the door now\n```",
        ),
    ],
)
def test_arguments_take_their_places_or_stand_at_the_end(body: str, filled: str) -> None:
    assert with_arguments(body, "the door now") == filled
    assert with_arguments(body, "") == body


def test_a_skill_with_arguments_is_brought_once_for_each() -> None:
    one = skill("mend", body="Mend $ARGUMENTS with care.")
    first = due(one, None, "the door")
    assert first is not None
    assert "Mend the door with care." in first.text
    shown = ("mend", first.text)
    assert due(one, shown, "the door") is None
    assert due(one, shown) is None
    second = due(one, shown, "the roof")
    assert second is not None
    assert "Mend the roof with care." in second.text


def test_words_without_a_place_do_not_bring_a_skill_twice() -> None:
    one = skill("mend")
    assert due(one, ("mend", brought(one).text), "the door") is None


@pytest.mark.parametrize(
    "body", ["```a\n" * 40_000, "```a\n```\n" * 20_000, "$ARGUMENTS " * 18_000]
)
def test_filling_in_a_persons_words_takes_no_time_and_no_room(body: str) -> None:
    before = process_time()
    filled = with_arguments(body, "door " * 800)
    assert process_time() - before < 1
    assert len(filled) < len(body) + 5_000
    assert filled.endswith("door ")
