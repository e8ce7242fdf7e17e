"""Skills as values: what is ready, what follows, what is found, what stays secret."""

from dataclasses import replace
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.skills.skill import (
    Following,
    Requirements,
    Skill,
    SkillFault,
    SkillServer,
    SkillSet,
    skill_set,
)
from bot.domain.tools.server import is_servers_tool, tool_name
from bot.domain.tools.variable import Variable, filled, rendered


def skill(name: str, description: str = "", **fields: Any) -> Skill:
    plain = Skill(name, description or f"Does {name}.", f"Do {name}.", f"/skills/{name}")
    return replace(plain, **fields)


def of(*skills: Skill) -> SkillSet:
    return skill_set({s.name: s for s in skills})


def test_a_skill_that_needs_another_is_ready_with_it_alone() -> None:
    needs = skill("report", requires=Requirements(skills=("notes",)))
    assert "needs the skill notes, which is not there" in of(needs).skills["report"].unmet
    assert of(needs, skill("notes")).usable("report") is not None
    unfit = of(needs, skill("notes", unmet="it needs the program pandoc"))
    assert "needs the program pandoc" in unfit.skills["report"].unmet


def test_a_lack_goes_through_every_skill_that_builds_on_it() -> None:
    chain = [skill(f"s{n}", requires=Requirements(skills=(f"s{n + 1}",))) for n in range(4)]
    assert of(*chain).ready == ()
    assert len(of(*chain, skill("s4")).ready) == 5


def test_skills_that_need_each_other_are_ready() -> None:
    a = skill("a", requires=Requirements(skills=("b",)))
    b = skill("b", requires=Requirements(skills=("a",)))
    assert len(of(a, b).ready) == 2


def test_what_follows_is_named_with_its_fault() -> None:
    skills = of(
        skill("a", next_skill="b"),
        skill("b", next_skill="gone"),
        skill("c", next_skill="d"),
        skill("d", unmet="it needs the program pandoc"),
        skill("e", conditional_next={"so": "a"}),
    )
    assert skills.following("a") == Following("b")
    assert skills.following("b") == Following("gone", "there is no skill “gone”")
    assert skills.following("c") is not None
    assert "needs the program pandoc" in (skills.following("c") or Following("")).fault
    assert skills.following("e") is None
    assert skills.following("gone") is None
    assert skills.following(None) is None


def test_a_wrong_name_is_told_with_one_that_is_near() -> None:
    assert of(skill("minutes")).refusal("minute").endswith("(did you mean minutes?)")
    assert of(skill("minutes")).refusal("minutes") == ""


def test_a_skill_that_cannot_be_read_is_not_said_to_be_missing() -> None:
    values = SkillFault("/home/of/skills.toml", 1, "no TOML")
    known = SkillSet(faults=(values, SkillFault("/skills/tea/SKILL.md", 4, "no YAML: x")))
    assert known.refusal("of") == "there is no skill “of”"
    assert known.refusal("tea") == "the skill tea cannot be read: SKILL.md, line 4: no YAML: x"
    assert known.refusal("tee") == "there is no skill “tee”"


def test_allowed_tools_shut_out_all_but_themselves_and_the_tools_of_skills() -> None:
    narrow = skill("a", tools=("read_file",), servers=(SkillServer("web", url="x"),))
    for name in (
        "read_file",
        "use_skill",
        "find_skills",
        "read_skill_file",
        "submit_plan",
        "web__search",
    ):
        assert narrow.allows(name)
    assert not narrow.allows("run_command")
    assert not narrow.allows("other__search")
    assert skill("a").allows("run_command")
    assert not skill("a", tools=()).allows("read_file")


@pytest.mark.parametrize("server", ["web", "GitHub", "a_b-c", "s" * 32, "s" * 64, "a__b", "a_"])
def test_a_skill_allows_the_tools_of_its_servers_whatever_they_are_called(server: str) -> None:
    narrow = skill("a", tools=(), servers=(SkillServer(server, url="x"),))
    for tool in ("start", "t" * 64, "odd/tool"):
        name = tool_name(server, tool)
        assert len(name) <= 64
        assert is_servers_tool(name)
        assert narrow.allows(name)


def test_no_two_servers_have_tools_of_one_name() -> None:
    names = [
        tool_name(server, tool)
        for server, tool in (
            ("a", "b__c"),
            ("a__b", "c"),
            ("a", "_c"),
            ("a_", "c"),
            ("s" * 63 + "1", "c"),
            ("s" * 63 + "2", "c"),
        )
    ]
    assert len(set(names)) == len(names)


def test_names_no_tool_has_are_known() -> None:
    one = skill("a", tools=("read_file", "Bash(git:*)", "web__search"))
    assert one.unknown_tools(frozenset({"read_file"})) == ("Bash(git:*)",)


def test_a_skill_is_found_by_each_of_its_names() -> None:
    known = of(skill("skill-development", title="Skill Development", folder="/x/skill-dev"))
    for name in ("skill-development", "Skill Development", "skill_development", "skill-dev"):
        assert (known.named(name) or skill("")).name == "skill-development"
    for name in ("", "-", "gone"):
        assert known.named(name) is None
    both = of(skill("tea", folder="/x/coffee"), skill("coffee", folder="/x/tea"))
    assert (both.named("Tea") or skill("")).name == "tea"


def test_a_part_of_a_name_is_enough_where_only_one_fits() -> None:
    known = of(skill("tidy-csv"), skill("tidy-notes"), skill("my-letters"))
    assert known.meant("tidy-c") == "tidy-csv"
    assert known.meant("Letters") == "my-letters"
    assert known.meant("tidy") == "tidy"
    assert known.meant("gone") == "gone"
    assert known.meant("") == ""
    broken = SkillSet(known.skills, (SkillFault("/skills/tidy-n/SKILL.md", 0, "x"),))
    assert broken.meant("tidy-n") == "tidy-n"


def test_models_are_offered_a_persons_own_skills_first_and_no_manual_ones() -> None:
    known = of(skill("a"), skill("b", own=True), skill("c", manual=True), skill("d", unmet="x"))
    assert [s.name for s in known.offered] == ["b", "a"]


@pytest.mark.parametrize(
    "word",
    [
        *("{baseDir}", "${CLAUDE_SKILL_DIR}", "${CLAUDE_PLUGIN_ROOT}", "${SKILL_DIR}"),
        "$SKILL_DIR",
    ],
)
def test_the_folder_takes_the_place_of_its_names(word: str) -> None:
    one = skill("a", body=f"Run {word}/x.py, not $SKILL_DIRS.")
    assert one.instructions == "Run /skills/a/x.py, not $SKILL_DIRS."


def test_all_missing_skills_are_named_beside_what_else_is_missing() -> None:
    needs = skill("a", requires=Requirements(skills=("x", "y")), unmet="it needs the program p")
    unmet = of(needs).skills["a"].unmet
    assert [word in unmet for word in ("program p", "skill x", "skill y")] == [True] * 3


def test_searching_finds_names_before_descriptions_and_only_ready_ones() -> None:
    skills = of(
        skill("letters", "Writes a business letter."),
        skill("minutes", "Turns notes of a meeting into minutes; may write letters."),
        skill("letter-box", "Sorts letters.", unmet="it needs the program x"),
    )
    assert [s.name for s in skills.search("write a LETTER", 5)] == ["letters", "minutes"]
    assert [s.name for s in skills.search("Meeting notes", 5)] == ["minutes"]
    assert skills.search("gardening advice", 5) == ()
    assert len(skills.search("letter", 1)) == 1


SECRET = Variable("TOKEN", "s3cret", secret=True)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("{{A}} {{ A }}{{A}}", "x xx"),
        ("{{TOKEN}}", "{{TOKEN}}"),
        ("{{UNSET}} {{OTHER}} {{}} {A} {{A", "{{UNSET}} {{OTHER}} {{}} {A} {{A"),
        ("{{ODD}}", "{{A}}\\1$1"),
    ],
)
def test_variables_are_filled_in_once_and_secrets_never(text: str, seen: str) -> None:
    variables = (Variable("A", "x"), SECRET, Variable("UNSET"), Variable("ODD", "{{A}}\\1$1"))
    assert rendered(text, variables) == seen


def test_environments_get_secrets_too() -> None:
    one = skill("a", body="{{TOKEN}}", variables=(SECRET, Variable("UNSET"), Variable("B", "b")))
    assert one.instructions == "{{TOKEN}}"
    assert one.environment == {"TOKEN": "s3cret", "B": "b"}
    assert one.secrets == ("s3cret",)
    both = skill("b", variables=(SECRET, Variable("LONG", "s3cret-and-more", secret=True)))
    assert both.secrets == ("s3cret-and-more", "s3cret")
    odd = skill("c", variables=(Variable("KEY", 'a"ü\nb', secret=True),))
    assert set(odd.secrets) == {'a"ü\nb', 'a\\"ü\\nb', 'a\\"\\u00fc\\nb'}
    assert filled("Bearer {{TOKEN}}", one.variables) == "Bearer s3cret"
    assert "s3cret" not in repr(one)


@given(st.text(), st.text(min_size=1))
def test_no_text_of_a_prompt_ever_holds_a_secret(text: str, value: str) -> None:
    found = rendered(text, (Variable("TOKEN", value, secret=True), Variable("A", "a")))
    assert found.count(value) <= text.count(value) + text.count("{{") * len(value)
    assert rendered("{{TOKEN}}", (Variable("TOKEN", value, secret=True),)) == "{{TOKEN}}"


def test_a_misspelt_name_among_thousands_is_answered_soon() -> None:
    known = of(*(skill(f"customer-research-{n:04d}") for n in range(5_000)))
    before = process_time()
    assert "did you mean customer-research-0" in known.refusal("customer-research-00x1")
    assert process_time() - before < 0.15
