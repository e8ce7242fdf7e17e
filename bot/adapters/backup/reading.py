"""Reads a backup: its files are checked before any of them is believed."""

import gzip
import hashlib
import os
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

from bot.adapters.backup.manifest import NAME, Manifest, Member, link_member, read
from bot.domain.talk.errors import BackupBroken

ROOMS = ("home", "workspace")
"""The folders of a backup that are brought back as they were."""

_LARGEST = 1 << 30
_AT_ONCE = 1 << 20

Taking = Callable[[tarfile.TarInfo], BinaryIO | None]
"""Returns the place where a member is written to; None for one that is only checked."""


def examined(file: Path, taking: Taking) -> Manifest:
    """Reads a backup once from beginning to end, and returns its manifest.

    Raises BackupBroken for a file that is cut off or changed, and for names that lead elsewhere.
    """
    found: list[Member] = []
    manifest: Manifest | None = None
    known = set[str]()
    with _opened(file) as members:
        for head, source in members:
            if manifest is not None:
                raise BackupBroken("something follows its manifest")
            _check_name(head, known)
            if head.name == NAME:
                manifest = read(_whole(head, source))
            elif head.issym():
                found.append(link_member(head.name, head.linkname))
            elif head.isreg():
                found.append(_copied(head, source, taking(head)))
    if manifest is None:
        raise BackupBroken("it is cut off: its manifest is missing")
    if sorted(found, key=_name) != sorted(manifest.members, key=_name):
        raise BackupBroken(f"{_differing(found, manifest)} is not as the manifest says")
    return manifest


def one_of(file: Path, wanted: str) -> bytes:
    """Returns a small file of a backup that was examined."""
    with _opened(file) as members:
        for head, source in members:
            if head.name == wanted:
                return _whole(head, source)
    raise BackupBroken(f"it has no {wanted}")


def extracted(file: Path, places: dict[str, Path]) -> None:
    """Writes the trees of a backup that was examined; `places` are their folders.

    Links come last, so that no file is written through one.
    """
    links: list[tuple[Path, str]] = []
    folders: list[tuple[Path, int]] = []
    with _opened(file) as members:
        for head, source in members:
            room, _, rest = head.name.partition("/")
            if room not in places or not rest:
                continue
            place = places[room] / rest
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if head.isdir():
                place.mkdir(mode=0o700, exist_ok=True)
                folders.append((place, head.mode))
            elif head.issym():
                links.append((place, head.linkname))
            else:
                _written(place, head, source)
    for place, target in links:
        place.symlink_to(target)
    for place, mode in reversed(folders):
        place.chmod(mode & 0o777 | 0o700)


@contextmanager
def _opened(file: Path) -> Iterator[Iterator[tuple[tarfile.TarInfo, IO[bytes] | None]]]:
    try:
        with gzip.open(file) as packed, tarfile.open(fileobj=packed, mode="r|") as tar:
            yield ((head, tar.extractfile(head) if head.isreg() else None) for head in tar)
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BackupBroken(f"it is cut off or damaged ({error})") from None


def _check_name(head: tarfile.TarInfo, known: set[str]) -> None:
    """Refuses what would be written outside of its folder, or in the place of something else."""
    path = PurePosixPath(head.name)
    plain = not path.is_absolute() and ".." not in path.parts and str(path) == head.name
    if not plain or "\0" in head.name or head.name in known:
        raise BackupBroken(f"it has an unsafe name: {head.name[:80]!r}")
    if not (head.isreg() or head.isdir() or head.issym()):
        raise BackupBroken(f"it has something that is no file: {head.name[:80]!r}")
    if not head.isreg() and (path.parts[0] not in ROOMS or len(path.parts) == 1):
        raise BackupBroken(f"it has no file there: {head.name[:80]!r}")
    known.add(head.name)


def _whole(head: tarfile.TarInfo, source: IO[bytes] | None) -> bytes:
    if source is None or head.size > _LARGEST:
        raise BackupBroken(f"{head.name} cannot be read")
    return source.read()


def _copied(head: tarfile.TarInfo, source: IO[bytes] | None, target: BinaryIO | None) -> Member:
    digest = hashlib.sha256()
    assert source is not None
    while block := source.read(_AT_ONCE):
        digest.update(block)
        if target is not None:
            target.write(block)
    return Member(head.name, head.size, digest.hexdigest())


def _written(place: Path, head: tarfile.TarInfo, source: IO[bytes] | None) -> None:
    opened = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(opened, "wb") as file:
        _copied(head, source, file)
        os.fchmod(file.fileno(), head.mode & 0o777)
        os.fsync(file.fileno())
    with suppress(OverflowError, OSError):  # A time that the system does not know.
        os.utime(place, (head.mtime, head.mtime))


def _name(member: Member) -> str:
    return member.name


def _differing(found: list[Member], manifest: Manifest) -> str:
    odd = set(found) ^ set(manifest.members)
    return min(one.name for one in odd) if odd else "a name"
