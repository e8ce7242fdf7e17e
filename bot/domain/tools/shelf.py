"""Skills and tools as a search sees them: each has a name, and words that tell what it is for."""

import re
from dataclasses import dataclass

from bot.domain.value import frozen

MOST_BYTES = 2_000
"""Bytes of a description that are embedded; most are much shorter."""

_GAPS = re.compile(r"[-_\s]+|(?<=[a-z0-9])(?=[A-Z])")
"""Places between the words of a name."""


@frozen
class Described:
    """Something that can be found by its words or by their meaning."""

    name: str
    text: str
    """The words that an embedder reads."""


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Shelf:
    """The things among which a search looks."""

    things: tuple[Described, ...] = ()


def described(name: str, title: str, *words: str) -> Described:
    """Returns a thing with the text that is embedded: its title in words, then its description."""
    parts = [_GAPS.sub(" ", title), *words]
    text = ": ".join(" ".join(part.split()) for part in parts if part.strip())
    return Described(name, text.encode("utf-8", "replace")[:MOST_BYTES].decode("utf-8", "ignore"))
