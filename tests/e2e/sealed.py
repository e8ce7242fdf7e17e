"""Sealing the files of a database, so that no process can write them, as on a read-only disk."""

import fcntl
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.lacking import missing

_GET, _SET = 0x80086601, 0x40086602
_IMMUTABLE = 0x10


@contextmanager
def sealed(folder: Path) -> Iterator[None]:
    """Has every write to the folder and its database refused, also by descriptors that are open.

    The memory that SQLite shares by a file stays as it is: a disk that the system makes read-only
    takes no write to a file, and ends nobody for a write to memory.
    """
    places = [folder, folder / "steward.db", folder / "steward.db-wal"]
    try:
        for place in places:
            _seal(place, shut=True)
    except OSError as fault:
        _open(places)
        missing(f"files cannot be made immutable ({fault.strerror})", "run as root on ext4 or xfs")
    try:
        yield
    finally:
        _open(places)


def _open(places: list[Path]) -> None:
    for place in places:
        if place.exists():
            _seal(place, shut=False)


def _seal(place: Path, *, shut: bool) -> None:
    descriptor = os.open(place, os.O_RDONLY)
    try:
        (flags,) = struct.unpack("l", fcntl.ioctl(descriptor, _GET, struct.pack("l", 0)))
        if shut is not bool(flags & _IMMUTABLE):
            fcntl.ioctl(descriptor, _SET, struct.pack("l", flags ^ _IMMUTABLE))
    finally:
        os.close(descriptor)
