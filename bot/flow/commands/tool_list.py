"""The command that lists the tools and tells which of them ask first."""

from collections.abc import Sequence

from bot.domain.memory.note import REMEMBER
from bot.domain.text.markdown import literal
from bot.domain.tools.server import ServerCondition
from bot.domain.tools.tool import Effect, ToolSpec
from bot.flow.commanding.table import Answer, Command, Invocation, Topic
from bot.flow.models.finding import FIND_TOOLS
from bot.flow.models.preamble import PreambleMaker

_ASKS = {
    Effect.READ: "**Without asking**",
    Effect.WRITE: "**Asks first**",
    Effect.DANGER: "**Always asks**",
}
_LONGEST_LINE = 200
_MOST_NAMES = 20


class ToolCommands:
    def __init__(self, preamble: PreambleMaker, missing: Sequence[str] = ()) -> None:
        """Takes a sentence for each tool that is `missing` and that a setting would add."""
        self._preamble = preamble
        self._missing = "\n".join(f"- {told}" for told in missing)

    @property
    def table(self) -> Sequence[Command]:
        return (
            Command("tools", "what I can do, and what asks first", self.tools, "", Topic.CONSENT),
        )

    async def tools(self, asked: Invocation) -> Answer:
        parts = [_by_effect("", self._preamble.house)]
        parts += [f"**Not set up**\n{self._missing}"] if self._missing else []
        for server in await self._preamble.servers(asked.chat):
            left_out = "\n".join(f"- not offered, {why}" for why in server.left_out)
            parts.append(_by_effect(_server_line(server), server.tools))
            parts.append(left_out)
        if hidden := await self._preamble.hidden(asked.chat):
            parts.append(
                f"Left out of the model's list, which has no room: {len(hidden)} tools. "
                f"It finds them with `{FIND_TOOLS}`: {_names(hidden)}"
            )
        return Answer("\n\n".join(part for part in parts if part))


def _by_effect(head: str, specs: Sequence[ToolSpec]) -> str:
    parts = [head]
    for effect, told in _ASKS.items():
        lines = [_tool_line(spec) for spec in specs if _asks(spec) is effect]
        parts.append("\n".join([told, *lines]) if lines else "")
    return "\n\n".join(part for part in parts if part)


def _asks(spec: ToolSpec) -> Effect:
    """Returns how a tool asks as a rule: a note is taken unasked, and can be undone."""
    return Effect.READ if spec.name == REMEMBER else spec.effect


def _tool_line(spec: ToolSpec) -> str:
    told = spec.summary or literal(_first_sentence(spec.description))
    return f"- `{spec.name}`: {told}" if told else f"- `{spec.name}`"


def _server_line(server: ServerCondition) -> str:
    spec = server.spec
    whose = f" of the skill {spec.skill}" if spec.skill else ""
    return f"The tool server `{spec.name}`{whose}: {server.state}"


def _names(specs: Sequence[ToolSpec]) -> str:
    shown = ", ".join(f"`{spec.name}`" for spec in specs[:_MOST_NAMES])
    rest = len(specs) - _MOST_NAMES
    return f"{shown} and {rest} more" if rest > 0 else shown


def _first_sentence(text: str) -> str:
    return " ".join(text.partition(". ")[0].split()).rstrip(".")[:_LONGEST_LINE]
