"""The tools about skills: finding, putting to work, reading beside."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.domain.skills.skill import Skill
from bot.domain.talk.errors import InvalidArguments, ToolFailure
from bot.domain.tools.tool import PutToWork
from bot.domain.turn.mandate import PERSONAL
from bot.flow.skills.tools import FindSkills, ReadSkillFile, UseSkill
from bot.ports.tool import Place
from tests.fakes.skills import FakeSkills

TRIAGE = Skill(
    "triage",
    "Sorts requests.",
    "Sort them.",
    "/skills/triage",
    tools=("read_file",),
    conditional_next={"it is a bug": "fix"},
)
FIX = Skill("fix", "Mends bugs.", "Mend it.", "/skills/fix", next_skill="review")
UNFIT = Skill("unfit", "Mends more bugs.", "No.", "/skills/unfit", unmet="it needs pandoc")
SKILLS = FakeSkills(TRIAGE, FIX, UNFIT, files={("fix", "list.md"): "- look twice"})
PLACE = Place(Path("/nowhere"), 1, "turn", "conversation", 1, "UTC", mandate=PERSONAL)


async def used(name: str, place: Place = PLACE, depth: int = 5) -> str:
    output = await UseSkill(SKILLS, depth).run({"name": name, "reason": "fits"}, place, None)
    assert output.after == PutToWork(name)
    return output.text


async def test_the_instructions_come_with_what_else_holds() -> None:
    text = await used("triage")
    assert '<skill name="triage">\nSort them.\n</skill>' in text
    assert "Tools that may be used under it, besides those about skills: read_file." in text
    assert "- it is a bug: fix" in text
    assert "the skill review goes on with it" in await used("fix")


@pytest.mark.parametrize(
    ("name", "words"), [("gone", "no skill “gone”"), ("unfit", "pandoc"), ("fixx", "mean fix")]
)
async def test_a_skill_that_cannot_be_used_is_refused_with_the_reason(
    name: str, words: str
) -> None:
    with pytest.raises(ToolFailure, match=words):
        await UseSkill(SKILLS, 5).run({"name": name}, PLACE, None)


async def test_under_a_skill_with_conditions_only_those_may_be_picked() -> None:
    under = replace(PLACE, skill=TRIAGE)
    assert "Mend it." in await used("fix", under)
    assert "Sort them." in await used("triage", under)
    with pytest.raises(ToolFailure, match="unfit does not follow triage"):
        await UseSkill(SKILLS, 5).run({"name": "unfit"}, under, None)
    with pytest.raises(ToolFailure, match="no more is allowed"):
        await UseSkill(SKILLS, 2).run({"name": "fix"}, replace(under, stages=2), None)


async def test_searching_tells_names_and_descriptions_of_ready_ones() -> None:
    output = await FindSkills(SKILLS).run({"query": "bugs"}, PLACE, None)
    assert output.text == "- fix: Mends bugs."
    output = await FindSkills(SKILLS).run({"query": "gardening"}, PLACE, None)
    assert output.text == "None of 2 skills has such words. Try others."


async def test_the_files_beside_a_skill_are_listed_with_its_folder() -> None:
    text = await used("fix")
    assert "Files in /skills/fix:\n- list.md" in text


async def test_none_lays_a_skill_down() -> None:
    tool = UseSkill(SKILLS, 5)
    output = await tool.run({"name": "None"}, replace(PLACE, skill=TRIAGE), None)
    assert output.after == PutToWork("")
    assert output.text.startswith("triage is not at work any more")
    assert (await tool.run({"name": "none"}, PLACE, None)).text == "No skill was at work."


async def test_a_skill_is_found_by_the_name_in_its_file() -> None:
    skills = FakeSkills(replace(FIX, title="Bug Fixing"), files={("fix", "a.md"): "Read."})
    output = await UseSkill(skills, 5).run({"name": "bug fixing"}, PLACE, None)
    assert output.after == PutToWork("fix")
    read = await ReadSkillFile(skills).run({"skill": "Bug Fixing", "path": "a.md"}, PLACE, None)
    assert read.text == "Read."


async def test_a_skill_for_people_alone_is_neither_found_nor_put_to_work() -> None:
    manual = replace(FIX, manual=True)
    skills = FakeSkills(manual, TRIAGE)
    found = await FindSkills(skills).run({"query": "bugs"}, PLACE, None)
    assert found.text == "None of 1 skills has such words. Try others."
    with pytest.raises(ToolFailure, match="only a person puts the skill fix to work"):
        await UseSkill(skills, 5).run({"name": "fix"}, PLACE, None)
    under = replace(PLACE, skill=manual)
    assert (await UseSkill(skills, 5).run({"name": "fix"}, under, None)).after == PutToWork("fix")


async def test_long_instructions_are_read_on_page_by_page() -> None:
    long = replace(FIX, body="".join(f"Line {n}.\n" for n in range(6000)))
    skills = FakeSkills(long)
    first = (await UseSkill(skills, 5).run({"name": "fix"}, PLACE, None)).text
    offset = int(first.rstrip(".").rpartition("offset ")[2])
    arguments = {"skill": "fix", "path": "./SKILL.md", "offset": offset}
    second = (await ReadSkillFile(skills).run(arguments, PLACE, None)).text
    assert len(first) < 30_000
    assert f"Line {5999}." not in first
    number = int(second.splitlines()[0][5:-1])
    assert f"Line {number - 1}.\n" in first
    assert f"Line {number}.\n" not in first


async def test_a_file_beside_a_skill_is_read() -> None:
    tool = ReadSkillFile(SKILLS)
    output = await tool.run({"skill": "fix", "path": "list.md"}, PLACE, None)
    assert output.text == "- look twice"
    with pytest.raises(ToolFailure):
        await tool.run({"skill": "unfit", "path": "list.md"}, PLACE, None)


def test_arguments_are_checked() -> None:
    for tool, arguments in (
        (UseSkill(SKILLS, 5), {}),
        (UseSkill(SKILLS, 5), {"name": ""}),
        (UseSkill(SKILLS, 5), {"name": "fix", "now": True}),
        (FindSkills(SKILLS), {"query": 7}),
        (ReadSkillFile(SKILLS), {"skill": "fix"}),
        (ReadSkillFile(SKILLS), {"skill": "fix", "path": "a\ud800"}),
    ):
        with pytest.raises(InvalidArguments):
            tool.check(arguments)
