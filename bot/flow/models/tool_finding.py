"""The tools that find, and call, tools of servers which a request has no room for."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn, TypeAlias, cast

from bot.domain.talk.errors import InvalidArguments
from bot.domain.text.foreign_text import defused, set_apart
from bot.domain.text.visible_text import clipped
from bot.domain.tools.server import is_lent
from bot.domain.tools.shelf import Described, Shelf, described
from bot.domain.tools.tool import Effect, Preview, Replay, ToolCall, ToolOutput, ToolSpec
from bot.domain.tools.tool_choice import search, server_of
from bot.domain.turn.transcript import CallPart, ReplyPart
from bot.ports.descriptions import Descriptions
from bot.ports.tool import Place, Tool

ByMeaning: TypeAlias = Descriptions | None
"""Finds tools by their meaning; None when there are only words to go by."""

FIND_TOOLS = "find_tools"
USE_TOOL = "use_tool"
_MOST, _MOST_SOUGHT = 8, 24
_LONGEST_WORDS = 1_000
_LONGEST = 200
_LONGEST_NAMES = 1_000
_WHOLE_BYTES = 12_000
"""Bytes of found tools that are told with their arguments; the best one always is."""

_DESCRIPTION = (
    "{count} tools of tool servers are not in your list: {servers}. Call this with a few words "
    "about what you need; it tells their names, what they do, and their arguments. Call a tool "
    f"that it finds at once, with {USE_TOOL}."
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
    """Searches the tools that are not offered by names and descriptions.

    With an embedder they are also found by what the descriptions mean.
    """

    def __init__(self, hidden: Sequence[ToolSpec], descriptions: ByMeaning = None) -> None:
        self._hidden = {spec.name: spec for spec in hidden}
        self._descriptions = descriptions
        self._shelf = Shelf()
        if descriptions is not None:
            self._shelf = Shelf(tuple(map(_described, hidden)))
            descriptions.keep(self._shelf)
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
        del seen
        found = await self._found(str(arguments["words"])[:_LONGEST_WORDS], place)
        if not found:
            return ToolOutput(f"None of {len(self._hidden)} tools fits these words. Try others.")
        return ToolOutput("\n".join(_told(found)))

    async def _found(self, words: str, place: Place) -> Sequence[ToolSpec]:
        specs = tuple(self._hidden.values())
        if self._descriptions is None:
            return search(words, specs, _MOST)
        by_words = [spec.name for spec in search(words, specs, _MOST_SOUGHT)]
        names = await self._descriptions.search(words, self._shelf, by_words, place.embedding)
        return [self._hidden[name] for name in names][:_MOST]


class UseTool:
    """Stands in the list for all tools that are left out; a call of it is read as one of them.

    So only a call that names no such tool is ever judged as a call of this.
    """

    spec = ToolSpec(
        USE_TOOL,
        f"Call a tool that {FIND_TOOLS} found, by its name and with its arguments. It counts as a "
        "call of that tool: it asks the person where that tool asks.",
        {
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "The name, as it was found."},
                "arguments": {"type": "object", "description": "As its schema wants them."},
            },
            "required": ["name", "arguments"],
            "additionalProperties": False,
        },
        Effect.READ,
        Replay.SAFE,
    )

    def check(self, arguments: Mapping[str, Any]) -> NoReturn:
        if set(arguments) != {"name", "arguments"}:
            raise InvalidArguments("name and arguments: both are needed, and nothing else")
        if not isinstance(arguments["arguments"], Mapping):
            raise InvalidArguments("arguments: should be an object")
        name = clipped(defused(str(arguments["name"])), _LONGEST)
        raise InvalidArguments(f"name: no server lends {name!r}. {FIND_TOOLS} tells the names.")

    async def preview(self, arguments: Mapping[str, Any], place: Place) -> Preview:
        del place
        self.check(arguments)

    async def run(self, arguments: Mapping[str, Any], place: Place, seen: str | None) -> ToolOutput:
        del place, seen
        self.check(arguments)


def _described(spec: ToolSpec) -> Described:
    return described(spec.name, spec.name, spec.description)


def as_meant(parts: Sequence[ReplyPart], tools: Mapping[str, Tool]) -> tuple[ReplyPart, ...]:
    """Returns the parts of a reply, a call of `use_tool` as the call that it stands for.

    Everything after this judges the tool that runs: rights, rules, cards, plans and the record.
    """
    return tuple(
        CallPart(_meant(part.call, tools)) if isinstance(part, CallPart) else part for part in parts
    )


def _meant(call: ToolCall, tools: Mapping[str, Tool]) -> ToolCall:
    if call.name != USE_TOOL or USE_TOOL not in tools or call.arguments is None:
        return call
    if set(call.arguments) != {"name", "arguments"}:
        return call
    name, arguments = call.arguments["name"], call.arguments["arguments"]
    known = isinstance(name, str) and is_lent(name) and name in tools
    if not known or not isinstance(arguments, Mapping):
        return call
    given = cast("Mapping[str, Any]", arguments)
    return replace(call, name=name, arguments=given, through=USE_TOOL)


def _told(found: Sequence[ToolSpec]) -> list[str]:
    """Returns the found tools for a model: whole ones while there is room, then bare ones."""
    lines: list[str] = []
    left = _WHOLE_BYTES
    for spec in found:
        whole = _whole(spec)
        left -= len(whole.encode())
        if left >= 0 or not lines:
            lines.append(whole)
        else:
            lines.append(f"- {spec.name}: {_first(defused(spec.description))}")
    lines.append(f"Call one with {USE_TOOL}. If its arguments are not told here, search its name.")
    return lines


def _whole(spec: ToolSpec) -> str:
    schema = json.dumps(spec.input_schema, ensure_ascii=False, default=dict)
    told = f"{spec.description}\nIts arguments: {schema}"
    return f"- {spec.name}\n{set_apart(spec.source or server_of(spec.name), told)}"


def _counted(tools: Sequence[ToolSpec]) -> str:
    counts: dict[str, int] = {}
    for tool in tools:
        server = server_of(tool.name)
        counts[server] = counts.get(server, 0) + 1
    told = ", ".join(f"{server} ({count})" for server, count in counts.items())
    return clipped(told, _LONGEST_NAMES)


def _first(description: str) -> str:
    return clipped(" ".join(description.split()), _LONGEST)
