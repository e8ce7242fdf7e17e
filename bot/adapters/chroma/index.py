"""The index of meaning inside the child: one collection of Chroma for each owner of passages.

A condition on the owner would make each search look at all of an owner's rows: 60 ms among 20,000
where a collection of their own takes 2 ms. It also lets nobody's search reach what is another's.
"""

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import numpy
from chromadb.errors import NotFoundError
from numpy.typing import NDArray

from bot.adapters.chroma.collections import (
    Collection,
    Collections,
    OnServer,
    SeparateFolders,
    copied,
    kept_for_us,
)
from bot.adapters.chroma.faults import Away, Lost

Answer: TypeAlias = tuple[Mapping[str, Any], bytes]
Vectors: TypeAlias = NDArray[numpy.float32]
"""One vector in each row."""

_AT_ONCE = 200
"""Vectors that are written with one call; a search waits for no more than that."""

_PROBE = "probe"
"""The id of a vector that is known beforehand: a damaged collection does not hold or find it."""

_CHECKED_SECONDS = 3.0
"""Seconds in which collections are looked through when an index is opened."""

_SELF = 0.01
"""The distance that a vector may seem to have from itself."""


class Index:
    """Answers the requests of the index; it is opened by the first one."""

    def __init__(self) -> None:
        self._collections: Collections | None = None
        self._on_server = False
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        self._lock: int | None = None
        self._moved: dict[str, int] = {}
        """Counts the vectors of an owner that are written anew, while that is under way."""

    def work(self, asked: Mapping[str, Any], numbers: bytes) -> Answer:
        """Carries out one request; what goes wrong on a server is no damage of the index."""
        try:
            return self._work(asked, numbers)
        except (Lost, Away):
            raise
        except NotFoundError as fault:
            raise Lost(str(fault)) from None
        except Exception as fault:
            if asked.get("host") or self._on_server:
                why = " ".join(str(fault).split())[:200]
                raise Away(f"the index server failed ({why or type(fault).__name__})") from None
            raise

    def _work(self, asked: Mapping[str, Any], numbers: bytes) -> Answer:
        match asked["do"]:
            case "reach":
                self._connected(asked)
            case "open":
                return {"there": self._open(asked)}, b""
            case "make":
                self._moved = {}
                self._connected(asked).make(asked["name"])
            case "put":
                self._put(asked["whose"], asked["numbers"], numbers)
            case "remove":
                self._remove(asked["whose"], asked["numbers"])
            case "move":
                return {"done": self._move(asked["whose"])}, b""
            case "nearest":
                return self._nearest(asked["whose"], asked["limit"], numbers)
            case "owners":
                return {"owners": self._there.owners}, b""
            case "held":
                return {"ids": self._held(asked["whose"], asked["after"])}, b""
        return {}, b""

    def _open(self, asked: Mapping[str, Any]) -> bool:
        """Returns True when the index is there and sound, as far as time allows to look."""
        self._moved = {}
        if not self._connected(asked).open(asked["name"]):
            return False
        ends = time.monotonic() + _CHECKED_SECONDS
        with suppress(Lost):
            for each in self._each():
                if time.monotonic() > ends:
                    break
                _check(each)
            return True
        return False

    def _connected(self, asked: Mapping[str, Any]) -> Collections:
        if self._collections is None:
            self._collections = self._reached(asked)
        return self._collections

    def _reached(self, asked: Mapping[str, Any]) -> Collections:
        if not asked.get("folder"):
            self._on_server = True
            return OnServer(asked)
        folder = Path(asked["folder"])
        if asked.get("look"):
            self._copy = copied(folder)  # It goes when this process ends.
            return SeparateFolders(Path(self._copy.name))
        self._lock = kept_for_us(folder)
        folder.mkdir(mode=0o700, exist_ok=True)
        return SeparateFolders(folder)

    @property
    def _there(self) -> Collections:
        if self._collections is None:
            raise Lost("the index is not open")
        return self._collections

    def _each(self) -> Iterator[Collection]:
        for owner in self._there.owners:
            collection = self._there.of(owner)
            if collection is not None:
                yield collection

    def _put(self, whose: str, numbers: Sequence[int], held: bytes) -> None:
        vectors = _vectors(held, len(numbers))
        collection = self._there.of(whose)
        if collection is None:
            collection = self._there.add(whose)
        if not collection.count():
            _write(collection, [_PROBE], _probe(len(vectors[0])))
        _write(collection, [str(number) for number in numbers], vectors)

    def _remove(self, whose: str, numbers: Sequence[int]) -> None:
        """Takes vectors out of the search at once; `move` gets them off the disk."""
        collection = self._there.of(whose)
        if collection is None:
            return
        for n in range(0, len(numbers), _AT_ONCE):
            collection.delete(ids=[str(number) for number in numbers[n : n + _AT_ONCE]])
        self._moved.pop(whose, None)
        if collection.count() <= 1:
            self._there.drop(whose)
        elif self._there.begin_anew(whose):
            self._moved[whose] = 0

    def _move(self, whose: str) -> bool:
        """Writes some of the vectors that stay into the next generation; True when it is done."""
        old = self._there.of(whose)
        if whose not in self._moved or old is None:
            return True
        some = old.get(limit=_AT_ONCE, offset=self._moved[whose], include=["embeddings"])
        if some["ids"]:
            _write(self._there.anew(whose), some["ids"], numpy.asarray(some["embeddings"]))
            self._moved[whose] += len(some["ids"])
            return False
        del self._moved[whose]
        self._there.take(whose)
        return True

    def _held(self, whose: str, after: int) -> Sequence[str]:
        """Returns the ids of some vectors, each of which was read; the probe is among them."""
        collection = self._there.of(whose)
        if collection is None:
            return []
        some = collection.get(limit=_AT_ONCE, offset=after, include=["embeddings"])
        vectors = numpy.asarray(some["embeddings"])
        lengths = numpy.linalg.norm(vectors, axis=1) if some["ids"] else vectors
        if len(vectors) != len(some["ids"]) or not numpy.allclose(lengths, 1, atol=_SELF):
            raise Lost("vectors are damaged")
        return some["ids"]

    def _nearest(self, whose: str, limit: int, held: bytes) -> Answer:
        collection = self._there.of(whose)
        if collection is None:
            return {"found": []}, b""
        # One more, as the probe may be among them.
        found = [
            each for each in _near(collection, _vectors(held, 1), limit + 1) if each[0] != _PROBE
        ]
        return {"found": [(int(id), near) for id, near in found[:limit]]}, b""


def _vectors(held: bytes, count: int) -> Vectors:
    return numpy.frombuffer(held, numpy.float32).reshape(count, -1)


def _write(collection: Collection, ids: list[str], vectors: Vectors) -> None:
    collection.upsert(ids=ids, embeddings=vectors)


def _near(collection: Collection, asked: Vectors, limit: int) -> Sequence[tuple[str, float]]:
    """Returns the ids of the nearest with their nearness, as Chroma measures it."""
    found = collection.query(query_embeddings=asked, n_results=limit, include=["distances"])
    pairs = zip(found["ids"][0], (found["distances"] or [[]])[0], strict=True)
    return [(id, 1.0 - float(far)) for id, far in pairs]


def _probe(size: int) -> Vectors:
    """Returns a vector of length 1 that no embedder makes."""
    return numpy.resize(numpy.array([1, 1, -1, -1], numpy.float32), (1, size)) / size**0.5


def _check(collection: Collection) -> None:
    """Raises Lost unless the probe is held as it was made, and a search finds it."""
    if not collection.count():
        return  # A death came before the first vectors; they are still owed.
    held = collection.get(ids=[_PROBE], include=["embeddings"])["embeddings"]
    if held is None or not len(held):
        raise Lost("vectors are missing")
    probe = _probe(len(held[0]))
    if not numpy.allclose(numpy.asarray(held), probe, atol=_SELF):
        raise Lost("vectors are damaged")
    if not any(id == _PROBE and near > 1 - _SELF for id, near in _near(collection, probe, 1)):
        raise Lost("vectors are damaged")
