"""The room of skills: the companion that puts them to work, their command, and their tools."""

from functools import cached_property

from bot.flow.models.preamble import PreambleMaker
from bot.flow.room import Ground, Room
from bot.flow.skills.commands import SkillCommands
from bot.flow.skills.companion import SkillCompanion
from bot.flow.skills.tools import skill_tools


class SkillRoom:
    """Builds the parts that use skills in turns."""

    def __init__(self, ground: Ground, preamble: PreambleMaker) -> None:
        self._ground = ground
        self._preamble = preamble

    @cached_property
    def room(self) -> Room:
        world, policy = self._ground.world, self._ground.policy
        skills, documents = world.skills, policy.documents
        companion = SkillCompanion(skills, documents)
        return Room(
            commands=SkillCommands(skills, self._preamble).table,
            companions=(companion.answers, companion.telling),
            tools=skill_tools(skills, policy.limits.pipeline_depth, world.descriptions),
        )
