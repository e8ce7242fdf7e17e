"""Skills and tools as a search sees them: each has a name, and words that tell what it is for."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

from bot.domain.fit import together
from bot.domain.meaning import Noise, Vector, first_bytes
from bot.domain.passage import Hit
from bot.domain.rounded import Rounded, question

MOST_BYTES = 2_000
"""Bytes of a description that are embedded; most are much shorter."""

BEYOND_CHANCE = 1.5
"""Spreads beyond chance below which a description has nothing to do with what is sought."""

_ALWAYS = datetime(2000, 1, 1, tzinfo=UTC)
"""Descriptions have no age, so each has the same time."""

_GAPS = re.compile(r"[-_\s]+|(?<=[a-z0-9])(?=[A-Z])")
"""Places between the words of a name."""


@dataclass(frozen=True, slots=True)
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
    return Described(name, first_bytes(text, MOST_BYTES))


def key_of(model: str, text: str) -> str:
    """Returns the name under which the vector of a text is kept; each model has its own."""
    return sha256(f"{model}\n{text}".encode("utf-8", "replace")).hexdigest()


def nearest(
    asked: Vector, noise: Noise, shelf: Shelf, vectors: Mapping[str, Rounded], most: int
) -> Sequence[Hit]:
    """Returns the things that mean what is asked, the best first.

    It takes some 10 µs for each thing with 384 numbers, so it belongs into a thread.
    """
    wanted, chance = question(asked), noise.chance(asked)
    hits = list[Hit]()
    for thing in shelf.things:
        held = vectors.get(thing.text)
        if held is None or len(held.held) != len(wanted.numbers):
            continue
        near = wanted.nearness(held)
        if (score := noise.beyond(near, chance)) >= BEYOND_CHANCE:
            hits.append(Hit(thing.name, score, min(max(near, 0.0), 1.0), _ALWAYS))
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:most]


def fused(by_words: Sequence[str], by_meaning: Sequence[Hit]) -> list[str]:
    """Returns the names that either search found, the best first, as the memory joins them.

    Both count the same; what both found comes before the rest.
    """
    words = [Hit(name, 1 / (n + 1), 0.0, _ALWAYS) for n, name in enumerate(by_words)]
    return [found.id for found in together(words, by_meaning, _ALWAYS)]
