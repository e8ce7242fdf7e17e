"""The tools about skills: find_skills, use_skill and read_skill_file."""

from typing import Annotated

from pydantic import Field

from bot.adapters.tools.arguments_tool import Arguments, ArgumentsTool, Text, schema_of
from bot.domain.errors import ToolFailure
from bot.domain.skill import FIND, READ, USE, Skill
from bot.domain.skill_words import put_to_work
from bot.domain.tool import Effect, PutToWork, Replay, ToolOutput, ToolSpec
from bot.ports.skills import Skills
from bot.ports.tool import Place, Tool

_MOST_FOUND = 10


class FindSkillsArguments(Arguments):
    query: Annotated[Text, Field(min_length=1, max_length=200, description="A few words.")]


class FindSkills(ArgumentsTool[FindSkillsArguments]):
    """Searches the names and descriptions of skills."""

    def __init__(self, skills: Skills) -> None:
        self._skills = skills
        spec = ToolSpec(
            FIND,
            "Search all skills by words of their names and descriptions.",
            schema_of(FindSkillsArguments),
            Effect.READ,
            Replay.SAFE,
        )
        super().__init__(FindSkillsArguments, spec)

    async def perform(
        self, arguments: FindSkillsArguments, place: Place, seen: str | None
    ) -> ToolOutput:
        found = self._skills.known.search(arguments.query, _MOST_FOUND)
        if not found:
            count = len(self._skills.known.ready)
            return ToolOutput(f"None of {count} skills has such words. Try others.")
        return ToolOutput("\n".join(f"- {skill.name}: {skill.description}" for skill in found))


class UseSkillArguments(Arguments):
    name: Annotated[Text, Field(min_length=1, max_length=64, description="The skill's name.")]
    reason: Annotated[Text | None, Field(max_length=500, description="Why this one.")] = None


class UseSkill(ArgumentsTool[UseSkillArguments]):
    """Activates a skill: its instructions are the result; `depth` bounds a pipeline's picks."""

    def __init__(self, skills: Skills, depth: int) -> None:
        self._skills = skills
        self._depth = depth
        spec = ToolSpec(
            USE,
            "Put a skill to work and read its instructions. It stays at work in this chat.",
            schema_of(UseSkillArguments),
            Effect.READ,
            Replay.SAFE,
        )
        super().__init__(UseSkillArguments, spec)

    async def perform(
        self, arguments: UseSkillArguments, place: Place, seen: str | None
    ) -> ToolOutput:
        wanted, last = arguments.name.strip(), place.skill
        if last is not None and last.conditional_next and wanted != last.name:
            self._check_pick(wanted, last, place.stages)
        refusal = self._skills.known.refusal(wanted)
        if refusal:
            raise ToolFailure(refusal)
        return ToolOutput(put_to_work(self._skills.known.skills[wanted]), after=PutToWork(wanted))

    def _check_pick(self, wanted: str, last: Skill, stages: int) -> None:
        if wanted not in last.conditional_next.values():
            choices = "; ".join(f"{name} when {c}" for c, name in last.conditional_next.items())
            raise ToolFailure(f"{wanted} does not follow {last.name}. What may follow: {choices}")
        if stages >= self._depth:
            told = f"skills have handed over {stages} times in this turn, and no more is allowed"
            raise ToolFailure(f"{told}; answer with what there is")


class ReadSkillFileArguments(Arguments):
    skill: Annotated[Text, Field(min_length=1, max_length=64, description="The skill's name.")]
    path: Annotated[
        Text, Field(min_length=1, max_length=500, description="Path below the skill's folder.")
    ]


class ReadSkillFile(ArgumentsTool[ReadSkillFileArguments]):
    """Reads a file that came with a skill."""

    def __init__(self, skills: Skills) -> None:
        self._skills = skills
        spec = ToolSpec(
            READ,
            "Read a file that lies beside a skill's instructions and is named there.",
            schema_of(ReadSkillFileArguments),
            Effect.READ,
            Replay.SAFE,
        )
        super().__init__(ReadSkillFileArguments, spec)

    async def perform(
        self, arguments: ReadSkillFileArguments, place: Place, seen: str | None
    ) -> ToolOutput:
        return ToolOutput(await self._skills.read(arguments.skill.strip(), arguments.path))


def skill_tools(skills: Skills, depth: int) -> tuple[Tool, ...]:
    """Returns every tool about skills, in the order in which models see them."""
    return FindSkills(skills), UseSkill(skills, depth), ReadSkillFile(skills)
