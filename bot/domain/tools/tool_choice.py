"""Chooses the tools of servers that a request holds, and finds others by words."""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence

from bot.domain.tools.tool import ToolSpec
from bot.domain.value import frozen

TOOL_BYTES = 64_000
"""Bytes of all tools as a request holds them, unless the settings say otherwise."""

_FOR_FINDING = 3_000
"""Bytes for the tools that find and call the ones which are left out."""

_MOST = 128
"""Tools that a provider accepts in all."""

_FINDING = 2
"""The tools that find and call the others."""

_MOST_FITTING = 24
"""Tools that come before others because they fit the words of a conversation."""

_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_COMMON = frozenset(("and", "for", "from", "that", "the", "this", "with", "you", "your"))
"""Words that tell nothing, beside all of one or two letters."""

_SHORTEST_WORD = 3


@frozen
class Leaning:
    """Tells what a conversation is about, from its beginning on: it never changes."""

    words: str = ""
    """The first words of the person."""
    used: tuple[str, ...] = ()
    """Tools that conversations before it called, the newest first."""
    skills: tuple[str, ...] = ()
    """Skills that conversations before it used, the newest first."""


@frozen
class ToolChoice:
    """The names of lent tools that are offered, in their order, and the ones to be found."""

    offered: tuple[str, ...]
    hidden: tuple[ToolSpec, ...] = ()


def size_of(spec: ToolSpec) -> int:
    """Returns the bytes of a tool in a request."""
    told = {"name": spec.name, "description": spec.told, "input_schema": spec.input_schema}
    return len(json.dumps(told, ensure_ascii=False, default=dict).encode("utf-8", "replace"))


def fits(house: Sequence[ToolSpec], lent: Sequence[ToolSpec], most: int) -> bool:
    """Returns true when a request holds all these tools."""
    return len(house) + len(lent) <= _MOST and sum(map(size_of, (*house, *lent))) <= most


def chosen(
    house: Sequence[ToolSpec], lent: Sequence[ToolSpec], leaning: Leaning, most: int
) -> ToolChoice:
    """Chooses from the lent tools until the room is full.

    Half of the room is for tools that were used, and that fit the words. In the rest every server
    gets its share: the first tool of each, then the second of each, and so on.
    """
    if fits(house, lent, most):
        return ToolChoice(tuple(spec.name for spec in lent))
    sizes = {spec.name: size_of(spec) for spec in lent}
    room = most - sum(map(size_of, house)) - _FOR_FINDING
    places = _MOST - len(house) - _FINDING
    likely = [name for name in leaning.used if name in sizes]
    likely += [spec.name for spec in search(leaning.words, lent, _MOST_FITTING)]
    first = _filled((), likely, sizes, room // 2, places)
    every = [spec.name for spec in _in_turns(lent)]
    offered = _filled(first, every, sizes, room, places)
    hidden = tuple(spec for spec in lent if spec.name not in offered)
    return ToolChoice(tuple(name for name in sizes if name in offered), hidden)


def _filled(
    taken: Iterable[str], names: Iterable[str], sizes: Mapping[str, int], room: int, places: int
) -> set[str]:
    """Returns the taken names with as many of the others as the room and the places hold."""
    full = set(taken)
    left = room - sum(sizes[name] for name in full)
    for name in names:
        if name not in full and sizes[name] <= left and len(full) < places:
            left -= sizes[name]
            full.add(name)
    return full


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
