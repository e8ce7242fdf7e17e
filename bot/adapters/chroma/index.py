"""The index of meaning inside the child: one collection of Chroma for each owner of passages.

A condition on the owner would make each search look at all of an owner's rows: 60 ms among 20,000
where a collection of their own takes 2 ms. It also lets nobody's search reach what is another's.

A collection is called `<program>-<index>-<owner>-<generation>`. Chroma marks vectors as deleted and
leaves their bytes on the disk, so those that stay are written into the next generation, the old one
is dropped and its file is overwritten.

In a folder Chroma holds short vectors, which find more than is asked for, and the whole ones in a
file beside it choose among those. A server holds whole vectors: its memory is not ours.
"""

import fcntl
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from operator import mul
from pathlib import Path
from typing import Any, cast

from bot.adapters.chroma import bound
from bot.adapters.chroma.collections import Client, Collection, is_missing
from bot.adapters.chroma.faults import Away, Lost
from bot.adapters.chroma.frames import unpacked
from bot.adapters.chroma.short import LENGTH, Shortener
from bot.adapters.chroma.whole_vectors import FILE, WholeVectors
from bot.domain.memory.meaning import Vector, nearness, unit

Answer = tuple[Mapping[str, Any], bytes]

_MARK, _SHORT_MARK = "mark", f"mark_short{LENGTH}"
"""Stand in the place of an owner: the collection that says that an index was made, and its shape.

An index of another shape, by another version, has another mark. So it is made anew like a lost one.
"""

_LEAST = 64
_JUDGED = ((20, 200), (200, 500))
"""Short vectors that are judged by their whole ones: one of so many, and at most so many.

The larger number holds. Among few passages, few find the nearest; each costs 6 microseconds.
"""

_AT_ONCE = 200
"""Vectors that are written with one call; a search waits for no more than that."""

_WHOLE = {"whole": 1}
_PARTIAL = {"whole": 0}
_CHECKED_SECONDS = 3.0
"""Seconds in which collections are looked through when an index is opened."""

_LOCK_SECONDS = 0.2
_COPIES = 3
"""Attempts to copy a folder that another process writes into."""

_DATABASE = "chroma.sqlite3"
_SELF = 0.01
"""The distance that a vector may seem to have from itself, and its short from its whole one."""


class Index:
    """Answers the requests of the index; it is opened by the first one."""

    def __init__(self) -> None:
        self._client: Client | None = None
        self._folder: Path | None = None
        self._wholes: WholeVectors | None = None
        self._shorteners: dict[int, Shortener] = {}
        self._prefix = ""
        self._file: tuple[int, ...] = ()
        self._held: dict[str, Collection] = {}
        self._counts: dict[str, int] = {}
        self._moving: dict[str, _Move] = {}
        self._lock: int | None = None

    def work(self, asked: Mapping[str, Any], numbers: bytes) -> Answer:
        """Carries out one request; what goes wrong on a server is no damage of the index."""
        try:
            return self._work(asked, numbers)
        except (Lost, Away):
            raise
        except Exception as fault:
            if is_missing(fault):
                raise Lost(str(fault)) from None
            if asked.get("host") or (self._client is not None and self._folder is None):
                why = " ".join(str(fault).split())[:200]
                raise Away(f"the index server failed ({why or type(fault).__name__})") from None
            raise

    def _work(self, asked: Mapping[str, Any], numbers: bytes) -> Answer:
        match asked["do"]:
            case "reach":
                self._connect(asked)
            case "open":
                return {"there": self._open(asked)}, b""
            case "make":
                self._make(asked)
            case "put":
                self._put(asked["whose"], asked["numbers"], numbers)
            case "remove":
                self._remove(asked["whose"], asked["numbers"])
            case "move":
                return {"done": self._move(asked["whose"])}, b""
            case "nearest":
                return self._nearest(asked["whose"], asked["limit"], numbers)
            case "count":
                return {"count": sum(each.count() for each in self._held.values())}, b""
        return {}, b""

    def _open(self, asked: Mapping[str, Any]) -> bool:
        """Returns True when the index is there and sound."""
        self._connect(asked)
        self._begin(asked)
        try:
            found = {each.name: each for each in self._collections()}
            self._mark_file()
            if self._mark not in found:
                return False
            self._held = self._newest(found)
            self._look_through()
        except Lost:
            return False
        return True

    def _make(self, asked: Mapping[str, Any]) -> None:
        """Makes an empty index, and removes every other one of this program."""
        if asked.get("folder"):
            # The library keeps files open for as long as a process lives.
            if self._client is not None:
                raise Away("a new index needs a new process")
            self._hold(Path(asked["folder"]))
            shutil.rmtree(asked["folder"], ignore_errors=True)
        self._connect(asked)
        for each in self._collections():
            if self._folder is not None or each.name.startswith(f"{asked['program']}-"):
                self._drop(each)
        self._begin(asked)
        self._made(self._mark, _WHOLE)
        self._mark_file()

    def _begin(self, asked: Mapping[str, Any]) -> None:
        """Forgets the index that was open before: a server's process may open another one."""
        self._prefix = f"{asked['program']}-{asked['name']}-"
        self._held, self._moving, self._counts = {}, {}, {}

    def _connect(self, asked: Mapping[str, Any]) -> None:
        if self._client is not None:
            return
        if not asked.get("folder"):
            self._client = _reached(asked)
            return
        folder = Path(asked["folder"])
        if asked.get("look"):
            folder = self._copied(folder)
        else:
            self._hold(folder)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder = folder
        self._client = bound.opened(folder)
        self._wholes = WholeVectors(folder / FILE)

    def _hold(self, folder: Path) -> None:
        """Keeps other processes away: Chroma lets only one write into a folder."""
        if self._lock is not None:
            return
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(folder.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        ends = time.monotonic() + _LOCK_SECONDS
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= ends:
                    os.close(lock)
                    raise Away("another process uses the index of meaning") from None
                time.sleep(0.02)
            else:
                self._lock = lock
                return

    def _copied(self, folder: Path) -> Path:
        """Returns a copy for one look; the process that owns the folder goes on with it."""
        if not folder.is_dir():
            raise Away("there is no index of meaning yet")
        place = tempfile.TemporaryDirectory(prefix="steward-meaning-")
        self._copy = place  # It goes when this process ends.
        for attempt in range(_COPIES):
            copy = Path(place.name) / str(attempt)
            # Between the look and the copy the other process may drop a file.
            with suppress(OSError, sqlite3.Error):
                _copy(folder, copy)
                return copy
        raise Away("the index of meaning is being written")

    def _collections(self) -> Sequence[Collection]:
        return self._there().list_collections()

    def _there(self) -> Client:
        """Returns the client; raises Lost when the folder is gone."""
        if self._client is None:
            raise Lost("the index is not open")
        if self._folder is not None and self._file and self._file != self._now():
            raise Lost("the folder of the index was deleted")
        return self._client

    def _mark_file(self) -> None:
        self._file = self._now()

    @property
    def _mark(self) -> str:
        return f"{self._prefix}{_MARK if self._wholes is None else _SHORT_MARK}"

    def _now(self) -> tuple[int, ...]:
        """Returns what tells the files of the folder from others of the same names."""
        if self._folder is None:
            return ()
        try:
            found = [(self._folder / name).stat() for name in (_DATABASE, FILE)]
        except FileNotFoundError:
            return (-1,)
        return tuple(number for one in found for number in (one.st_dev, one.st_ino))

    def _newest(self, found: Mapping[str, Collection]) -> dict[str, Collection]:
        """Returns the whole collections by owner; what a death left half written goes."""
        newest: dict[str, tuple[int, Collection]] = {}
        for name, each in found.items():
            owner, _, generation = name.removeprefix(self._prefix).rpartition("-")
            ours = name.startswith(self._prefix) and owner
            if not ours:
                continue
            number = int(generation)
            if (each.metadata or {}).get("whole") and number > newest.get(owner, (-1, each))[0]:
                newest[owner] = (number, each)
        kept = {each.name for _, each in newest.values()}
        for name, each in found.items():
            if name not in kept and name != self._mark and self._is_ours(name):
                self._drop(each)
        self._tidy()
        return {owner: each for owner, (_, each) in newest.items()}

    def _is_ours(self, name: str) -> bool:
        return self._folder is not None or name.startswith(self._prefix)

    def _look_through(self) -> None:
        """Raises Lost unless the vectors of each collection are there, as far as time allows."""
        ends = time.monotonic() + _CHECKED_SECONDS
        if self._wholes is not None:
            self._wholes.check({whose: each.count() for whose, each in self._held.items()})
        for whose, each in self._held.items():
            if time.monotonic() > ends:
                return
            if self._wholes is None:
                _finds_itself(each)
            else:
                self._agree(whose, each, self._wholes)

    def _agree(self, whose: str, collection: Collection, wholes: WholeVectors) -> None:
        """Raises Lost unless Chroma holds and finds what the whole vectors make."""
        for number in wholes.some(whose):
            short = self._short(wholes.vector(whose, number))
            some = collection.get(ids=[str(number)], include=["embeddings"])
            if not some["ids"]:
                continue  # A death came between the two; it is still owed.
            held = some["embeddings"]
            if held is None or not _is_same(held[0], short):
                raise Lost("vectors are damaged")
            # A graph does not find everything, but what it finds is as near as it says.
            ((found, near), *_) = _near(collection, short, 1) or [(number, -1.0)]
            if abs(near - nearness(short, self._short(wholes.vector(whose, found)))) > _SELF:
                raise Lost("vectors are damaged")

    def _short(self, vector: Vector) -> Vector:
        """Returns what Chroma holds of a vector."""
        if self._wholes is None:
            return list(vector)
        size = len(vector)
        if size not in self._shorteners:
            self._shorteners[size] = Shortener(size)
        return self._shorteners[size].short(unit(vector))

    def _put(self, whose: str, numbers: Sequence[int], held: bytes) -> None:
        vectors = unpacked(held, len(held) // (4 * len(numbers)))
        self._there()
        collection = self._held.get(whose)
        if collection is None:
            collection = self._held[whose] = self._made(f"{self._prefix}{whose}-0", _WHOLE)
        if self._wholes is not None:
            # First: a search passes over what has no whole vector.
            self._wholes.put(whose, zip(numbers, vectors, strict=True))
        self._counts.pop(whose, None)
        short = [self._short(vector) for vector in vectors]
        collection.upsert(ids=[str(number) for number in numbers], embeddings=short)

    def _remove(self, whose: str, numbers: Sequence[int]) -> None:
        """Takes vectors out of the search at once; `move` overwrites them on the disk."""
        self._there()
        collection = self._held.get(whose)
        if collection is None:
            return
        self._counts.pop(whose, None)
        for n in range(0, len(numbers), _AT_ONCE):
            collection.delete(ids=[str(number) for number in numbers[n : n + _AT_ONCE]])
        if self._wholes is None:
            return
        self._wholes.remove(whose, numbers)
        if not collection.count():
            self._wholes.remove_all(whose)
            self._drop(collection)
            del self._held[whose]
            self._tidy()
            return
        half = self._moving.pop(whose, None)
        if half is not None:
            self._drop(half.into)
        generation = int(collection.name.rpartition("-")[2]) + 1
        name = f"{self._prefix}{whose}-{generation}"
        self._moving[whose] = _Move(self._made(name, _PARTIAL))

    def _move(self, whose: str) -> bool:
        """Writes some of the vectors that stay into the next generation; True when it is done."""
        move, old = self._moving.get(whose), self._held.get(whose)
        self._there()
        if move is None or old is None:
            return True
        some = old.get(limit=_AT_ONCE, offset=move.done, include=["embeddings"])
        if some["ids"]:
            move.into.upsert(ids=some["ids"], embeddings=cast(Any, some["embeddings"]))
            move.done += len(some["ids"])
            return False
        move.into.modify(metadata=_WHOLE)
        del self._moving[whose]
        self._held[whose] = move.into
        self._drop(old)
        self._tidy()
        return True

    def _nearest(self, whose: str, limit: int, held: bytes) -> Answer:
        self._there()
        collection = self._held.get(whose)
        if collection is None:
            return {"found": []}, b""
        (vector,) = unpacked(held, len(held) // 4)
        if self._wholes is None:
            return {"found": _near(collection, list(vector), limit)}, b""
        if whose not in self._counts:
            self._counts[whose] = collection.count()
        most = max(_judged(self._counts[whose]), 2 * limit)
        question = unit(vector)
        numbers = [number for number, _ in _near(collection, self._short(question), most)]
        return {"found": self._wholes.near(whose, question, numbers)[:limit]}, b""

    def _made(self, name: str, metadata: Mapping[str, int]) -> Collection:
        return self._there().get_or_create_collection(
            name,
            configuration={"hnsw": {"space": "cosine"}},
            metadata=dict(metadata),
            embedding_function=None,
        )

    def _drop(self, collection: Collection) -> None:
        try:
            self._there().delete_collection(collection.name)
        except Exception as fault:
            if not is_missing(fault):
                raise

    def _tidy(self) -> None:
        """Removes what dropped collections leave behind: files, and rows that are only freed.

        It looks into Chroma's own tables, as the library has no way to ask for this.
        """
        if self._folder is None:
            return
        file = self._folder / _DATABASE
        with suppress(sqlite3.Error), closing(sqlite3.connect(file, timeout=5)) as database:
            kept = {id for (id,) in database.execute("SELECT id FROM segments")}
            for folder in self._folder.iterdir():
                if folder.is_dir() and folder.name not in kept:
                    shutil.rmtree(folder, ignore_errors=True)
            database.execute("VACUUM")


class _Move:
    """A collection that gets the vectors of another one, and how many it has."""

    def __init__(self, into: Collection) -> None:
        self.into = into
        self.done = 0


def _reached(asked: Mapping[str, Any]) -> Client:
    """Reaches a server."""
    import chromadb  # 60 MB, which a folder does not need
    from chromadb.config import Settings

    settings = Settings(anonymized_telemetry=False)
    host, port, headers = asked["host"], asked["port"], asked["headers"]
    client = chromadb.HttpClient(host, port, asked["ssl"], headers, settings)
    return cast(Client, client)


def _judged(count: int) -> int:
    """Returns how many short vectors of so many are judged by their whole ones."""
    return max(_LEAST, *(min(count // part, most) for part, most in _JUDGED))


def _near(collection: Collection, vector: Vector, limit: int) -> Sequence[tuple[int, float]]:
    """Returns the numbers of the nearest with their nearness, as Chroma measures it."""
    found = collection.query(query_embeddings=[vector], n_results=limit, include=["distances"])
    pairs = zip(found["ids"][0], (found["distances"] or [[]])[0], strict=True)
    return [(int(id), 1.0 - float(far)) for id, far in pairs]


def _finds_itself(collection: Collection) -> None:
    """Raises Lost unless a search for a vector finds it."""
    some = collection.get(limit=1, include=["embeddings"])
    held = some["embeddings"]
    if held is None or len(held) != len(some["ids"]) or not len(held):
        raise Lost("vectors are missing")
    near = _near(collection, [float(each) for each in held[0]], 1)
    if not near or not near[0][1] >= 1 - _SELF:
        raise Lost("vectors are damaged")


def _is_same(held: Sequence[float], short: Vector) -> bool:
    return len(held) == len(short) and sum(map(mul, held, short)) >= 1 - _SELF


def _copy(folder: Path, copy: Path) -> None:
    """Copies an index that another process may be writing into."""
    databases = (_DATABASE, FILE)
    ignored = shutil.ignore_patterns(*(f"{name}*" for name in databases))
    shutil.copytree(folder, copy, ignore=ignored)
    for name in databases:
        # Its bytes alone may lack half of a transaction.
        with (
            closing(sqlite3.connect(folder / name, timeout=5)) as there,
            closing(sqlite3.connect(copy / name)) as here,
        ):
            there.backup(here)
