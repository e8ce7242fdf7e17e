"""Reads `persona.md`, and reads it again when it changes."""

import asyncio
import logging
import os
import stat
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

from bot.ports.clock import Clock

_LOG = logging.getLogger(__name__)

LOOK_SECONDS = 2.0
"""Seconds between two looks at the file."""

_Look: TypeAlias = tuple[int, int, int] | None


class PersonaFile:
    """The port `Persona`, from a file of which at most `most` bytes are read.

    As an async context manager it reads the file, and watches it until it is left.
    """

    def __init__(self, path: Path, most: int, clock: Clock) -> None:
        self._path = path
        self._most = most
        self._clock = clock
        self._seen: _Look = None
        self._words = ""
        self._fault = ""
        self._task: asyncio.Task[None] | None = None

    @property
    def words(self) -> str:
        return self._words

    @property
    def fault(self) -> str:
        return self._fault

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self._load)
        self._task = asyncio.create_task(self._watch(), name="persona")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _watch(self) -> None:
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            if await asyncio.to_thread(self._look) != self._seen:
                await asyncio.to_thread(self._load)
                _LOG.info("the persona changed: %d characters", len(self._words))

    def _look(self) -> _Look:
        try:
            found = self._path.stat()
        except (OSError, ValueError):
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _load(self) -> None:
        self._seen, fault = self._look(), ""
        try:
            words, fault = self._read()
        except FileNotFoundError:
            words = ""
        except OSError as error:
            words, fault = "", f"{self._path.name} cannot be read: {error.strerror}"
        if fault and fault != self._fault:
            _LOG.warning("%s", fault)
        self._words, self._fault = words, fault

    def _read(self) -> tuple[str, str]:
        """Returns the words, and what is wrong with the file."""
        # Opening a pipe without this flag waits until somebody writes into it.
        descriptor = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return "", f"{self._path.name} is not a file"
            data = os.read(descriptor, self._most + 1)
        finally:
            os.close(descriptor)
        if b"\0" in data:
            return "", f"{self._path.name} is not a text"
        cut = len(data) > self._most
        text = data[: self._most].decode("utf-8-sig", "ignore" if cut else "replace")
        told = f"{self._path.name} has more than {self._most} bytes: only the first are read"
        return text.strip(), told if cut else ""
