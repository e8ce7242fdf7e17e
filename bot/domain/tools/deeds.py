"""Names what a call does in one line: verb and thing, the same for cards, plans and progress."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from bot.domain.tools.deed_words import by_name
from bot.domain.tools.house import HOUSE

_DENIED = re.compile(r".* denied this call\.(?: They said: (?P<reason>.+))?")
"""The result that a model reads of a call that somebody denied."""

_BETWEEN = "__"


def together(tool: str, deeds: Sequence[str]) -> str:
    """Returns deeds of one tool as one: “Read 3 files”; a deed done again is counted."""
    different = len(set(deeds))
    if len(deeds) == 1:
        return deeds[0]
    if different == 1:
        return f"{deeds[0]}, {len(deeds)} times"
    if tool in HOUSE and HOUSE[tool].many:
        return HOUSE[tool].many.format(different)
    server, between, name = tool.partition(_BETWEEN)
    return f"{server_deed(server, name) if between else f'Use {tool}'}, {len(deeds)} times"


def deed_of(tool: str, arguments: Mapping[str, Any]) -> str:
    """Returns what a call does, as far as its arguments tell: “Write a.md”, “Run `pytest -q`”."""
    if tool in HOUSE:
        return HOUSE[tool].deed(arguments)
    server, between, name = tool.partition(_BETWEEN)
    return server_deed(server, name) if between else by_name(tool)(arguments)


def stands_in_chat(tool: str) -> bool:
    """Returns True for a tool whose work stands in the chat itself."""
    return tool in HOUSE and HOUSE[tool].in_chat


def denial(result: str) -> str:
    """Returns what people read of a call that was denied; empty for any other result."""
    denied = _DENIED.fullmatch(result)
    if denied is None:
        return ""
    return f"denied: “{denied['reason']}”" if denied["reason"] else "denied"


def without_deed(fault: str, deed: str) -> str:
    """Returns the words about a failed call without the command or file that the deed names."""
    command = deed.removeprefix("Run `").removesuffix("`")
    if command and command != deed:
        return fault.replace(f" of {command}", "", 1)
    thing = re.escape(deed.partition(" ")[2])
    return re.sub(rf"(^|; ){thing}: ", r"\1", fault, count=1)


def server_deed(server: str, tool: str) -> str:
    """Returns “Use … of the server …” for a tool of a server."""
    return f"Use {tool} of the server {server}"
