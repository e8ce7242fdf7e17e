"""Reads files of strangers, each in a process with little time and memory that may not write."""

import asyncio
import json
import signal

from bot.adapters.child_process import answer_of
from bot.adapters.media.kind import Kind, kind_of
from bot.adapters.media.unread import Unread
from bot.domain.talk.limits import ReadingBounds
from bot.domain.text.storable import storable
from bot.domain.turn.transcript import ImagePart
from bot.ports.attachments import DocumentText, NotRead, Reading


class MediaReader:
    """The ports `Reader` and `PageReader`; this process parses no part of a file."""

    def __init__(self, bounds: ReadingBounds) -> None:
        self._bounds = bounds
        self._room = asyncio.Semaphore(self._bounds.at_once)

    async def read(self, data: bytes, name: str) -> Reading:
        try:
            kind = kind_of(data, name)
            async with self._room:
                return await self._read(kind, data)
        except Unread as fault:
            return NotRead(str(fault))

    async def read_page(self, data: bytes, address: str, charset: str) -> Reading:
        try:
            async with self._room:
                return await self._read(Kind.PAGE, data, address, charset)
        except Unread as fault:
            return NotRead(str(fault))

    async def _read(self, kind: Kind, data: bytes, *about: str) -> Reading:
        code, written = await self._child(kind, data, *about)
        if code in (-signal.SIGXCPU, -signal.SIGKILL):
            raise Unread(f"is {kind.one} that takes too long to be read")
        if code != 0:
            raise Unread(f"is a damaged {kind}")
        match json.loads(written):
            case {"media_type": str(media_type), "data": str(picture)}:
                return ImagePart(media_type, picture)
            case {"text": str(text), "note": str(note), "kind": str(found)}:
                return DocumentText(storable(text), storable(note), found)
            case {"why": str(why)}:
                raise Unread(why)
            case _:
                raise Unread(f"is a damaged {kind}")

    async def _child(self, kind: Kind, data: bytes, *about: str) -> tuple[int, bytes]:
        """Returns the child's exit code, negative for a signal, and its output."""
        try:
            async with asyncio.timeout(self._bounds.seconds):
                return await answer_of(
                    "bot.adapters.media.child",
                    *(kind, str(self._bounds.memory), str(self._bounds.cpu_seconds)),
                    *(part.replace("\0", "") for part in about),
                    asked=data,
                )
        except TimeoutError:
            raise Unread(f"is {kind.one} that takes too long to be read") from None
