"""Tells systemd that the program is ready, works, and ends."""

import asyncio
import os
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress

from bot.bootstrap.door_form import Inside
from bot.doctor import Check, Finding
from bot.settings import Settings

_SOCKET = "NOTIFY_SOCKET"
_MICROSECONDS = "WATCHDOG_USEC"


class ServiceManagerForm:
    """The socket of systemd's `Type=notify`; the watchdog is fed by the event loop itself.

    If the loop is held for longer than `WatchdogSec=`, systemd starts the program again.
    """

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._environ = environ

    async def keep_open(self, settings: Settings, inside: Inside) -> None:
        address = self._environ.get(_SOCKET, "")
        if not address:
            return
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.setblocking(False)
            with suppress(OSError):  # A manager that has gone asks for nothing.
                # A name that begins with @ is one that no file has.
                manager.connect("\0" + address[1:] if address[0] == "@" else address)
            try:
                _tell(manager, "READY=1")
                await self._watched(manager)
            finally:
                _tell(manager, "STOPPING=1")

    def checks(self, settings: Settings) -> Sequence[Check | Finding]:
        return ()

    async def _watched(self, manager: socket.socket) -> None:
        given = self._environ.get(_MICROSECONDS, "")
        if not given.isdecimal() or int(given) == 0:
            await asyncio.Event().wait()
        while True:
            _tell(manager, "WATCHDOG=1")
            await asyncio.sleep(int(given) / 3_000_000)


def _tell(manager: socket.socket, state: str) -> None:
    with suppress(OSError):
        manager.send(state.encode())
