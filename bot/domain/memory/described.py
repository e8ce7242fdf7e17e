"""Finds things by what their descriptions mean, and joins that with a search by words."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256

from bot.domain.memory.fit import together
from bot.domain.memory.meaning import Noise, Vector
from bot.domain.memory.passage import Hit
from bot.domain.memory.rounded import Rounded, question
from bot.domain.tools.shelf import Shelf

BEYOND_CHANCE = 1.5
"""Spreads beyond chance below which a description has nothing to do with what is sought."""

_ALWAYS = datetime(2000, 1, 1, tzinfo=UTC)
"""Descriptions have no age, so each has the same time."""


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
