"""Skills: written instructions for one kind of task, chosen when such a task comes up."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from itertools import islice
from pathlib import PurePath
from typing import Any

from bot.domain.consent.pre_approval import PreApproved
from bot.domain.tools.house import SUBMIT_PLAN
from bot.domain.tools.server import tools_prefix
from bot.domain.tools.shelf import Shelf, described
from bot.domain.tools.variable import Variable, rendered, spellings
from bot.domain.value import frozen

FIND, USE, READ = "find_skills", "use_skill", "read_skill_file"
SKILL_TOOLS = frozenset({FIND, USE, READ})
"""The tools about skills; no skill can forbid them."""

_PLACE = re.compile(
    r"\{baseDir\}|\$\{(?:CLAUDE_SKILL_DIR|CLAUDE_PLUGIN_ROOT|SKILL_DIR)\}|\$SKILL_DIR\b"
)
"""The spellings in a skill's body for the skill's folder, here and in other programs."""

_MOST_COMPARED = 300
"""Names that are compared with a misspelt one, which takes time for each of them."""

SKILL_LIST = 6_000
"""The most bytes of names and descriptions in the list for a model."""


@frozen
class Requirements:
    """The requirements of a skill: variables of the environment, programs, other skills."""

    env: tuple[str, ...] = ()
    bin: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()


@frozen
class SkillServer:
    """An MCP server that lives while its skill is active somewhere: a command, or an address.

    `env` may name variables of the skill as {{NAME}}. It has `start_seconds` to answer, and is
    ended when nobody used it for `idle_seconds`.
    """

    name: str
    command: tuple[str, ...] = ()
    url: str | None = None
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    start_seconds: float = 30.0
    idle_seconds: float = 600.0


@frozen
class Skill:
    """One skill as its SKILL.md tells it, in the open Agent Skills format."""

    name: str
    """The name by which it is chosen."""
    description: str
    """Tells the model what the skill does and when to use it."""
    body: str
    """The instructions as written, with places that are filled in later."""
    folder: str
    """The path of the skill's folder."""
    license: str = ""
    """The licence that the file names."""
    compatibility: str = ""
    """The file's words about where the skill works."""
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Further keys of the file, as written."""
    tools: tuple[str, ...] | None = None
    """The tools that may be used under the skill, besides those about skills; None means all."""
    next_skill: str | None = None
    """The skill that continues with the settled text of this one."""
    conditional_next: Mapping[str, str] = field(default_factory=dict[str, str])
    """Maps a condition to the skill that the model then chooses."""
    model_tier: str | None = None
    """The tier of model that the skill asks for."""
    requires: Requirements = Requirements()
    """The things without which the skill cannot be used."""
    variables: tuple[Variable, ...] = ()
    """Variables that the skill declares, with the operator's values."""
    servers: tuple[SkillServer, ...] = ()
    """Tool servers that the skill brings along."""
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Keys of the file that this program does not know."""
    unmet: str = ""
    """The reason why the skill cannot be used here; empty when it can."""
    title: str = ""
    """The name in the file, where the skill has another one here."""
    pre_approved: tuple[PreApproved, ...] = ()
    """The calls that the skill asks to make without a card."""
    manual: bool = False
    """True when only people choose it."""
    own: bool = False
    """True when it lies in the home, and not among the program's skills."""
    warnings: tuple[str, ...] = ()
    """Odd things about its file, for the people who read lists."""

    @property
    def in_pipeline(self) -> bool:
        """Returns true when another skill may take over from this one."""
        return self.next_skill is not None or bool(self.conditional_next)

    @property
    def instructions(self) -> str:
        """Returns the body with its folder and variables filled in, except the secret ones."""
        return rendered(_PLACE.sub(lambda _: self.folder, self.body), self.variables)

    @property
    def edition(self) -> str:
        """Returns its name with a digest of what its file says."""
        told = (self.description, self.body, self.folder, self.tools, self.pre_approved)
        names = sorted(variable.name for variable in self.variables)
        digest = hashlib.sha256(repr((told, names, self.servers)).encode(errors="replace"))
        return f"{self.name}@{digest.hexdigest()[:16]}"

    @property
    def environment(self) -> Mapping[str, str]:
        """Returns the variables for its commands and servers, secret values included."""
        return {v.name: v.value for v in self.variables if v.value is not None}

    @property
    def secrets(self) -> tuple[str, ...]:
        """Returns the values that no prompt and no log may hold, in each spelling.

        The longest comes first, because one may contain another.
        """
        values = (v.value for v in self.variables if v.secret and v.value)
        found = {spelling for value in values for spelling in spellings(value)}
        return tuple(sorted(found, key=len, reverse=True))

    def allows(self, tool: str) -> bool:
        """Returns true when the skill allows a tool; it always allows its own servers' tools."""
        if self.tools is None or tool in (*self.tools, *SKILL_TOOLS, SUBMIT_PLAN):
            return True
        return any(tool.startswith(tools_prefix(server.name)) for server in self.servers)

    def refusal(self, tool: str) -> str:
        """Returns the reason why a tool may not be used under this skill; empty when it may."""
        if self.allows(tool):
            return ""
        allowed = ", ".join(self.tools or ()) or "none"
        return f"the skill {self.name} does not allow {tool}. Tools it allows: {allowed}."

    def unknown_tools(self, known: frozenset[str]) -> tuple[str, ...]:
        """Returns names in `tools` that no tool has; servers' tools are left out."""
        named = self.tools or ()
        return tuple(name for name in named if name not in known and "__" not in name)


@frozen
class SkillFault:
    """A fault in a skill's file: the file, the line (0 for the file as a whole) and the reason.

    `name` is the skill's name in the file, where the file gives one, and `helps` says what to do
    where the file itself has no fault.
    """

    file: str
    line: int
    reason: str
    name: str = ""
    helps: str = ""

    @property
    def skill(self) -> str:
        """Returns the name of the skill's folder, or of one without a skill; else nothing."""
        path = PurePath(self.file)
        if path.name == "SKILL.md":
            return path.parent.name
        return path.name if self.helps else ""

    def is_about(self, name: str) -> bool:
        """Returns True when the skill's folder or its file has this name."""
        return bool(key := _key(name)) and key in (_key(self.skill), _key(self.name))

    def __str__(self) -> str:
        return (
            f"{self.file}:{self.line}: {self.reason}"
            if self.line
            else f"{self.file}: {self.reason}"
        )


@frozen
class Following:
    """The skill that takes over from the current one; `fault` says why it cannot."""

    name: str
    fault: str = ""


@dataclass(frozen=True)
class SkillSet:
    """The skills found at one moment, by name, and the faults of the unreadable ones."""

    skills: Mapping[str, Skill] = field(default_factory=dict[str, Skill])
    faults: tuple[SkillFault, ...] = ()

    @cached_property
    def ready(self) -> tuple[Skill, ...]:
        """Returns the skills that can be used here, by name."""
        return tuple(s for _, s in sorted(self.skills.items()) if not s.unmet)

    @cached_property
    def _broken(self) -> tuple[SkillFault, ...]:
        """Returns the faults of files; the others tell what a search left out."""
        return tuple(fault for fault in self.faults if not fault.helps)

    @cached_property
    def offered(self) -> tuple[Skill, ...]:
        """Returns the skills that a model may choose: a person's own first, each group by name."""
        return tuple(sorted((s for s in self.ready if not s.manual), key=lambda s: not s.own))

    @cached_property
    def shelf(self) -> Shelf:
        """Returns the skills that a model may choose, for a search by their meaning."""
        return Shelf(tuple(described(s.name, s.name, s.title, s.description) for s in self.offered))

    @cached_property
    def secrets(self) -> tuple[str, ...]:
        return tuple(secret for skill in self.skills.values() for secret in skill.secrets)

    def usable(self, name: str | None) -> Skill | None:
        """Returns the skill of this name if it can be used here."""
        found = self.skills.get(name) if name is not None else None
        return found if found is not None and not found.unmet else None

    @cached_property
    def _by_key(self) -> Mapping[str, Skill]:
        """Returns skills by all their names; a skill's name wins over another skill's folder."""
        known: dict[str, Skill] = {}
        for names in (_folder_name, _title, _name):
            known |= {_key(names(skill)): skill for skill in self.skills.values()}
        return known

    def named(self, name: str) -> Skill | None:
        """Returns the skill of this name in any spelling, also from its file or folder."""
        return self.skills.get(name) or self._by_key.get(_key(name) or "-")

    def meant(self, word: str) -> str:
        """Returns the name of the skill a person means, also by its beginning or a part of it.

        Returns the word itself when it fits no skill, or several.
        """
        if (found := self.named(word)) is not None:
            return found.name
        if not (part := _key(word)) or any(fault.is_about(word) for fault in self._broken):
            return word
        keys = {name: _key(name) for name in self.skills}
        for fits in (str.startswith, str.__contains__):
            near = [name for name, key in keys.items() if fits(key, part)]
            if near:
                return near[0] if len(near) == 1 else word
        return word

    def knows(self, name: str) -> bool:
        """Returns true when a skill has this name, even a broken or unusable one."""
        return name in self.skills or any(fault.is_about(name) for fault in self._broken)

    def refusal(self, name: str) -> str:
        """Returns the reason why a skill of this name cannot be used; empty when it can."""
        found = self.skills.get(name)
        if found is not None:
            return f"the skill {name} cannot be used here: {found.unmet}" if found.unmet else ""
        broken = next((fault for fault in self._broken if fault.is_about(name)), None)
        if broken is not None:
            where = f"SKILL.md, line {broken.line}" if broken.line else "SKILL.md"
            return f"the skill {name} cannot be read: {where}: {broken.reason}"
        alike = (known for known in self.skills if known[:1] == name[:1])
        near = get_close_matches(name, list(islice(alike, _MOST_COMPARED)), n=1)
        return f"there is no skill “{name}”" + (f" (did you mean {near[0]}?)" if near else "")

    def following(self, name: str | None) -> Following | None:
        """Returns the skill that continues with a settled text; None for the last one."""
        skill = self.usable(name)
        if skill is None or skill.next_skill is None:
            return None
        return Following(skill.next_skill, self.refusal(skill.next_skill))

    def dead_ends(self, skill: Skill) -> tuple[str, ...]:
        """Returns the reasons why skills that should follow this one cannot."""
        ends = (skill.next_skill, *skill.conditional_next.values())
        why = (self.refusal(name) for name in ends if name is not None)
        return tuple(dict.fromkeys(filter(None, why)))

    def search(self, query: str, limit: int) -> tuple[Skill, ...]:
        """Returns ready skills whose name or description has words of the query, best first.

        This is the plain way, used when there is no index.
        """
        words = _words(query)
        scored = [(_score(skill, words), skill) for skill in self.ready]
        found = sorted((s for s in scored if s[0] > 0), key=lambda s: (-s[0], s[1].name))
        return tuple(skill for _, skill in found[:limit])


def skill_set(found: Mapping[str, Skill], faults: tuple[SkillFault, ...] = ()) -> SkillSet:
    """Returns the set of these skills; a skill that lacks a required one is marked as unmet."""
    skills = dict(found)
    lacking = {n: why for n, s in skills.items() if (why := _lacks(s, skills))}
    while lacking:
        for name, why in lacking.items():
            unmet = "; ".join(filter(None, (found[name].unmet, why)))
            skills[name] = replace(skills[name], unmet=unmet)
        unready = {n: s for n, s in skills.items() if not s.unmet}
        lacking = {n: why for n, s in unready.items() if (why := _lacks(s, skills))}
    return SkillSet(skills, faults)


def _lacks(skill: Skill, skills: Mapping[str, Skill]) -> str:
    return "; ".join(_missing(skill.requires.skills, skills))


def _missing(names: Iterable[str], skills: Mapping[str, Skill]) -> Iterable[str]:
    for name in names:
        needed = skills.get(name)
        if needed is None:
            yield f"it needs the skill {name}, which is not there"
        elif needed.unmet:
            yield f"it needs the skill {name}, which cannot be used: {needed.unmet}"


def _name(skill: Skill) -> str:
    return skill.name


def _title(skill: Skill) -> str:
    return skill.title


def _folder_name(skill: Skill) -> str:
    return PurePath(skill.folder).name


def _key(name: str) -> str:
    """Returns a name without capitals, spaces and hyphens, in which spellings differ."""
    return "".join(filter(str.isalnum, name.casefold()))


def _words(text: str) -> frozenset[str]:
    plain = "".join(c if c.isalnum() else " " for c in text.casefold())
    return frozenset(plain.split())


def _score(skill: Skill, words: frozenset[str]) -> int:
    """Scores a skill: words of the name count three times, beginnings of words like whole ones."""
    named, told = _words(skill.name), _words(skill.description)
    return sum(3 * _holds(named, word) + _holds(told, word) for word in words)


def _holds(text: frozenset[str], word: str) -> bool:
    return word in text or (len(word) > 3 and any(t.startswith(word[:-1]) for t in text))
