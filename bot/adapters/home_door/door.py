"""The door itself: it lets visitors of the same user in, a bounded number of them."""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

from bot.adapters.home_door.frames import (
    LARGEST_REQUEST,
    PROTOCOL,
    BrokenFrame,
    Frame,
    next_frame,
)
from bot.adapters.home_door.place import Unsafe, is_ours, listening, remove
from bot.adapters.home_door.visit import Visit

_LOG = logging.getLogger(__name__)

HELLO_SECONDS = 5.0
"""Seconds in which a visitor says what it is."""

MOST_VISITORS = 64
"""Visitors at a time; one more is told to come later."""

Receive: TypeAlias = Callable[[Visit], Awaitable[None]]
"""Looks after one visitor until it leaves."""


class Door:
    """Listens in a home; each visitor that says hello in our version is handed to `receive`."""

    def __init__(self, home: Path, version: str, receive: Receive) -> None:
        self._home = home
        self._version = version
        self._receive = receive
        self._visits: set[asyncio.Task[None]] = set()

    async def keep_open(self) -> None:
        """Keeps the door open until cancelled; a door that cannot be opened is told in the log."""
        try:
            place = listening(self._home)
        except (OSError, Unsafe) as fault:
            _LOG.warning("no terminal can come in: %s", fault)
            await asyncio.Event().wait()
            return
        server = await asyncio.start_unix_server(self._let_in, sock=place, limit=LARGEST_REQUEST)
        try:
            await asyncio.Event().wait()
        finally:
            server.close()
            remove(self._home)
            for visit in self._visits:
                visit.cancel()
            await asyncio.gather(*self._visits, return_exceptions=True)

    def _let_in(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._met(reader, writer), name="visit")
        self._visits.add(task)
        task.add_done_callback(self._over)

    def _over(self, visit: asyncio.Task[None]) -> None:
        """Logs a fault of a visit, which ends no other one."""
        self._visits.discard(visit)
        if not visit.cancelled() and (fault := visit.exception()) is not None:
            _LOG.error("a visit failed", exc_info=fault)

    async def _met(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection: socket.socket = writer.get_extra_info("socket")
        if not is_ours(connection):
            _LOG.warning("a process of another user came to the door, and was sent away")
            writer.transport.abort()
            return
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                hello = await next_frame(reader)
        except (BrokenFrame, TimeoutError):
            hello = None
        if hello is None:
            writer.transport.abort()
            return
        visit = Visit(hello, reader, writer)
        writing = asyncio.create_task(visit.run(), name="visit writes")
        try:
            refusal = self._refusal(hello)
            if refusal:
                await visit.refuse(refusal)
            else:
                await self._receive(visit)
        finally:
            visit.cut_off()
            writing.cancel()

    def _refusal(self, hello: Frame) -> str:
        """Returns why a visitor cannot come in; empty where it can."""
        if hello.get("do") != "hello" or hello.get("protocol") != PROTOCOL:
            return f"The running Steward is version {self._version}. Restart it, then try again."
        if hello.get("version") != self._version:
            return (
                f"The running Steward is version {self._version}, and this command is version "
                f"{str(hello.get('version'))[:40]}. Restart the running one, then try again."
            )
        if len(self._visits) > MOST_VISITORS:
            return f"{MOST_VISITORS} terminals are open already. Close one, then try again."
        return ""
