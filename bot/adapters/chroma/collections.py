"""Collections of an index: on a server, or each in a folder of its own."""

import fcntl
import json
import os
import shutil
import sqlite3
import tempfile
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast

from chromadb import HttpClient, PersistentClient
from chromadb.api import ClientAPI
from chromadb.api.models.Collection import Collection
from chromadb.config import Settings
from chromadb.errors import NotFoundError

from bot.adapters.chroma.faults import Away, Lost
from bot.domain.value import frozen

__all__ = ["Collection", "Collections", "OnServer", "SeparateFolders"]

_QUIET = Settings(anonymized_telemetry=False)
_HOW = {"hnsw": {"space": "cosine", "ef_search": 200}}
"""The graph looks at twice as many as by default: it then finds what is alone more often."""

_MADE = "made-2"
"""Says that an index was made. It names the shape: another version makes its index anew."""

_NAME = "vectors"
_OPEN = 16
"""Folders that are open at once; each takes 5 MB, and ten files."""

_LOCK_SECONDS = 0.2
_COPIES = 3
"""Attempts to copy a folder that another process writes into."""


class Collections(Protocol):
    """The collections of one index, by owner.

    An owner has one collection. While it is written anew there is a second one, of the next
    generation, which counts once it is whole.
    """

    def open(self, name: str) -> bool:
        """Returns True when this index was made; then what a death left half written is gone."""
        ...

    def make(self, name: str) -> None:
        """Makes an empty index, and removes every other one of this program."""
        ...

    @property
    def owners(self) -> Sequence[str]: ...

    def of(self, owner: str) -> Collection | None:
        """Returns the collection of an owner; raises Lost when it has gone."""
        ...

    def add(self, owner: str) -> Collection: ...

    def begin_anew(self, owner: str) -> bool:
        """Makes an empty collection for what stays of an owner's; False if that is not needed."""
        ...

    def anew(self, owner: str) -> Collection:
        """Returns that collection."""
        ...

    def take(self, owner: str) -> None:
        """Lets the new collection of an owner, which is whole, take the place of the old one."""
        ...

    def drop(self, owner: str) -> None: ...


class OnServer:
    """Collections called `<program>-<index>-<owner>`; the server decides when it overwrites."""

    def __init__(self, asked: Mapping[str, Any]) -> None:
        host, port, headers = asked["host"], asked["port"], asked["headers"]
        self._client: ClientAPI = HttpClient(host, port, asked["ssl"], headers, _QUIET)
        self._program: str = asked["program"]
        self._prefix = ""
        self._held: dict[str, Collection] = {}

    @property
    def owners(self) -> Sequence[str]:
        return list(self._held)

    def open(self, name: str) -> bool:
        self._prefix = f"{self._program}-{name}-"
        found = {each.name: each for each in self._client.list_collections()}
        mark = f"{self._prefix}{_MADE}"
        self._held = {
            each.removeprefix(self._prefix): collection
            for each, collection in found.items()
            if each.startswith(self._prefix) and each != mark
        }
        return mark in found

    def make(self, name: str) -> None:
        for each in self._client.list_collections():
            if each.name.startswith(f"{self._program}-"):
                self._drop(each.name)
        self._prefix, self._held = f"{self._program}-{name}-", {}
        _made(self._client, f"{self._prefix}{_MADE}")

    def of(self, owner: str) -> Collection | None:
        return self._held.get(owner)

    def add(self, owner: str) -> Collection:
        made = self._held[owner] = _made(self._client, f"{self._prefix}{owner}")
        return made

    def begin_anew(self, owner: str) -> bool:
        del owner
        return False

    def anew(self, owner: str) -> Collection:
        return self._held[owner]

    def take(self, owner: str) -> None:
        del owner

    def drop(self, owner: str) -> None:
        self._drop(self._held.pop(owner).name)

    def _drop(self, name: str) -> None:
        with suppress(NotFoundError):
            self._client.delete_collection(name)


@frozen
class _Opened:
    client: ClientAPI
    collection: Collection


@dataclass(slots=True)
class SeparateFolders:
    """A folder of Chroma for each collection: `<folder>/<index>/<owner>-<generation>`.

    Chroma marks vectors as deleted and leaves their bytes on the disk. So what stays is written
    anew into another folder, and the old one is removed with all that Chroma keeps in it.
    """

    folder: Path
    _place: Path = Path()
    _made: tuple[int, int] = (0, 0)
    """Tells the file of this index from another one of its name."""
    _generations: dict[str, int] = field(default_factory=dict[str, int])
    _opened: OrderedDict[Path, _Opened] = field(default_factory=OrderedDict[Path, _Opened])

    @property
    def owners(self) -> Sequence[str]:
        return list(self._generations)

    def open(self, name: str) -> bool:
        self._place = self.folder / name
        try:
            self._generations = json.loads(self._place.joinpath(_MADE).read_bytes())
        except FileNotFoundError:
            return False
        self._made = self._now()
        kept = {self._at(owner) for owner in self._generations}
        for place in self._place.iterdir():
            if place.is_dir() and place not in kept:
                shutil.rmtree(place, ignore_errors=True)
        return all(place.is_dir() for place in kept)

    def make(self, name: str) -> None:
        for place in list(self._opened):
            self._close(place)
        shutil.rmtree(self.folder, ignore_errors=True)
        self._place = self.folder / name
        self._place.mkdir(mode=0o700, parents=True)
        self._note({})

    def of(self, owner: str) -> Collection | None:
        if self._made != self._now():
            raise Lost("the folder of the index was deleted")
        return self._in(self._at(owner)) if owner in self._generations else None

    def add(self, owner: str) -> Collection:
        made = self._in(self._place / f"{owner}-0")
        self._note(self._generations | {owner: 0})
        return made

    def begin_anew(self, owner: str) -> bool:
        self._remove(self._at(owner, later=1))
        self.anew(owner)
        return True

    def anew(self, owner: str) -> Collection:
        return self._in(self._at(owner, later=1))

    def take(self, owner: str) -> None:
        old = self._at(owner)
        self._note(self._generations | {owner: self._generations[owner] + 1})
        self._remove(old)

    def drop(self, owner: str) -> None:
        places = [self._at(owner, later) for later in (0, 1)]
        self._note({one: at for one, at in self._generations.items() if one != owner})
        for place in places:
            self._remove(place)

    def _at(self, owner: str, later: int = 0) -> Path:
        return self._place / f"{owner}-{self._generations[owner] + later}"

    def _note(self, generations: dict[str, int]) -> None:
        """Writes down which folders count; all others are what a death left."""
        half = self._place / "half"
        with half.open("wb") as file:
            file.write(json.dumps(generations).encode())
            file.flush()
            os.fsync(file.fileno())
        half.replace(self._place / _MADE)
        self._generations, self._made = generations, self._now()

    def _now(self) -> tuple[int, int]:
        try:
            found = self._place.joinpath(_MADE).stat()
        except FileNotFoundError:
            return 0, 0
        return found.st_dev, found.st_ino

    def _in(self, place: Path) -> Collection:
        """Opens a folder, and closes the one that was used least lately if there are too many."""
        if place not in self._opened:
            place.mkdir(mode=0o700, exist_ok=True)
            client = PersistentClient(place, _QUIET)
            self._opened[place] = _Opened(client, _made(client, _NAME))
            while len(self._opened) > _OPEN:
                self._close(next(iter(self._opened)))
        self._opened.move_to_end(place)
        return self._opened[place].collection

    def _remove(self, place: Path) -> None:
        self._close(place)
        shutil.rmtree(place, ignore_errors=True)

    def _close(self, place: Path) -> None:
        opened = self._opened.pop(place, None)
        if opened is not None:
            cast(Any, opened.client).close()


def _made(client: ClientAPI, name: str) -> Collection:
    return client.get_or_create_collection(
        name, configuration=cast(Any, _HOW), embedding_function=None
    )


def kept_for_us(folder: Path) -> int:
    """Keeps other processes away, which would write into the same folder; returns the lock."""
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
            return lock


def copied(folder: Path) -> "tempfile.TemporaryDirectory[str]":
    """Returns a copy for one look; the process that owns the folder goes on with it."""
    if not folder.is_dir():
        raise Away("there is no index of meaning yet")
    for _ in range(_COPIES):
        place = tempfile.TemporaryDirectory(prefix="steward-meaning-")
        # Between the look and the copy the other process may drop a file.
        try:
            _copy(folder, Path(place.name))
        except (OSError, sqlite3.Error):
            place.cleanup()
        else:
            return place
    raise Away("the index of meaning is being written")


def _copy(folder: Path, copy: Path) -> None:
    """Copies an index that another process may be writing into."""
    databases = "*.sqlite3"
    ignored = shutil.ignore_patterns(f"{databases}*")
    shutil.copytree(folder, copy, ignore=ignored, dirs_exist_ok=True)
    for file in folder.rglob(databases):
        # Its bytes alone may lack half of a transaction.
        with (
            closing(sqlite3.connect(file, timeout=5)) as there,
            closing(sqlite3.connect(copy / file.relative_to(folder))) as here,
        ):
            there.backup(here)
