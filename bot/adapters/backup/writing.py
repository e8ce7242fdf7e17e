"""Writes a backup: one compressed archive, beside its place until it is whole."""

import errno
import gzip
import hashlib
import io
import os
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from bot.adapters.backup.manifest import NAME, Member, link_member
from bot.adapters.backup.tree import LeftOut, walked

_LEVEL = 3
"""A third of the time of the usual level, for a tenth more bytes."""


class _Measured(io.RawIOBase):
    """Gives exactly as many bytes as were told, and their digest: a file may change meanwhile."""

    def __init__(self, source: BinaryIO, size: int) -> None:
        self._source = source
        self._left = size
        self._digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        wanted = self._left if size < 0 else min(size, self._left)
        found = self._source.read(wanted)
        # What was cut off meanwhile is filled up, as the head has told the size already.
        found += bytes(wanted - len(found))
        self._left -= wanted
        self._digest.update(found)
        return found

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()


class Archive:
    """A backup that is being written."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self.members: list[Member] = []
        self.left_out: list[LeftOut] = []

    def put(
        self, name: str, source: BinaryIO, size: int, *, mode: int = 0o600, at: int = 0
    ) -> None:
        """Adds a file of this size."""
        head = tarfile.TarInfo(name)
        head.size, head.mode, head.mtime = size, mode, at
        measured = _Measured(source, size)
        self._tar.addfile(head, measured)
        self.members.append(Member(name, size, measured.sha256))

    def put_bytes(self, name: str, content: bytes) -> None:
        self.put(name, io.BytesIO(content), len(content))

    def put_tree(self, within: str, folder: Path, leaves: Callable[[str], bool]) -> None:
        """Adds everything below a folder; links stay links, and devices are left out."""

        def leave_out(one: LeftOut) -> None:
            self.left_out.append(LeftOut(f"{within}/{one.name}", one.why))

        for part in walked(folder, leaves, leave_out):
            name = f"{within}/{part.name}"
            if part.kind == "file":
                with os.fdopen(part.file, "rb", closefd=False) as file:
                    self.put(name, file, part.size, mode=part.mode, at=part.changed)
                continue
            head = tarfile.TarInfo(name)
            head.mode, head.mtime = part.mode, part.changed
            head.type = tarfile.DIRTYPE if part.kind == "folder" else tarfile.SYMTYPE
            if part.kind == "link":
                head.linkname = part.target
                self.members.append(link_member(name, part.target))
            self._tar.addfile(head)

    def end(self, manifest: bytes) -> None:
        """Adds the manifest, which comes last."""
        self.put_bytes(NAME, manifest)


@contextmanager
def archive_at(file: Path) -> Iterator[Archive]:
    """Yields an archive that takes its place only when the block has ended well.

    Raises OSError; FileExistsError when something is there already.
    """
    _refuse_another(file)
    spare = file.with_name(f".{file.name}.{os.getpid()}.part")
    opened = os.open(spare, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(opened, "wb") as raw:
            with (
                gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0) as packed,
                tarfile.open(fileobj=packed, mode="w|", format=tarfile.PAX_FORMAT) as tar,
            ):
                yield Archive(tar)
            raw.flush()
            sync_file(raw.fileno())
        _refuse_another(file)
        spare.rename(file)
    finally:
        with suppress(FileNotFoundError):
            spare.unlink()
    sync_folder(file.parent)


def _refuse_another(file: Path) -> None:
    if os.path.lexists(file):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file))


def sync_file(opened: int) -> None:
    """Makes what was written to a file survive a power cut."""
    os.fsync(opened)


def sync_folder(folder: Path) -> None:
    """Makes the names in a folder survive a power cut."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
