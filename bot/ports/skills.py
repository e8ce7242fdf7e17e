"""Skills, as the flow uses them."""

from collections.abc import Sequence
from typing import Protocol

from bot.domain.skill import Skill, SkillSet


class Skills(Protocol):
    @property
    def known(self) -> SkillSet:
        """Returns the skills as last found, from memory; the same value until something changed."""
        ...

    async def read(self, skill: str, path: str) -> str:
        """The text of a file beside a skill's SKILL.md, or the list of a folder.

        Raises ToolFailure.
        """
        ...

    async def files(self, skill: str, most: int) -> Sequence[str]:
        """Paths of the files beside a skill's SKILL.md, at most so many, and how many more."""
        ...

    async def search(self, words: str, limit: int) -> Sequence[Skill]:
        """Ready skills that have to do with these words, best first."""
        ...
