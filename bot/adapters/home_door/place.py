"""The place of the door: a socket file in the home, for the user of the program alone."""

import os
import socket
import stat
import struct
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

NAME = "door"
_LONGEST = 100
"""Bytes of a path that every system takes as the address of a socket; Linux takes 107."""

_WAITING = 64
_OPEN_TO_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class Unsafe(Exception):
    """The folder or the file of the door may belong to somebody else; its text says why."""


def listening(home: Path) -> socket.socket:
    """Returns a socket that listens at the door of a home; raises Unsafe and OSError.

    Only the holder of the home's lock may call this: it replaces what a dead process left behind.
    """
    check_folder(home)
    door = home / NAME
    with suppress(FileNotFoundError):
        mode = door.lstat().st_mode
        # A link is removed, and what it leads to stays as it is.
        if not (stat.S_ISSOCK(mode) or stat.S_ISLNK(mode)):
            raise Unsafe(f"{door} is not a socket")
        door.unlink()
    server = socket.socket(socket.AF_UNIX)
    try:
        with _short(door) as address:
            server.bind(address)
        # Nobody can come in before it listens, so the rights are there before anybody looks.
        door.chmod(0o600)
        server.listen(_WAITING)
        server.setblocking(False)
    except BaseException:
        server.close()
        raise
    return server


def remove(home: Path) -> None:
    """Takes the file of the door away; only the holder of the home's lock may call this."""
    with suppress(OSError):
        (home / NAME).unlink()


def connected(home: Path, seconds: float) -> socket.socket | None:
    """Returns a connection to the program of a home; None where none listens. Raises Unsafe."""
    door = home / NAME
    try:
        mode = door.lstat().st_mode
    except OSError:
        return None
    check_folder(home)
    if not stat.S_ISSOCK(mode):
        raise Unsafe(f"{door} is not a socket")
    caller = socket.socket(socket.AF_UNIX)
    caller.settimeout(seconds)
    try:
        with _short(door) as address:
            caller.connect(address)
    except (ConnectionError, FileNotFoundError):
        caller.close()
        return None
    except BaseException:
        caller.close()
        raise
    if not is_ours(caller):
        caller.close()
        raise Unsafe(f"another user listens at {door}")
    caller.setblocking(False)
    return caller


def check_folder(home: Path) -> None:
    """Raises Unsafe where another user could put a door of their own into the home."""
    about = home.stat()
    if about.st_uid != os.geteuid():
        raise Unsafe(f"{home} belongs to another user")
    if about.st_mode & _OPEN_TO_OTHERS:
        raise Unsafe(f"other users can write in {home}: chmod go-w {home}")


def is_ours(connection: socket.socket) -> bool:
    """Returns True when the process at the other end runs as the user of this one."""
    return _user_at(connection) == os.geteuid()


def _user_at(connection: socket.socket) -> int:
    if sys.platform == "darwin":
        # LOCAL_PEERCRED of SOL_LOCAL, which is what getpeereid asks: a version, then the user.
        return struct.unpack("2I", connection.getsockopt(0, 1, 76)[:8])[1]
    size = struct.calcsize("3i")
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    return struct.unpack("3i", told)[1]


@contextmanager
def _short(door: Path) -> Generator[str]:
    """Yields an address of the door that a socket takes, however long its path is."""
    if len(os.fsencode(door)) <= _LONGEST:
        yield str(door)
        return
    with tempfile.TemporaryDirectory(prefix="st-") as folder:
        link = Path(folder) / "h"
        link.symlink_to(door.parent)
        try:
            yield str(link / NAME)
        finally:
            link.unlink()
