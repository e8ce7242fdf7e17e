"""Hooks in folders: the ones that come along, and the operator's own, which win."""

import logging
import os
import stat
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path

from bot.adapters.hook_folder import front_matter
from bot.adapters.watched_files import WatchedFiles
from bot.domain.assignments.hook import BrokenHook, Hook
from bot.domain.plans.template import is_name
from bot.ports.clock import Clock
from bot.ports.hooks import HookSet

_LOG = logging.getLogger(__name__)

_LARGEST = 64_000
"""Bytes of one file."""

_MOST = 200
"""Files of one folder that are read."""

_ABOUT = "README.md"


class HookFolder(WatchedFiles):
    """The port `Hooks`; `environ` has the secrets, which `hide` keeps out of the log."""

    def __init__(
        self,
        own: Path,
        shipped: Path,
        environ: Mapping[str, str],
        clock: Clock,
        hide: Callable[..., None],
    ) -> None:
        super().__init__("hooks", clock)
        self._folders = (shipped, own)
        self._environ = environ
        self._hide = hide
        self._known: HookSet = {}

    @property
    def known(self) -> HookSet:
        return self._known

    def read(self) -> str:
        """Reads every file anew; a broken one is told in the log, and the others work."""
        known: dict[str, Hook | BrokenHook] = {}
        for folder in self._folders:
            for file in _files(folder):
                known[file.stem] = self._read(file, folder)
        before, self._known = self._known, known
        for name, found in known.items():
            if isinstance(found, BrokenHook) and before.get(name) != found:
                _LOG.warning("the hook %s cannot be used: %s", name, found)
            elif isinstance(found, Hook) and found.secret:
                self._hide(found.secret)
        return ", ".join(sorted(known)) or "none"

    def looks(self) -> Hashable:
        seen: list[tuple[str, int, int, int]] = []
        for file in (file for folder in self._folders for file in _files(folder)):
            try:
                found = file.stat()
            except OSError:
                continue
            seen.append((str(file), found.st_mtime_ns, found.st_size, found.st_ino))
        return tuple(seen)

    def _read(self, file: Path, folder: Path) -> Hook | BrokenHook:
        name, shown = file.stem, f"{folder.name}/{file.name}"
        if not is_name(name):
            why = "a file's name is lower-case letters and digits with single dashes"
            return BrokenHook(name, shown, 1, why)
        try:
            if not file.resolve().is_relative_to(folder.resolve()):
                return BrokenHook(name, shown, 1, "it is a link out of its folder")
            data = _content(file)
        except OSError as fault:
            return BrokenHook(name, shown, 1, f"it cannot be read: {fault.strerror or fault}")
        if len(data) > _LARGEST:
            return BrokenHook(name, shown, 1, f"it has more than {_LARGEST:,} bytes")
        try:
            text = data.decode()
        except UnicodeDecodeError as fault:
            line = data[: fault.start].count(b"\n") + 1
            return BrokenHook(name, shown, line, "it is no UTF-8 text")
        return front_matter.read(text, shown, name, self._environ)


def _files(folder: Path) -> Sequence[Path]:
    try:
        files = sorted(folder.glob("*.md")) if folder.is_dir() else []
    except OSError:
        return []
    return [file for file in files if file.name != _ABOUT][:_MOST]


def _content(file: Path) -> bytes:
    # Without waiting: the file may be a pipe that nobody writes to.
    with os.fdopen(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as source:
        if not stat.S_ISREG(os.fstat(source.fileno()).st_mode):
            raise OSError("it is not a regular file")
        return source.read(_LARGEST + 1)
