"""Commands about skills: the list of them, and the one in use in a chat."""

from collections.abc import Sequence
from pathlib import PurePath

from bot.domain.change import ChooseSkill
from bot.domain.markdown import literal
from bot.domain.skill import Skill, SkillSet
from bot.domain.tool import clipped
from bot.flow.commands.consequences import Wake
from bot.flow.commands.table import Answer, Command, Invocation, Queued, Response
from bot.flow.models.surroundings import SurroundingsMaker
from bot.ports.skills import Skills

_DESCRIPTION = 120
_USAGE = "<name> [words]|off"
_FAULTS, _REMARKS = 20, 20
"""Files that cannot be read, and remarks about others, in one list."""

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
            Command("skill", "put a skill to work in this chat", self.skill, _USAGE),
        )

    async def skills(self, asked: Invocation) -> Answer:
        known = self._skills.known
        if asked.words:
            found = await self._skills.search(" ".join(asked.words), _MOST)
            faults = [f for f in known.faults if any(map(f.is_about, asked.words))]
        else:
            found = [skill for _, skill in sorted(known.skills.items())]
            faults = list(known.faults)
        tools = frozenset(spec.name for spec in self._surroundings.house(asked.chat))
        remarks = [_remarks(skill, known, tools) for skill in found[:_MOST]]
        lines: list[str] = []
        room = _REMARKS
        for skill, told in zip(found, remarks, strict=False):
            lines.append(_line(skill, asked.chat.skill))
            lines += [f"  ⚠️ {literal(remark)}" for remark in told[: max(0, room)]]
            room -= len(told)
        lines += [f"- ⚠️ and {-room} more; `steward doctor` tells them"] if room < 0 else []
        if len(found) > _MOST:
            lines.append(f"- … and {len(found) - _MOST} more; /skills <words> searches them")
        lines += [f"- ❌ {literal(_short(str(fault)))}" for fault in faults[:_FAULTS]]
        if (more := len(faults) - _FAULTS) > 0:
            lines.append(f"- ❌ and {more} more that cannot be read; /skills <name> tells of one")
        return Answer("\n".join(["Skills:", *lines]) if lines else "There is no such skill.")

    async def skill(self, asked: Invocation) -> Response:
        match asked.words:
            case []:
                return Answer(f"{self._chosen(asked.chat.skill)} Usage: /skill {_USAGE}")
            case [word] if word.lower() == "off":
                if asked.chat.skill is None:
                    return Answer("No skill is at work here.")
                chosen = ChooseSkill(asked.chat.id, None)
                return Answer(f"`{asked.chat.skill}` rests.", (chosen,), (Wake(asked.chat.id),))
            case [word, *words]:
                known, said = self._skills.known, " ".join(asked.words)
                if known.named(said) is not None or known.knows(said):
                    word, words = said, []
                name = known.meant(word)
                refusal = known.refusal(name)
                if refusal:
                    return Answer(f"That cannot be: {literal(refusal)}. See /skills.")
                chosen = (ChooseSkill(asked.chat.id, name),)
                if words:
                    # They are a message: it waits its turn, and the skill reads them.
                    return Queued(chosen)
                told = f"`{name}` is at work here from the next message on. /skill off ends it."
                return Answer(told, chosen, (Wake(asked.chat.id),))
            case _:
                return Answer(f"Usage: /skill {_USAGE}")

    def _chosen(self, name: str | None) -> str:
        if name is None:
            return "At work: no skill."
        why = self._skills.known.refusal(name)
        return f"Chosen: `{name}`, which rests: {literal(why)}." if why else f"At work: `{name}`."


def _line(skill: Skill, at_work: str | None) -> str:
    mark = "⏸" if skill.unmet else "▶️" if skill.name == at_work else "✅"
    return f"- {mark} `{skill.name}`: {literal(clipped(skill.description, _DESCRIPTION))}"


def _remarks(skill: Skill, known: SkillSet, tools: frozenset[str]) -> Sequence[str]:
    """Returns remarks about a skill: what it lacks, where it leads, how its file is written."""
    remarks = [skill.unmet] if skill.unmet else []
    remarks += known.dead_ends(skill)
    if unknown := skill.unknown_tools(tools):
        remarks.append(f"no tools are called {', '.join(unknown)}")
    if skill.manual:
        remarks.append("only people choose it, with /skill")
    return tuple(dict.fromkeys((*remarks, *skill.warnings)))


def _short(fault: str) -> str:
    """Shortens a fault's path to the skill's folder and file."""
    path, colon, rest = fault.partition(": ")
    return "/".join(PurePath(path).parts[-2:]) + colon + rest
