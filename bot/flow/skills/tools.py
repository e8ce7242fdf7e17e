"""The tools about skills: find_skills, use_skill and read_skill_file."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import Field

from bot.domain.skills.skill import FIND, READ, USE, Skill, SkillSet
from bot.domain.skills.skill_words import NONE, laid_down, page, put_to_work
from bot.domain.talk.errors import ToolFailure
from bot.domain.text.foreign_text import defused
from bot.domain.tools.tool import PutToWork, ToolOutput
from bot.ports.arguments_tool import Arguments, ArgumentsTool, Text
from bot.ports.descriptions import Descriptions
from bot.ports.skills import Skills
from bot.ports.tool import Place, Seen, Tool

_MOST_FOUND, _MOST_SOUGHT = 10, 30
_MOST_FILES = 40
_SKILL_FILE = "SKILL.md"


class FindSkillsArguments(Arguments):
    query: Annotated[Text, Field(min_length=1, max_length=200, description="A few words.")]


class FindSkills(ArgumentsTool[FindSkillsArguments]):
    """Searches the names and descriptions of skills; with an embedder also by their meaning."""

    name = FIND
    summary = "find a skill"
    description = "Search all skills by words of their names and descriptions."
    takes = FindSkillsArguments

    def __init__(self, skills: Skills, descriptions: Descriptions | None = None) -> None:
        self._skills = skills
        self._descriptions = descriptions

    async def perform(self, arguments: FindSkillsArguments, place: Place, seen: Seen) -> ToolOutput:
        found = await self._found(arguments.query, place)
        if not found:
            count = len(self._skills.known.offered)
            return ToolOutput(f"None of {count} skills has such words. Try others.")
        return ToolOutput("\n".join(f"- {s.name}: {defused(s.description)}" for s in found))

    async def _found(self, query: str, place: Place) -> Sequence[Skill]:
        hits = await self._skills.search(query, _MOST_SOUGHT)
        found = [skill for skill in hits if not skill.manual]
        if self._descriptions is not None:
            known = self._skills.known
            by_words = [skill.name for skill in found]
            cause = place.embedding
            names = await self._descriptions.search(query, known.shelf, by_words, cause)
            either = {skill.name: skill for skill in (*found, *known.offered)}
            found = [either[name] for name in names]
        return found[:_MOST_FOUND]


class UseSkillArguments(Arguments):
    name: Annotated[
        Text,
        Field(min_length=1, max_length=200, description="The skill's name; none lays it down."),
    ]
    reason: Annotated[Text | None, Field(max_length=500, description="Why this one.")] = None


class UseSkill(ArgumentsTool[UseSkillArguments]):
    """Activates a skill: the result is its instructions; `depth` limits a pipeline's choices."""

    name = USE
    summary = "use a skill"
    description = (
        "Put a skill to work and read its instructions. It stays at work in this chat. The name "
        "none lays it down."
    )
    takes = UseSkillArguments

    def __init__(self, skills: Skills, depth: int) -> None:
        self._skills = skills
        self._depth = depth

    async def perform(self, arguments: UseSkillArguments, place: Place, seen: Seen) -> ToolOutput:
        last, known = place.skill, self._skills.known
        if arguments.name.strip().lower() == NONE:
            return ToolOutput(laid_down(last), after=PutToWork(""))
        wanted = _called(arguments.name, known)
        if last is not None and last.conditional_next and wanted != last.name:
            self._check_pick(wanted, last, place.stages)
        refusal = known.refusal(wanted)
        if refusal:
            raise ToolFailure(refusal)
        skill = known.skills[wanted]
        if skill.manual and (last is None or last.name != wanted):
            told = f"only a person puts the skill {wanted} to work, with /skill {wanted}"
            raise ToolFailure(told)
        files = await self._skills.files(wanted, _MOST_FILES)
        return ToolOutput(put_to_work(skill, files), after=PutToWork(wanted))

    def _check_pick(self, wanted: str, last: Skill, stages: int) -> None:
        if wanted not in last.conditional_next.values():
            choices = "; ".join(f"{name} when {c}" for c, name in last.conditional_next.items())
            raise ToolFailure(f"{wanted} does not follow {last.name}. What may follow: {choices}")
        if stages >= self._depth:
            told = f"skills have handed over {stages} times in this turn, and no more is allowed"
            raise ToolFailure(f"{told}; answer with what there is")


class ReadSkillFileArguments(Arguments):
    skill: Annotated[Text, Field(min_length=1, max_length=200, description="The skill's name.")]
    path: Annotated[
        Text,
        Field(min_length=1, max_length=500, description="Path below its folder; `.` lists it."),
    ]
    offset: Annotated[
        int | None, Field(ge=0, description="First byte, where instructions come in pages.")
    ] = None


class ReadSkillFile(ArgumentsTool[ReadSkillFileArguments]):
    """Reads a file that came with a skill."""

    name = READ
    summary = "read a file of a skill"
    description = "Read a file that lies beside a skill's instructions and is named there."
    takes = ReadSkillFileArguments

    def __init__(self, skills: Skills) -> None:
        self._skills = skills

    async def perform(
        self, arguments: ReadSkillFileArguments, place: Place, seen: Seen
    ) -> ToolOutput:
        known = self._skills.known
        name = _called(arguments.skill, known)
        if arguments.offset is None:
            return ToolOutput(defused(await self._skills.read(name, arguments.path)))
        if refusal := known.refusal(name):
            raise ToolFailure(refusal)
        if PurePosixPath(arguments.path) != PurePosixPath(_SKILL_FILE):
            text = await self._skills.read(name, arguments.path)
        else:
            text = known.skills[name].instructions
        part, more = page(text, arguments.offset, name, arguments.path)
        return ToolOutput("\n".join(filter(None, (defused(part), more))))


def _called(words: str, known: SkillSet) -> str:
    """Returns the name of the skill that a model means; the words themselves when there is none."""
    found = known.named(words.strip())
    return found.name if found is not None else words.strip()


def skill_tools(
    skills: Skills, depth: int, descriptions: Descriptions | None = None
) -> tuple[Tool, ...]:
    """Returns every tool about skills, in the order in which models see them."""
    return FindSkills(skills, descriptions), UseSkill(skills, depth), ReadSkillFile(skills)
