"""Chooses the tools of servers that a request holds, and finds others by words."""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.domain.tool import ToolSpec

TOOL_BYTES = 64_000
"""Bytes of all tools as a request holds them, unless the settings say otherwise."""

_KEPT_FOR_FOUND = 3
"""One part in so many is kept for tools that were searched for."""

_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_COMMON = frozenset(("and", "for", "from", "that", "the", "this", "with", "you", "your"))
"""Words that tell nothing, beside all of one or two letters."""

_SHORTEST_WORD = 3


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """The names of lent tools that are offered, in their order, and the ones to be found.

    `found` are offered behind the others: a search changes nothing that stands before them.
    """

    offered: tuple[str, ...]
    found: tuple[str, ...] = ()
    hidden: tuple[ToolSpec, ...] = ()


def size_of(spec: ToolSpec) -> int:
    """Returns the bytes of a tool in a request."""
    told = {"name": spec.name, "description": spec.told, "input_schema": spec.input_schema}
    return len(json.dumps(told, ensure_ascii=False, default=dict).encode("utf-8", "replace"))


def chosen(
    house: Sequence[ToolSpec], lent: Sequence[ToolSpec], found: Sequence[str], most: int
) -> ToolChoice:
    """Chooses from the lent tools; of `found` names the newest stand last and count first.

    Every server gets its share: the first tool of each, then the second of each, and so on.
    """
    sizes = {spec.name: size_of(spec) for spec in lent}
    room = most - sum(map(size_of, house))
    if sum(sizes.values()) <= room:
        return ToolChoice(tuple(sizes))
    offered: set[str] = set()
    left = room - most // _KEPT_FOR_FOUND
    for spec in _in_turns(lent):
        if sizes[spec.name] <= left:
            left -= sizes[spec.name]
            offered.add(spec.name)
    left += most // _KEPT_FOR_FOUND
    newest: list[str] = []
    for name in dict.fromkeys(reversed(found)):
        if name not in sizes or name in offered:
            continue
        left -= sizes[name]
        if newest and left < 0:
            break
        newest.append(name)
    hidden = tuple(spec for spec in lent if spec.name not in offered)
    order = tuple(name for name in sizes if name in offered)
    return ToolChoice(order, tuple(reversed(newest)), hidden)


def _in_turns(lent: Sequence[ToolSpec]) -> Sequence[ToolSpec]:
    """Returns the tools so that servers take turns."""
    seen: dict[str, int] = {}
    ranked: list[tuple[int, int, ToolSpec]] = []
    for place, spec in enumerate(lent):
        server = server_of(spec.name)
        seen[server] = seen.get(server, 0) + 1
        ranked.append((seen[server], place, spec))
    return [spec for _, _, spec in sorted(ranked, key=lambda one: one[:2])]


def server_of(tool: str) -> str:
    """Returns the part of a name that tells the server."""
    return tool.partition("__")[0]


def search(words: str, tools: Sequence[ToolSpec], most: int) -> Sequence[ToolSpec]:
    """Returns the tools that fit the words best; rare words and names count more."""
    wanted = set(_stems(words))
    names = [set(_stems(tool.name)) for tool in tools]
    texts = [set(_stems(tool.description)) for tool in tools]
    both = list(zip(names, texts, strict=True))
    often = {word: sum(word in name or word in text for name, text in both) for word in wanted}
    weights = {word: math.log(1 + len(tools) / (1 + count)) for word, count in often.items()}
    scored = [
        (sum(weights[w] * (3 * (w in name) + (w in text)) for w in wanted), -place)
        for place, (name, text) in enumerate(both)
    ]
    best = sorted((one for one in scored if one[0] > 0), reverse=True)[:most]
    return [tools[-place] for _, place in best]


def _stems(text: str) -> list[str]:
    words = (word.lower() for word in _WORD.findall(_HUMP.sub(" ", text)))
    return [_stem(word) for word in words if len(word) >= _SHORTEST_WORD and word not in _COMMON]


def _stem(word: str) -> str:
    for ending in ("ing", "es", "ed", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_WORD:
            return word[: -len(ending)]
    return word
