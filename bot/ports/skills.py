"""Skills, as the flow uses them."""

from collections.abc import Sequence
from typing import Protocol

from bot.domain.skills.skill import Skill, SkillSet


class Skills(Protocol):
    @property
    def known(self) -> SkillSet:
        """Returns the skills found last, from memory; the same value until something changes."""
        ...

    async def read(self, skill: str, path: str) -> str:
        """Returns the text of a file beside a skill's SKILL.md, or the list of a folder.

        Raises ToolFailure.
        """
        ...

    async def files(self, skill: str, most: int) -> Sequence[str]:
        """Returns the paths of at most `most` files beside a SKILL.md, and a line with the rest."""
        ...

    async def search(self, words: str, limit: int) -> Sequence[Skill]:
        """Returns the ready skills that fit these words, best first."""
        ...
