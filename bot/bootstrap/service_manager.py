"""Tells systemd, or an update that waits, that the program is ready, works, and ends."""

import asyncio
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from bot.bootstrap.door_form import Inside
from bot.doctor import Check, Finding
from bot.settings import Settings

SERVES = "Serves"
"""Beginning of the status of a program that every platform has answered."""

_LOOK_SECONDS = 0.1
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
        with _connected(address) as manager:
            try:
                _tell(manager, "READY=1")
                async with asyncio.TaskGroup() as group:
                    group.create_task(_tell_served(manager, inside))
                    group.create_task(self._watched(manager))
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


def is_service() -> bool:
    """Returns True when systemd, or an update, started the program and reads what it says."""
    return bool(os.environ.get(_SOCKET))


def tell_status(told: str) -> None:
    """Tells one line about a start that takes its time."""
    if address := os.environ.get(_SOCKET, ""):
        with _connected(address) as manager:
            _tell(manager, f"STATUS={told}")


async def _tell_served(manager: socket.socket, inside: Inside) -> None:
    """Says once that every platform has answered."""
    while True:
        if all(reached() for reached in inside.reached.values()):
            _tell(manager, f"STATUS={SERVES} {', '.join(inside.reached)}.")
            return
        await asyncio.sleep(_LOOK_SECONDS)


@contextmanager
def _connected(address: str) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.setblocking(False)
        with suppress(OSError):  # A manager that has gone asks for nothing.
            # A name that begins with @ is one that no file has.
            manager.connect("\0" + address[1:] if address[0] == "@" else address)
        yield manager


def _tell(manager: socket.socket, state: str) -> None:
    with suppress(OSError):
        manager.send(state.encode())
