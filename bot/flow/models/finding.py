"""The tool that finds tools of servers which a request has no room for."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bot.domain.errors import InvalidArguments
from bot.domain.foreign_text import defused
from bot.domain.tool import Effect, Preview, Replay, Status, ToolOutput, ToolSpec, clipped
from bot.domain.tool_choice import search, server_of
from bot.domain.transcript import Entry, ResultBody
from bot.ports.tool import Place

FIND_TOOLS = "find_tools"
_MOST = 8
_LONGEST = 200
_LINE = re.compile(r"^- ([a-zA-Z0-9_-]{1,64}): ", re.MULTILINE)
_DESCRIPTION = (
    "{count} tools of tool servers are not in your list: {servers}. Call this with a few words "
    "about what you need; it tells their names and what they do. The tools it finds are in your "
    "list from the person's next message on: say so if you need one of them now."
)
_SCHEMA = {
    "type": "object",
    "properties": {
        "words": {"type": "string", "description": "A few words, such as: create calendar event."}
    },
    "required": ["words"],
    "additionalProperties": False,
}


class FindTools:
    """Searches the tools that are not offered by names and descriptions."""

    def __init__(self, hidden: Sequence[ToolSpec]) -> None:
        self._hidden = tuple(hidden)
        self.spec = ToolSpec(
            FIND_TOOLS,
            _DESCRIPTION.format(count=len(hidden), servers=_counted(hidden)),
            _SCHEMA,
            Effect.READ,
            Replay.SAFE,
        )

    def check(self, arguments: Mapping[str, Any]) -> None:
        if set(arguments) != {"words"} or not isinstance(arguments["words"], str):
            raise InvalidArguments("words: should be a text, and the only argument")

    async def preview(self, arguments: Mapping[str, Any], place: Place) -> Preview:
        del place
        words = clipped(" ".join(str(arguments["words"]).split()), _LONGEST)
        deed = f"Look for tools for “{words}”"
        return Preview(deed, deed, Effect.READ)

    async def run(self, arguments: Mapping[str, Any], place: Place, seen: str | None) -> ToolOutput:
        del place, seen
        found = search(str(arguments["words"])[:1_000], self._hidden, _MOST)
        if not found:
            return ToolOutput(f"None of {len(self._hidden)} tools fits these words. Try others.")
        lines = [f"- {tool.name}: {_first(defused(tool.description))}" for tool in found]
        after = "They are in your list from the person's next message on."
        return ToolOutput("\n".join([*lines, after]))


def found_before(entries: Iterable[Entry], turn: str) -> tuple[str, ...]:
    """Returns the tools that searches of earlier turns found, the newest last."""
    found: list[str] = []
    for entry in entries:
        body = entry.body
        if entry.turn != turn and isinstance(body, ResultBody) and body.result.tool == FIND_TOOLS:
            known = _LINE.findall(body.result.text) if body.result.status is Status.SUCCESS else []
            # The best of a search counts as the newest.
            found.extend(reversed(known))
    return tuple(found)


def _counted(tools: Sequence[ToolSpec]) -> str:
    counts: dict[str, int] = {}
    for tool in tools:
        server = server_of(tool.name)
        counts[server] = counts.get(server, 0) + 1
    return ", ".join(f"{server} ({count})" for server, count in counts.items())


def _first(description: str) -> str:
    return clipped(" ".join(description.split()), _LONGEST)
