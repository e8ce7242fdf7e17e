"""Commands about skills: the list of them, and the one in use in a chat."""

import re
from collections.abc import Sequence
from pathlib import PurePath
from textwrap import shorten

from bot.domain.change import ChooseSkill, EndGrants
from bot.domain.skills.skill import Skill, SkillFault, SkillSet
from bot.domain.talk.message import ButtonRows
from bot.domain.text.markdown import inline_code, literal
from bot.flow.commanding.choices import choice
from bot.flow.commanding.effects import Wake
from bot.flow.commanding.table import Answer, Command, Invocation, Queued, Response, Topic
from bot.flow.commanding.wording import sentence
from bot.flow.models.preamble import PreambleMaker
from bot.ports.skills import Skills

_DESCRIPTION = 200
"""Characters of a skill's first sentence, which is what people read; a model reads all of it."""

_LONGEST_WORDS = 40
"""Characters of somebody's words that an answer repeats."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_ABOUT = Topic.PLANS
_USAGE = "<name> [words]|off"
_FAULTS, _REMARKS = 20, 20
"""Files that cannot be read, and remarks about others, in one list."""

_HEAD = "Skills: ready instructions, each for certain work. I also take a fitting one by myself."

_MOST_CHOICES = 12
"""Skills that get a button."""

_MOST = 60
"""Skills in one list at most, so that a person can read it."""


class SkillCommands:
    def __init__(self, skills: Skills, preamble: PreambleMaker) -> None:
        self._skills = skills
        self._preamble = preamble

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command(
                "skills",
                "ready instructions for certain work",
                self.skills,
                "[words]",
                _ABOUT,
                first=True,
            ),
            Command(
                "skill",
                "use one of the /skills in this chat",
                self.skill,
                _USAGE,
                _ABOUT,
                chosen=True,
            ),
        )

    async def skills(self, asked: Invocation) -> Answer:
        known = self._skills.known
        if asked.words:
            found = await self._skills.search(" ".join(asked.words), _MOST)
            faults = [f for f in known.faults if any(map(f.is_about, asked.words))]
        else:
            found = [skill for _, skill in sorted(known.skills.items())]
            faults = list(known.faults)
        tools = frozenset(spec.name for spec in self._preamble.house)
        remarks = [remarks_of(skill, known, tools) for skill in found[:_MOST]]
        lines: list[str] = []
        room = _REMARKS
        for skill, told in zip(found, remarks, strict=False):
            lines.append(_line(skill, asked.chat.skill))
            lines += [f"  ⚠️ {literal(remark)}" for remark in told[: max(0, room)]]
            room -= len(told)
        lines += [f"- ⚠️ and {-room} more; `steward doctor` tells them"] if room < 0 else []
        if len(found) > _MOST:
            lines.append(f"- … and {len(found) - _MOST} more; /skills <words> searches them")
        lines += [f"- ✗ {literal(fault_told(fault))}" for fault in faults[:_FAULTS]]
        if (more := len(faults) - _FAULTS) > 0:
            lines.append(f"- ✗ and {more} more like this; /skills <name> tells of one")
        if not lines:
            said = literal(shorten(" ".join(asked.words), _LONGEST_WORDS, placeholder="…"))
            found_none = f"I found no skill for “{said}”. /skills shows all of them."
            return Answer(found_none if said else "There are no skills here.")
        return Answer("\n".join([_HEAD, "", *lines, "", "`/skill <name>` uses one."]))

    async def skill(self, asked: Invocation) -> Response:
        match asked.words:
            case []:
                now = asked.chat.skill
                how = "`/skill <name>` uses one, /skills lists them."
                told = f"{self._chosen(now)} {how if now is None else '`/skill off` ends it.'}"
                return Answer(told, buttons=self._choices(now))
            case [word] if word.lower() == "off":
                if asked.chat.skill is None:
                    return Answer("No skill is on here.", buttons=self._choices(None))
                ended = ChooseSkill(asked.chat.id, None), EndGrants(asked.chat.id)
                told = f"{inline_code(asked.chat.skill)} is off."
                return Answer(told, ended, (Wake(asked.chat.id),), self._choices(None))
            case [word, *words]:
                known, said = self._skills.known, " ".join(asked.words)
                if known.named(said) is not None or known.knows(said):
                    word, words = said, []
                name = _meant(known, word)
                refusal = known.refusal(name)
                if refusal:
                    return Answer(f"{literal(sentence(refusal))} /skills shows what there is.")
                kept = EndGrants(asked.chat.id, known.skills[name].edition)
                chosen = (ChooseSkill(asked.chat.id, name), kept)
                if words:
                    # They are a message: it waits its turn, and the skill reads them.
                    return Queued(chosen)
                told = f"{inline_code(name)} is on from your next message. /skill off ends it."
                return Answer(told, chosen, (Wake(asked.chat.id),), self._choices(name))
            case _:
                return Answer(f"Usage: `/skill {_USAGE}`")

    def _choices(self, now: str | None) -> ButtonRows:
        """Returns buttons for skills that can be used, the active one first, and one for none."""
        known = self._skills.known.skills
        usable = [name for name, skill in sorted(known.items()) if not skill.unmet]
        names = sorted(usable, key=lambda name: name != now)[:_MOST_CHOICES]
        rows = [choice(name, "skill", name, now=name == now) for name in names]
        none = choice("No skill", "skill", "off", now=now is None)
        return tuple(row for row in (*rows, none) if row)

    def _chosen(self, name: str | None) -> str:
        if name is None:
            return "No skill is on."
        why = self._skills.known.refusal(name)
        shown = inline_code(name)
        return f"{shown} is paused: {literal(why)}." if why else f"{shown} is on."


def _meant(known: SkillSet, word: str) -> str:
    """Returns the name that a word means: of the only skill that begins so, too."""
    name = known.meant(word)
    begun = [each for each in known.skills if each.startswith(name)]
    return begun[0] if len(begun) == 1 else name


def _line(skill: Skill, at_work: str | None) -> str:
    mark = "⏸ " if skill.unmet else "▶️ " if skill.name == at_work else ""
    on = " (on)" if skill.name == at_work else ""
    first = _SENTENCE_END.split(skill.description, maxsplit=1)[0]
    told = shorten(first, _DESCRIPTION, placeholder=" …")
    return f"- {mark}`{skill.name}`{on}: {literal(told)}"


def remarks_of(skill: Skill, known: SkillSet, tools: frozenset[str]) -> Sequence[str]:
    """Returns remarks about a skill: what it lacks, where it leads, how its file is written."""
    remarks = [skill.unmet] if skill.unmet else []
    remarks += known.dead_ends(skill)
    if unknown := skill.unknown_tools(tools):
        remarks.append(f"no tools are called {', '.join(unknown)}")
    if skill.manual:
        remarks.append("only people choose it, with /skill")
    return tuple(dict.fromkeys((*remarks, *skill.warnings)))


def fault_told(fault: SkillFault) -> str:
    """Returns a fault with what helps, and its path from the skill's folder on."""
    path, colon, rest = str(fault).partition(": ")
    helps = f". {fault.helps}." if fault.helps else ""
    return f"{'/'.join(PurePath(path).parts[-2:])}{colon}{rest}{helps}"
