"""Keeps files that people give to the page until their turn reads them."""

import asyncio
import os
import re
import secrets
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bot.adapters.web.update import Uploaded
from bot.domain.talk.errors import FileWithheld
from bot.domain.talk.file_name import safe_name
from bot.domain.talk.message import Attachment

if TYPE_CHECKING:
    # The library is loaded with the page.
    from starlette.datastructures import UploadFile

_HANDLE = re.compile(r"[0-9a-f]{32}")
_DAYS = 2
"""Days after which a file is removed that nobody fetched."""

_MOST_KEPT = 512 * 1024 * 1024
"""Bytes of all files that wait."""

_PIECE = 256 * 1024
_SIGNS = {b"\x89PNG\r\n\x1a\n": 0, b"\xff\xd8\xff": 0, b"GIF8": 0, b"WEBP": 8}
"""The first bytes of pictures, each with its place."""


class NoRoom(Exception):
    """The files that wait take all the room that they may take."""


class Uploads:
    """A folder of the home; also the way by which a turn fetches the files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def keep(self, file: "UploadFile") -> Uploaded:
        """Stores a file under a name of our own; raises NoRoom."""
        handle = secrets.token_hex(16)
        size = await asyncio.to_thread(self._keep, file, handle)
        picture = await asyncio.to_thread(self._is_picture, handle)
        name = safe_name(file.filename or "", "photo" if picture else "file")
        return Uploaded(handle, name, size, picture)

    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        """Returns a file; raises FileWithheld for one that was removed."""
        if _HANDLE.fullmatch(attachment.handle) is None:
            raise FileWithheld("is no file of this page")
        try:
            data = await asyncio.to_thread(_read, self._folder / attachment.handle, most + 1)
        except OSError:
            raise FileWithheld("was kept for two days, and is gone") from None
        if len(data) > most:
            raise FileWithheld(f"has more than {most:,} bytes")
        return data

    def _keep(self, file: "UploadFile", handle: str) -> int:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._clear()
        size = 0
        with os.fdopen(
            os.open(self._folder / handle, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb"
        ) as kept:
            file.file.seek(0)
            while piece := file.file.read(_PIECE):
                kept.write(piece)
                size += len(piece)
            kept.flush()
            # A message is stored for good, and so is its file.
            os.fsync(kept.fileno())
        return size

    def _clear(self) -> None:
        oldest, total = time.time() - _DAYS * 86_400, 0
        for path in self._folder.iterdir():
            told = path.stat()
            if told.st_mtime < oldest:
                path.unlink(missing_ok=True)
            else:
                total += told.st_size
        if total > _MOST_KEPT:
            raise NoRoom

    def _is_picture(self, handle: str) -> bool:
        head = _read(self._folder / handle, 16)
        return any(head[at : at + len(sign)] == sign for sign, at in _SIGNS.items())


def _read(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        return file.read(most)
