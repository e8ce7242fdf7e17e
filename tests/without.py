"""Hiding programs from the tests: STEWARD_TEST_WITHOUT="bwrap node" shows a machine without them.

A hidden program stands where it stood, but nothing can start it: /dev/null lies over it, for the
tests and all that they start. The machine itself is left as it is.
"""

import ctypes
import os
import shutil
from pathlib import Path

import pytest

_NEW_MOUNTS, _NEW_USER = 0x00020000, 0x10000000
_BIND, _ALL_PRIVATE, _READ_ONLY_AGAIN = 0x1000, 0x4000 | 0x40000, 0x1 | 0x20
_DETACH = 0x2
_FOLDERS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
SERVERS = Path("/usr/lib/postgresql")
"""Where Debian keeps the programs of PostgreSQL's server, each version in a folder."""
_SETTING = "STEWARD_TEST_WITHOUT"


def pytest_configure() -> None:
    # The workers of a run see what it sees, and no test sees the setting.
    names = os.environ.pop(_SETTING, "").split()
    places = {place for name in names for place in _places(name)}
    if not places:
        return
    try:
        part_from_the_machine()
        for place in places:
            _mount("/dev/null", place, _BIND)
    except OSError as fault:
        pytest.exit(f"{_SETTING}: {' '.join(names)} cannot be hidden here: {fault}", 2)


def _places(name: str) -> set[Path]:
    folders = {*os.environ["PATH"].split(os.pathsep), *_FOLDERS.split(":")}
    found = [shutil.which(name, path=folder) for folder in folders if folder]
    servers = SERVERS.glob(f"*/bin/{name}")
    return {Path(path).resolve() for path in (*found, *servers) if path is not None}


def part_from_the_machine() -> None:
    """Gives this process mounts of its own; anyone but root needs a user namespace for that."""
    user, group = os.geteuid(), os.getegid()
    _done(_C.unshare(_NEW_MOUNTS if user == 0 else _NEW_MOUNTS | _NEW_USER))
    if user != 0:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    _mount("none", Path("/"), _ALL_PRIVATE)


def mount_read_only(folder: Path) -> None:
    """Lets nobody who has the mounts of this process write below a folder."""
    _mount(str(folder), folder, _BIND)
    _mount("none", folder, _BIND | _READ_ONLY_AGAIN)


def mount_disk(folder: Path, size: int) -> None:
    """Lays a disk of so many bytes over a folder, for this process and all that it starts."""
    part_from_the_machine()
    kind = b"tmpfs"
    _done(_C.mount(kind, bytes(folder), kind, ctypes.c_ulong(0), f"size={size}".encode()))


def unmount(folder: Path) -> None:
    """Takes away what lies over a folder, as soon as nobody uses it any more."""
    _done(_C.umount2(bytes(folder), _DETACH))


def _mount(source: str, target: Path, flags: int) -> None:
    _done(_C.mount(source.encode(), bytes(target), None, ctypes.c_ulong(flags), None))


def _done(code: int) -> None:
    if code != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


_C = ctypes.CDLL(None, use_errno=True)
