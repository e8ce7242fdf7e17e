"""Skills in memory."""

from collections.abc import Mapping, Sequence

from bot.domain.skills.skill import Skill, SkillFault, SkillSet, skill_set
from bot.domain.talk.errors import ToolFailure


class FakeSkills:
    """The port Skills; `put`, `spoil` and `take` are what a person does to the folders."""

    def __init__(self, *skills: Skill, files: Mapping[tuple[str, str], str] | None = None) -> None:
        self._skills = {skill.name: skill for skill in skills}
        self._files = dict(files or {})
        self._known = skill_set(self._skills)

    @property
    def known(self) -> SkillSet:
        return self._known

    def put(self, *skills: Skill, faults: tuple[SkillFault, ...] = ()) -> None:
        self._skills |= {skill.name: skill for skill in skills}
        self._known = skill_set(self._skills, faults)

    def spoil(self, fault: SkillFault) -> None:
        """The file of a skill cannot be read any more."""
        self._skills.pop(fault.skill, None)
        self._known = skill_set(self._skills, (fault,))

    def take(self, name: str) -> None:
        del self._skills[name]
        self._known = skill_set(self._skills)

    async def files(self, skill: str, most: int) -> Sequence[str]:
        return [path for name, path in self._files if name == skill][:most]

    async def search(self, words: str, limit: int) -> Sequence[Skill]:
        return self._known.search(words, limit)

    async def read(self, skill: str, path: str) -> str:
        if refusal := self._known.refusal(skill):
            raise ToolFailure(refusal)
        if (skill, path) not in self._files:
            raise ToolFailure(f"{path}: there is no such file")
        return self._files[skill, path]
