"""Skills, as the flow uses them."""

from typing import Protocol

from bot.domain.skill import SkillSet


class Skills(Protocol):
    @property
    def known(self) -> SkillSet:
        """Returns the skills as last found, from memory; the same value until something changed."""
        ...

    async def read(self, skill: str, path: str) -> str:
        """Returns the text of a file beside a skill's SKILL.md; raises ToolFailure."""
        ...
