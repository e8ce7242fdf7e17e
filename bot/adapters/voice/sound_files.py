"""Keeps recordings in files until they are delivered."""

import asyncio
import logging
import os
from collections.abc import Sequence
from pathlib import Path

_LOG = logging.getLogger(__name__)
_ENDING = ".ogg"
_PART = ".part"


class SoundFiles:
    """The port `Sounds`: one file for each turn below `folder`, there as a whole or not at all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def keep(self, turn: str, sound: bytes) -> str | None:
        path = self._path(turn)
        try:
            await asyncio.to_thread(_written, path, sound)
        except OSError as error:
            _LOG.warning("a voice note cannot be kept: %s", error.strerror)
            return None
        return str(path)

    async def kept(self, turn: str) -> tuple[str, bytes] | None:
        path = self._path(turn)
        try:
            return str(path), await asyncio.to_thread(path.read_bytes)
        except OSError:
            return None

    async def all(self) -> Sequence[str]:
        return await asyncio.to_thread(_turns, self._folder)

    async def drop(self, turn: str) -> None:
        await asyncio.to_thread(_gone, self._path(turn))

    def _path(self, turn: str) -> Path:
        return self._folder / f"{turn}{_ENDING}"


def _written(path: Path, sound: bytes) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_suffix(_PART)
    with part.open("wb") as file:
        file.write(sound)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def _turns(folder: Path) -> list[str]:
    try:
        return sorted(path.stem for path in folder.iterdir() if path.suffix == _ENDING)
    except OSError:
        return []


def _gone(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
        path.with_suffix(_PART).unlink(missing_ok=True)
    except OSError as error:
        _LOG.warning("a voice note cannot be deleted: %s", error.strerror)
