"""Commands about skills: the list of them, and the one in use in a chat."""

from collections.abc import Sequence
from pathlib import PurePath

from bot.domain.change import ChooseSkill
from bot.domain.markdown import literal
from bot.domain.skill import Skill, SkillSet
from bot.domain.tool import clipped
from bot.flow.commands.consequences import Wake
from bot.flow.commands.table import Answer, Command, Invocation
from bot.flow.models.surroundings import SurroundingsMaker
from bot.ports.skills import Skills

_DESCRIPTION = 120
_MOST = 60
"""Skills in one list at most, so that a person can read it."""


class SkillCommands:
    def __init__(self, skills: Skills, surroundings: SurroundingsMaker) -> None:
        self._skills = skills
        self._surroundings = surroundings

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command("skills", "which skills there are, and in what state", self.skills, "[words]"),
            Command("skill", "put a skill to work in this chat", self.skill, "<name>|off"),
        )

    async def skills(self, asked: Invocation) -> Answer:
        known = self._skills.known
        if asked.words:
            found = known.search(" ".join(asked.words), _MOST)
        else:
            found = [skill for _, skill in sorted(known.skills.items())]
        tools = frozenset(spec.name for spec in self._surroundings.house(asked.chat))
        lines = [self._line(skill, known, tools, asked.chat.skill) for skill in found[:_MOST]]
        if len(found) > _MOST:
            lines.append(f"- … and {len(found) - _MOST} more; /skills <words> searches them")
        if not asked.words:
            lines += [f"- ❌ {literal(_short(str(fault)))}" for fault in known.faults[:_MOST]]
        return Answer("\n".join(["Skills:", *lines]) if lines else "There is no such skill.")

    def _line(
        self, skill: Skill, known: SkillSet, tools: frozenset[str], at_work: str | None
    ) -> str:
        mark = "⏸" if skill.unmet else "▶️" if skill.name == at_work else "✅"
        told = f"- {mark} `{skill.name}`: {literal(clipped(skill.description, _DESCRIPTION))}"
        remarks = [skill.unmet] if skill.unmet else []
        remarks += known.dead_ends(skill)
        if unknown := skill.unknown_tools(tools):
            remarks.append(f"no tools are called {', '.join(unknown)}")
        return told + "".join(f"\n  ⚠️ {literal(remark)}" for remark in dict.fromkeys(remarks))

    async def skill(self, asked: Invocation) -> Answer:
        match asked.words:
            case [word] if word.lower() == "off":
                if asked.chat.skill is None:
                    return Answer("No skill is at work here.")
                chosen = ChooseSkill(asked.chat.id, None)
                return Answer(f"`{asked.chat.skill}` rests.", (chosen,), (Wake(asked.chat.id),))
            case [word]:
                name = word.lower()
                refusal = self._skills.known.refusal(name)
                if refusal:
                    return Answer(f"That cannot be: {literal(refusal)}. See /skills.")
                told = f"`{name}` is at work here from the next message on. /skill off ends it."
                chosen = ChooseSkill(asked.chat.id, name)
                return Answer(told, (chosen,), (Wake(asked.chat.id),))
            case _:
                return Answer(f"{self._chosen(asked.chat.skill)} Usage: /skill <name>|off")

    def _chosen(self, name: str | None) -> str:
        if name is None:
            return "At work: no skill."
        why = self._skills.known.refusal(name)
        return f"Chosen: `{name}`, which rests: {literal(why)}." if why else f"At work: `{name}`."


def _short(fault: str) -> str:
    """Shortens a fault's path to the skill's folder and file."""
    path, colon, rest = fault.partition(": ")
    return "/".join(PurePath(path).parts[-2:]) + colon + rest
