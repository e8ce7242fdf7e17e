"""Reads the file of an import: JSON Lines, or an export of ChatGPT or Claude, zipped or not."""

import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TextIO

from bot.domain.memory.imported import LONGEST_LINE, BrokenLine, Read, read_export, read_lines
from bot.domain.talk.errors import SettingError

_LARGEST = 500_000_000
"""Bytes of an export that is read as a whole; of a zipped one, when it is unpacked."""

_ZIPPED = b"PK"
_TALKS = re.compile(r"conversations(-[0-9]+)?\.json")
"""The entries of an export that hold conversations; a large export has several."""

_LOCKED = 0x1
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError)


def read_file(file: Path) -> Iterator[Read]:
    """Reads a file by its first signs: an archive, the list of an export, or JSON Lines."""
    try:
        with file.open("rb") as signs:
            zipped = signs.read(len(_ZIPPED)) == _ZIPPED
        yield from _unzipped(file) if zipped else _plain(file)
    except OSError as fault:
        raise SettingError(f"{file} cannot be read: {fault.strerror or fault}.") from fault
    except RecursionError:
        raise SettingError(f"{file} cannot be read: it is nested too deeply.") from None
    except ValueError as fault:
        raise SettingError(f"{file} cannot be read: {fault}.") from None


def _plain(file: Path) -> Iterator[Read]:
    with file.open(encoding="utf-8-sig", errors="replace") as lines:
        first = next((sign for sign in iter(lambda: lines.read(1), "") if sign.strip()), "")
        lines.seek(0)
        if first != "[":
            yield from read_lines(_bounded(lines))
            return
        if file.stat().st_size > _LARGEST:
            raise SettingError(f"{file} is larger than 500 MB: split it first.")
        yield from read_export(lines.read())


def _bounded(lines: TextIO) -> Iterator[str]:
    """Yields lines, of a line without an end no more than shows that it is too long."""
    while line := lines.readline(LONGEST_LINE):
        rest = line
        while len(rest) == LONGEST_LINE and not rest.endswith("\n"):
            rest = lines.readline(LONGEST_LINE)
        yield line


def _unzipped(file: Path) -> Iterator[Read]:
    """Reads the conversations of an archive in memory; nothing of it is written anywhere."""
    left = _LARGEST
    for name, data in _talks(file):
        # The size that an archive tells of itself is not trusted.
        left -= len(data)
        if left < 0:
            raise SettingError(f"{file} is larger than 500 MB when it is unpacked: split it first.")
        for one in read_export(data.decode("utf-8-sig", errors="replace")):
            broken = isinstance(one, BrokenLine)
            yield replace(one, why=f"{name}: {one.why}") if broken else one


def _talks(file: Path) -> Iterator[tuple[str, bytes]]:
    """Yields the name and the bytes of each entry with conversations, at most one byte too many."""
    try:
        with zipfile.ZipFile(file) as archive:
            files = [entry for entry in archive.infolist() if not entry.is_dir()]
            named = [(PurePosixPath(entry.filename).name, entry) for entry in files]
            found = sorted(
                (one for one in named if _TALKS.fullmatch(one[0])), key=lambda one: one[0]
            )
            if not found:
                raise ValueError("it is an archive without conversations.json")
            for name, entry in found:
                if entry.flag_bits & _LOCKED:
                    raise ValueError("it is locked by a password")
                with archive.open(entry) as unpacked:
                    yield name, unpacked.read(_LARGEST + 1)
    except _DAMAGED as fault:
        raise ValueError("it is a damaged archive") from fault
