"""One visitor of the door, as the running program sees it: bounded, and never waited for long."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from typing import Any

from bot.adapters.home_door.frames import BrokenFrame, Frame, TooLarge, encoded, next_frame
from bot.domain.talk.errors import ChannelUnreachable, ContentRefused
from bot.domain.talk.message import Address, Piece, Press, Sign
from bot.ports.channel import NEW_DRAFT, DraftPlace, Links

CONFIRM_SECONDS = 15.0
"""Seconds in which a visitor confirms that a message is on its screen."""

MOST_FRAMES = 500
"""Frames that wait for a visitor; one more ends the visit."""

MOST_BYTES = 32 * 1024 * 1024

BURST, A_SECOND = 200, 50
"""Frames that a visitor may send at once, and each second afterwards."""


class Visit:
    """Sends what a channel shows to the visitor, and yields what the visitor asks.

    A visitor that does not read is cut off: what it has not confirmed stays owed, and comes again
    when it calls again.
    """

    def __init__(
        self, hello: Frame, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.hello = hello
        self._reader = reader
        self._writer = writer
        self._waiting: deque[tuple[bytes, bool]] = deque()
        self._bytes = 0
        self._there = asyncio.Event()
        self._confirms: dict[int, asyncio.Future[Any]] = {}
        self._number = 0
        self._ended = False
        self._room = float(BURST)
        self._heard = time.monotonic()

    async def run(self) -> None:
        """Writes what waits for the visitor, until the connection or the task ends."""
        try:
            while not self._ended:
                await self._there.wait()
                self._there.clear()
                while self._waiting:
                    line, _ = self._waiting.popleft()
                    self._bytes -= len(line)
                    self._writer.write(line)
                    async with asyncio.timeout(CONFIRM_SECONDS):
                        await self._writer.drain()
        except (OSError, TimeoutError):
            self.cut_off()

    async def frames(self) -> AsyncGenerator[Frame]:
        """Yields what the visitor wants, in order; answers to what we asked are taken out."""
        while not self._ended:
            try:
                frame = await next_frame(self._reader)
            except BrokenFrame:
                break
            if frame is None:
                break
            if frame.get("do") == "confirm":
                waiting = self._confirms.pop(frame.get("n", 0), None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(frame.get("id", ""))
                continue
            await self._paced()
            yield frame
        self.cut_off()

    async def _paced(self) -> None:
        now = time.monotonic()
        self._room = min(float(BURST), self._room + (now - self._heard) * A_SECOND)
        self._heard = now
        if self._room < 1:
            await asyncio.sleep((1 - self._room) / A_SECOND)
        self._room -= 1

    def say(self, frame: Frame, *, passing: bool = False) -> None:
        """Sends a frame; one in passing takes the place of another one that waits in front."""
        line = encoded(frame)
        if self._ended:
            return
        if passing and self._waiting and self._waiting[-1][1]:
            self._bytes -= len(self._waiting.pop()[0])
        self._waiting.append((line, passing))
        self._bytes += len(line)
        if len(self._waiting) > MOST_FRAMES or self._bytes > MOST_BYTES:
            self.cut_off()
        self._there.set()

    async def refuse(self, why: str) -> None:
        """Sends the visitor away with a sentence, and waits until it has gone."""
        self.say({"do": "no", "why": why})
        with suppress(TimeoutError, OSError):
            async with asyncio.timeout(CONFIRM_SECONDS):
                await self._reader.read(1)

    def cut_off(self) -> None:
        """Ends the visit; every wait for the visitor ends with it."""
        if self._ended:
            return
        self._ended = True
        self._waiting.clear()
        self._there.set()
        for waiting in self._confirms.values():
            if not waiting.done():
                waiting.set_exception(ChannelUnreachable("the terminal is gone", maybe_done=True))
                # Whoever waited may have been cancelled meanwhile.
                waiting.exception()
        self._confirms.clear()
        with suppress(OSError, RuntimeError):
            self._writer.transport.abort()

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        return await self._confirmed({"do": "send", "piece": dict(piece.body), "once": once})

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None:
        body = None if piece is None else dict(piece.body)
        await self._confirmed({"do": "edit", "id": message_id, "piece": body})

    async def mirror(self, message_id: str, version: int, piece: Piece, *, old: bool) -> None:
        """Shows a message as it stands elsewhere too; an `old` one only if it is there already."""
        frame = {"do": "mirror", "id": message_id, "version": version, "old": old}
        await self._confirmed({**frame, "piece": dict(piece.body)})

    async def draft(
        self, to: Address, text: str, links: Links = (), place: DraftPlace = NEW_DRAFT
    ) -> None:
        with suppress(TooLarge):
            self.say({"do": "draft", "text": text}, passing=True)

    async def sign(self, to: Address, sign: Sign, message_id: str | None = None) -> None:
        self.say({"do": "sign", "sign": sign.value, "id": message_id})

    async def acknowledge(
        self, press: Press, text: str, *, refused: bool = False, alone: bool = False
    ) -> None:
        self.say({"do": "acknowledge", "text": text, "refused": refused, "alone": alone})

    async def _confirmed(self, frame: Mapping[str, Any]) -> str:
        """Sends a frame and returns the id under which it is on the visitor's screen."""
        if self._ended:
            raise ChannelUnreachable("the terminal is gone", maybe_done=False)
        self._number += 1
        number = self._number
        waiting: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._confirms[number] = waiting
        try:
            self.say({**frame, "n": number})
            async with asyncio.timeout(CONFIRM_SECONDS):
                return str(await waiting)
        except TooLarge as fault:
            raise ContentRefused(f"a terminal cannot show {fault}") from fault
        except TimeoutError:
            self.cut_off()
            raise ChannelUnreachable("the terminal does not read", maybe_done=True) from None
        finally:
            self._confirms.pop(number, None)
