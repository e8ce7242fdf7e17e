"""Hooks in folders: the ones that come along, and the operator's own, which win."""

import logging
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path

from bot.adapters.hook_folder import front_matter
from bot.adapters.markdown_folder import Wrong, files_in, look_at, text_of
from bot.adapters.watched_files import WatchedFiles
from bot.domain.assignments.hook import BrokenHook, Hook
from bot.ports.clock import Clock
from bot.ports.hooks import HookSet

_LOG = logging.getLogger(__name__)

_LARGEST = 64_000
"""Bytes of one file."""

_MOST = 200
"""Files of one folder that are read."""


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
        return tuple((str(file), look_at(file)) for each in self._folders for file in _files(each))

    def _read(self, file: Path, folder: Path) -> Hook | BrokenHook:
        name, shown = file.stem, f"{folder.name}/{file.name}"
        try:
            text = text_of(file, folder, _LARGEST)
        except Wrong as wrong:
            return BrokenHook(name, shown, wrong.line, str(wrong))
        return front_matter.read(text, shown, name, self._environ)


def _files(folder: Path) -> Sequence[Path]:
    try:
        return files_in(folder, _MOST)
    except OSError:
        return []
