"""Skills as pages show them: where each comes from, what it may do, and what it lacks."""

from collections.abc import Iterator, Mapping

from bot.domain.clock.zones import Zones
from bot.domain.skills.skill import Skill
from bot.domain.talk.person import Person
from bot.domain.text.visible_text import one_line
from bot.domain.tools.call_words import Conceal
from bot.domain.value import frozen
from bot.flow.commanding.wording import counted
from bot.flow.inspection.listing import ListPlace, Ways, part_among
from bot.flow.inspection.recall_told import local_time
from bot.flow.models.preamble import PreambleMaker
from bot.flow.skills.commands import fault_told, remarks_of
from bot.ports.records import TurnRecords
from bot.ports.skill_page import SkillLine, SkillPage, SkillsPage, WantedVariable
from bot.ports.skills import Skills
from bot.ports.turn_page import Figure

_MOST, _FAULTS, _REMARKS = 40, 20, 20
_LOOKED_AT = 4_000
"""Newest calls of models among which the last use of a skill is looked for."""

_LINE, _LONG, _SEARCH = 240, 2_000, 200
_PARTS = 40
"""Tools, wishes, variables and servers of one skill that are shown."""


@frozen
class SkillInspection:
    _skills: Skills
    _records: TurnRecords
    _preamble: PreambleMaker
    _zones: Zones
    _conceal: Conceal

    async def skills(self, reader: Person, words: str, place: ListPlace[str] | None) -> SkillsPage:
        known, asked = self._skills.known, words.strip()[:_SEARCH]
        if asked:
            shown, ways = await self._skills.search(asked, _MOST), Ways[str]()
            faults = [fault for fault in known.faults if fault.is_about(asked)]
        else:
            every = known.skills.values()
            shown, ways = await part_among(every, lambda one: one.name, place, _MOST)
            faults = [] if ways.before else list(known.faults)
        last = await self._last(reader)
        broken = f", {counted(len(known.faults), 'file')} with faults" if known.faults else ""
        return SkillsPage(
            tuple(self._line(skill, reader, last) for skill in shown),
            ways,
            asked,
            f"{counted(len(known.skills), 'skill')}, {len(known.ready):,} ready{broken}",
            tuple(self._told(fault_told(fault), _LINE) for fault in faults[:_FAULTS]),
        )

    async def skill(self, reader: Person, name: str) -> SkillPage | None:
        skill = self._skills.known.skills.get(name)
        if skill is None:
            return None
        return SkillPage(
            self._line(skill, reader, await self._last(reader)),
            self._told(skill.description, _LONG),
            tuple(self._facts(skill, reader)),
            tuple(self._variables(skill)),
            self._listed(skill.tools or (), len(skill.tools or ())),
            self._listed((one.written for one in skill.pre_approved), len(skill.pre_approved)),
            self._listed((one.name for one in skill.servers), len(skill.servers)),
            tuple(self._told(one, _LINE) for one in self._remarks(skill)[:_REMARKS]),
        )

    async def _last(self, reader: Person) -> Mapping[str, str]:
        whose, zone = None if reader.is_owner else reader.id, self._zones.of(reader)
        used = await self._records.skills_used(whose, _LOOKED_AT)
        return {name: local_time(at, zone) for name, at in used.items()}

    def _line(self, skill: Skill, reader: Person, last: Mapping[str, str]) -> SkillLine:
        paused = f"paused: {skill.unmet}" if skill.unmet else ""
        ready = "only people choose it" if skill.manual else "ready"
        return SkillLine(
            skill.name,
            self._told(skill.description, _LINE),
            "your own" if skill.own and reader.is_owner else "own" if skill.own else "shipped",
            self._told(paused or ready, _LINE),
            not skill.unmet,
            last.get(skill.name, ""),
            len(self._remarks(skill)),
        )

    def _facts(self, skill: Skill, reader: Person) -> Iterator[Figure]:
        """Yields what its file says about it; the place of the file only to owners."""
        if skill.title and skill.title != skill.name:
            yield self._fact("Its own name", skill.title)
        if reader.is_owner:
            yield self._fact("Folder", skill.folder)
        yield Figure("For", "people alone" if skill.manual else "people and the model")
        needs = (*skill.requires.bin, *skill.requires.skills, *skill.requires.env)
        for name, words in (
            ("Works with", skill.compatibility),
            ("Needs", ", ".join(needs)),
            ("Model", skill.model_tier or ""),
            ("Hands over to", ", ".join(filter(None, self._next(skill)))),
            ("Licence", skill.license),
        ):
            if words:
                yield self._fact(name, words)

    def _next(self, skill: Skill) -> Iterator[str]:
        yield skill.next_skill or ""
        yield from skill.conditional_next.values()

    def _fact(self, name: str, words: str) -> Figure:
        return Figure(name, self._told(words, _LINE))

    def _variables(self, skill: Skill) -> Iterator[WantedVariable]:
        for one in skill.variables[:_PARTS]:
            given = "set" if one.value is not None else "not set"
            yield WantedVariable(
                self._told(one.name, _LINE),
                self._told(one.description, _LINE),
                f"secret, {given}" if one.secret else given,
                one.required and one.value is None,
            )

    def _remarks(self, skill: Skill) -> tuple[str, ...]:
        tools = frozenset(spec.name for spec in self._preamble.house)
        return tuple(remarks_of(skill, self._skills.known, tools))

    def _listed(self, words: Iterator[str] | tuple[str, ...], count: int) -> tuple[str, ...]:
        shown = tuple(self._told(one, _LINE) for one in list(words)[:_PARTS])
        return (*shown, f"and {count - _PARTS} more") if count > _PARTS else shown

    def _told(self, text: str, most: int) -> str:
        return one_line(self._conceal(" ".join(text.split())), most)
