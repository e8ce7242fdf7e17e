"""Keeps files that people give to the page until their turn reads them."""

import asyncio
import os
import re
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from bot.adapters.web.update import Uploaded
from bot.domain.talk.errors import FileWithheld
from bot.domain.talk.file_name import safe_name
from bot.domain.talk.message import Attachment

if TYPE_CHECKING:
    # The library is loaded with the page.
    from starlette.datastructures import UploadFile

Stored = Callable[[Collection[str]], Awaitable[Collection[str]]]
"""Returns those of these keys of updates whose words are still kept."""

_HANDLE = re.compile(r"(web:[0-9]{1,20}~[A-Za-z0-9_-]{8,64})~[0-9]{1,2}")
_DAYS = 2
"""Days after which a file is removed that nobody fetched."""

_COMING_SECONDS = 600
"""Seconds in which the message of a file must have been stored."""

_MOST_KEPT, _MOST_OF_ONE = 1024 * 1024 * 1024, 128 * 1024 * 1024
"""Bytes of all files that wait, and of those of one person."""

_MOST_FILES, _MOST_FILES_OF_ONE = 10_000, 1_000
"""Their numbers: each costs a look when another one comes, however small it is."""

_MOST_COMING = 16
"""Messages of one person whose files are being stored; each one holds its files in memory."""

_PIECE = 256 * 1024
_SIGNS = {b"\x89PNG\r\n\x1a\n": 0, b"\xff\xd8\xff": 0, b"GIF8": 0, b"WEBP": 8}
"""The first bytes of pictures, each with its place."""


class NoRoom(Exception):
    """The files that wait take all the room that they may take."""


class TooManyAtOnce(Exception):
    """The files of many messages of one person come at the same time."""


class Uploads:
    """A folder of the home; also the way by which a turn fetches the files.

    The name of a file is the key of its message, so a form that comes twice keeps it once, and it
    goes with the words of its message.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._keeping = WeakValueDictionary[str, asyncio.Lock]()
        self._coming = Counter[str]()

    async def keep(self, file: "UploadFile", key: str, number: int) -> Uploaded:
        """Stores a file of an update; raises NoRoom or TooManyAtOnce.

        One at a time for each person: a disk takes a while, and others want the same threads.
        """
        handle, whose = f"{key.replace('/', '~')}~{number}", key.partition("/")[0]
        if self._coming[whose] >= _MOST_COMING:
            raise TooManyAtOnce
        self._coming[whose] += 1
        try:
            async with self._keeping.setdefault(whose, asyncio.Lock()):
                size, picture = await asyncio.to_thread(self._kept, file, handle)
        finally:
            self._coming[whose] -= 1
            if not self._coming[whose]:
                del self._coming[whose]
        name = safe_name(file.filename or "", "photo" if picture else "file")
        return Uploaded(str(self._folder / handle), name, size, picture)

    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        """Returns a file; raises FileWithheld for one that was removed."""
        place = self._place(attachment)
        if place is None:
            raise FileWithheld("is no file of this page")
        try:
            data = await asyncio.to_thread(_read, place, most + 1)
        except OSError:
            raise FileWithheld("was kept for two days, and is gone") from None
        if len(data) > most:
            raise FileWithheld(f"has more than {most:,} bytes")
        return data

    def place_of(self, attachment: Attachment) -> Path | None:
        """Returns the place of a file that is kept yet; None for any other."""
        place = self._place(attachment)
        return place if place is not None and place.is_file() else None

    def _place(self, attachment: Attachment) -> Path | None:
        """Returns where a file of a page lies: in this home, or in that of the process it went to.

        A home may lie elsewhere since, such as one that was restored, so this one comes first.
        """
        there = Path(attachment.handle)
        if _HANDLE.fullmatch(there.name) is None:
            return None
        here = self._folder / there.name
        elsewhere = there.is_absolute() and there.parent.name == self._folder.name
        return there if elsewhere and not here.is_file() else here

    async def sweep(self, stored: Stored) -> None:
        """Removes the files whose messages were erased or never stored, and old ones."""
        files = await asyncio.to_thread(self._files)
        if not files:
            return
        found = {path: _HANDLE.fullmatch(path.name) for path, _, _ in files}
        keys = {path: match[1].replace("~", "/", 1) for path, match in found.items() if match}
        kept, now = await stored(sorted({*keys.values()})), time.time()
        gone = [
            path
            for path, at, _ in files
            if at < now - _DAYS * 86_400
            or (at < now - _COMING_SECONDS and keys.get(path) not in kept)
        ]
        await asyncio.to_thread(_remove, gone)

    def _kept(self, file: "UploadFile", handle: str) -> tuple[int, bool]:
        """Stores a file; returns its size, and if it is a picture."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        account = handle.partition("~")[0]
        every = {path.name: size for path, _, size in self._files()}
        own = [size for name, size in every.items() if name.startswith(f"{account}~")]
        if len(own) >= _MOST_FILES_OF_ONE or sum(own) > _MOST_OF_ONE:
            raise NoRoom
        if len(every) >= _MOST_FILES or sum(every.values()) > _MOST_KEPT:
            raise NoRoom
        coming, whole = self._folder / f"{secrets.token_hex(8)}.part", self._folder / handle
        with os.fdopen(os.open(coming, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as kept:
            file.file.seek(0)
            while piece := file.file.read(_PIECE):
                kept.write(piece)
            kept.flush()
            # A message is stored for good, and so is its file.
            os.fsync(kept.fileno())
        try:
            # What came first under this name stays, as its message does.
            os.link(coming, whole)
        except FileExistsError:
            pass
        finally:
            coming.unlink()
        return whole.stat().st_size, self._is_picture(handle)

    def _files(self) -> list[tuple[Path, float, int]]:
        """Returns the files with the times since which they are kept, and their sizes."""
        return list(_looked_at(self._folder)) if self._folder.is_dir() else []

    def _is_picture(self, handle: str) -> bool:
        head = _read(self._folder / handle, 16)
        return any(head[at : at + len(sign)] == sign for sign, at in _SIGNS.items())


def _looked_at(folder: Path) -> Iterator[tuple[Path, float, int]]:
    for path in folder.iterdir():
        try:
            told = path.stat()
        except FileNotFoundError:
            continue
        yield path, told.st_mtime, told.st_size


def _remove(paths: Collection[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _read(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        return file.read(most)
