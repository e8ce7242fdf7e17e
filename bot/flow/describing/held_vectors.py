"""The vectors of descriptions in memory, and what they are measured by."""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress

from bot.domain.memory.described import nearest
from bot.domain.memory.meaning import STRANGE_TEXTS, Noise, Vector, noise
from bot.domain.memory.passage import Hit
from bot.domain.memory.rounded import Rounded, read_bytes
from bot.domain.talk.errors import OtherSize
from bot.domain.tools.shelf import Shelf

_MOST_HITS = 30


class HeldVectors:
    """Knows the vectors of texts by the texts themselves.

    All have one size. A text that the embedder refuses has none, and is not missing either.
    """

    def __init__(self) -> None:
        self._vectors: dict[str, Rounded] = {}
        self._refused: set[str] = set()
        self._noise: Noise | None = None
        self.size = 0

    @property
    def texts(self) -> Collection[str]:
        return self._vectors.keys() | self._refused

    def can_search(self, shelf: Shelf) -> bool:
        return self._noise is not None and any(
            thing.text in self._vectors for thing in shelf.things
        )

    def missing(self, texts: Iterable[str]) -> list[str]:
        known = self.texts
        return [text for text in texts if text not in known]

    async def nearest(self, asked: Vector, shelf: Shelf) -> Sequence[Hit]:
        """Returns what means the same, the best first; raises OtherSize."""
        measured = self._noise
        if measured is None or len(asked) != self.size:
            raise OtherSize(f"the embedder's vectors have {len(asked):,} numbers now")
        vectors = self._vectors
        return await asyncio.to_thread(nearest, asked, measured, shelf, vectors, _MOST_HITS)

    async def put(self, kept: Mapping[str, bytes]) -> None:
        """Takes in vectors by their texts; those of another size than the first stay missing."""
        whole = {text: held for text, held in kept.items() if held}
        self._refused |= kept.keys() - whole.keys()
        if whole and not self.size:
            self.size = len(next(iter(whole.values())))
        fitting = {text: held for text, held in whole.items() if len(held) == self.size}
        self._vectors = self._vectors | await asyncio.to_thread(_read, fitting)
        strange = [self._vectors[text] for text in STRANGE_TEXTS if text in self._vectors]
        if self._noise is None and len(strange) == len(STRANGE_TEXTS):
            self._noise = await asyncio.to_thread(lambda: noise([one.numbers for one in strange]))

    def keep_only(self, texts: Collection[str]) -> None:
        self._vectors = {text: held for text, held in self._vectors.items() if text in texts}
        self._refused &= set(texts)

    def start_anew(self, size: int) -> None:
        """Forgets all vectors; the next ones have this size."""
        self._vectors, self._refused, self._noise = {}, set(), None
        self.size = size


def _read(kept: Mapping[str, bytes]) -> dict[str, Rounded]:
    found = dict[str, Rounded]()
    for text, held in kept.items():
        with suppress(ValueError):
            found[text] = read_bytes(held)
    return found
