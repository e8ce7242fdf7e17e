"""The calls that a skill asks to make without a card, in the words of other programs too."""

import re
from collections.abc import Sequence

from bot.domain.tools.house import HOUSE
from bot.domain.value import frozen

_ELSEWHERE = {name: tool.name for tool in HOUSE.values() for name in tool.elsewhere}
_NOT_HERE = frozenset({"todowrite", "todoread"})
"""Tools of other programs that are known and not here."""

_FORM = re.compile(r"([^\s,()]+)(?:\(([^()]*)\))?")


@frozen
class PreApproved:
    """One wish of a skill: `tool` is ours, empty when there is none.

    `pattern` narrows its arguments: a command, a path or a host, where a star stands for anything.
    No call runs without a card only because it is named here.
    """

    tool: str
    pattern: str
    written: str


def pre_approved(lines: Sequence[str]) -> tuple[PreApproved, ...]:
    """Returns the wishes in such lines, between spaces or commas, each once."""
    found = (_wish(match) for line in lines for match in _FORM.finditer(line))
    return tuple(dict.fromkeys(found))


def house_name(name: str) -> str | None:
    """Returns our name of a tool; empty for a known one that is not here, None if unknown."""
    if name in HOUSE or "__" in name:
        return name
    return "" if name.lower() in _NOT_HERE else _ELSEWHERE.get(name.lower())


def _wish(match: re.Match[str]) -> PreApproved:
    name, pattern = match[1], (match[2] or "").strip()
    if pattern.endswith(":*"):
        pattern = f"{pattern[:-2]} *"
    return PreApproved(house_name(name) or "", "" if pattern == "*" else pattern, match[0])
