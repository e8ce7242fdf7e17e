"""Finding skills by words."""

import sqlite3

import pytest

from bot.adapters.skill_folder.skill_index import SkillIndex
from bot.domain.skills.skill import Skill, SkillSet, skill_set

TOLD = {
    "invoice-writer": "Writes invoices for customers and keeps their numbers in order.",
    "from-the-other-side": "Tells the story of the moon from the other side.",
    "spring-boot": "Builds services with Spring Boot.",
    "sprint-planner": "Plans the next sprint of a team.",
    "weather": "Says whether it rains today; names the umbrella.",
}


def skills(**told: str) -> SkillSet:
    given = TOLD | {name.replace("_", "-"): text for name, text in told.items()}
    return skill_set({n: Skill(n, t, "Do it.", f"/skills/{n}") for n, t in given.items()})


def index(**told: str) -> SkillIndex:
    return SkillIndex(skills(**told))


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("I have to write the invoice for what the customer bought", "invoice-writer"),
        ("planning of our sprints", "sprint-planner"),
        ("raining", "weather"),
        ("moons", "from-the-other-side"),
        ("MOON!", "from-the-other-side"),
    ],
)
def test_telling_words_count_in_each_of_their_forms(words: str, first: str) -> None:
    assert index().search(words, 5)[0].name == first


def test_a_word_of_the_name_counts_more() -> None:
    found = index(letters="Does post.", post="Does letters letters.").search("letters", 5)
    assert [s.name for s in found] == ["letters", "post"]


@pytest.mark.parametrize(
    "words",
    ['"', "zz AND", "NOT", "name:zz OR (", "*", "\ud800", "x" * 5000, "NEAR(a b)", "-", "'"],
)
def test_no_words_are_a_fault(words: str) -> None:
    assert [s for s in index().search(words, 5) if s.name != "weather"] == []


def test_only_so_many_and_only_ready_ones_are_found() -> None:
    unfit = Skill("rain", "Rain.", "Do it.", "/skills/rain", unmet="it needs x")
    weather = [Skill(f"rain-{n}", "Rain.", "Do it.", "/") for n in range(5)]
    found = SkillIndex(skill_set({s.name: s for s in (unfit, *weather)})).search("rain", 3)
    assert [s.name for s in found] == ["rain-0", "rain-1", "rain-2"]


def test_without_full_text_search_a_plain_one_is_made() -> None:
    class Without(sqlite3.Connection):
        def execute(self, *_: object) -> sqlite3.Cursor:
            raise sqlite3.OperationalError("no such module: fts5")

    plain = SkillIndex(skills(), lambda: Without(":memory:"))
    assert [s.name for s in plain.search("invoices", 5)] == ["invoice-writer"]
