"""Tool servers as a page shows them: their states, and what their tools ask."""

from collections.abc import Sequence
from operator import attrgetter

from bot.domain.clock.span import figure
from bot.domain.talk.person import Person
from bot.domain.text.visible_text import one_line
from bot.domain.tools.call_words import Conceal
from bot.domain.tools.server import ServerCondition, ServerSpec
from bot.domain.tools.tool import Effect, ToolSpec
from bot.domain.value import frozen
from bot.flow.inspection.listing import part_among
from bot.flow.models.preamble import PreambleMaker
from bot.ports.listed import ListPlace
from bot.ports.server_page import Asks, LentTool, ServerLine, ServersPage
from bot.ports.skills import Skills

_MOST, _TOOLS, _LEFT_OUT = 25, 40, 10
_LINE = 240
_ASKS: dict[Effect, Asks] = {
    Effect.READ: "reads",
    Effect.WRITE: "asks",
    Effect.DANGER: "always asks",
}


@frozen
class ServerInspection:
    _preamble: PreambleMaker
    _skills: Skills
    _conceal: Conceal

    async def servers(
        self, reader: Person, skills: frozenset[str], place: ListPlace[str] | None
    ) -> ServersPage:
        known = await self._known(None if reader.is_owner else skills)
        shown, ways = await part_among(known, attrgetter("spec.name"), place, _MOST)
        return ServersPage(tuple(self._line(one, reader) for one in shown), ways)

    async def removable(self, name: str) -> bool:
        return any(_let_in(one.spec) and one.spec.name == name for one in await self._known(None))

    async def _known(self, skills: frozenset[str] | None) -> Sequence[ServerCondition]:
        """Returns the servers of the settings, and those of these skills or of all."""
        names = frozenset(self._skills.known.skills) if skills is None else skills
        return await self._preamble.known_servers(sorted(names))

    def _line(self, one: ServerCondition, reader: Person) -> ServerLine:
        spec = one.spec
        removable = _let_in(spec) and reader.is_owner
        return ServerLine(
            self._told(spec.name),
            f"of the skill {self._told(spec.skill)}" if spec.skill else "of the settings",
            self._told(one.state),
            self._told(one.fault),
            not spec.allowed,
            "" if one.unused is None else f"{figure(one.unused)} ago",
            self._told(spec.line) if reader.is_owner else "",
            tuple(self._tool(tool) for tool in one.tools[:_TOOLS]),
            max(0, len(one.tools) - _TOOLS),
            tuple(self._told(why) for why in one.left_out[:_LEFT_OUT]),
            spec.name if removable else "",
        )

    def _tool(self, spec: ToolSpec) -> LentTool:
        told = self._told(spec.summary or spec.description.partition(". ")[0])
        return LentTool(self._told(spec.name), told, _ASKS[spec.effect])

    def _told(self, text: str) -> str:
        return one_line(self._conceal(" ".join(text.split())), _LINE)


def _let_in(spec: ServerSpec) -> bool:
    return bool(spec.skill) and spec.allowed
