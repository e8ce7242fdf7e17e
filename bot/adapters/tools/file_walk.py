"""Walks through a workspace without following links, within bounds of number and time."""

import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import cache

from bot.adapters.tools.ignored import IgnoreRules
from bot.adapters.tools.workspace import Workspace
from bot.domain.talk.errors import ToolFailure
from bot.domain.value import frozen

LEFT_OUT = frozenset((".git", ".venv", "node_modules", "__pycache__"))
"""Folders that a walk does not enter unless it starts in them."""

_DEEPEST = 40
_TOLD = 5
"""Entries left out by a rule that are named to the caller."""


@frozen
class Found:
    """An entry of a folder: its path from the workspace, its kind, its size in bytes."""

    names: tuple[str, ...]
    mode: int
    size: int
    changed_ns: int = 0
    """The time at which the system last changed it, which no program can choose."""

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)

    @property
    def is_file(self) -> bool:
        return stat.S_ISREG(self.mode)


class Walk:
    """Yields the entries below a folder by name; `cut` is True when a bound ended the walk.

    With `rules`, what they leave out is not yielded; `ignored` are the first few such entries.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        most: int,
        seconds: float,
        heed: Callable[[], None],
        left_out: frozenset[str] = LEFT_OUT,
        rules: IgnoreRules | None = None,
    ) -> None:
        self._left_out = left_out
        self._rules = rules
        self._workspace = workspace
        self._left = most
        self._until = time.monotonic() + seconds
        self._heed = heed
        self.cut = False
        self.ignored: list[Found] = []

    def below(self, names: Sequence[str], depth: int = _DEEPEST) -> Iterator[Found]:
        """Yields entries down to `depth` levels; a folder that vanishes counts as empty."""
        top = tuple(names)
        rules = self._rules.at(top) if self._rules is not None else None
        pending: list[tuple[tuple[str, ...], int, IgnoreRules | None]] = [(top, depth, rules)]
        while pending and not self.cut:
            folder, levels, rules = pending.pop()
            entries = self._entries(folder, top=folder == top)
            rules = rules.within(folder) if rules is not None else None
            if rules is not None:
                entries = self._kept(entries, rules)
            yield from entries
            if levels > 1:
                inner = (e for e in reversed(entries) if e.is_folder)
                pending += [
                    (e.names, levels - 1, rules) for e in inner if e.names[-1] not in self._left_out
                ]

    def _kept(self, entries: Sequence[Found], rules: IgnoreRules) -> list[Found]:
        kept: list[Found] = []
        for entry in entries:
            if self.spent():
                break
            if not rules.ignores(entry.names, folder=entry.is_folder):
                kept.append(entry)
            elif len(self.ignored) < _TOLD:
                self.ignored.append(entry)
        return kept

    def spent(self) -> bool:
        """Returns True once the time is over; raises CallerGone when the caller has gone."""
        self._heed()
        if self._left <= 0 or time.monotonic() > self._until:
            self.cut = True
        return self.cut

    def _entries(self, folder: tuple[str, ...], *, top: bool) -> list[Found]:
        try:
            with self._workspace.folder(folder) as descriptor, os.scandir(descriptor) as listing:
                return sorted(self._taken(folder, listing), key=lambda entry: entry.names)
        except ToolFailure:
            if top:
                raise
            return []

    def _taken(
        self, folder: tuple[str, ...], listing: Iterator["os.DirEntry[str]"]
    ) -> Iterator[Found]:
        for entry in listing:
            if self.spent():
                return
            self._left -= 1
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                names = (*folder, entry.name)
                yield Found(names, status.st_mode, status.st_size, status.st_ctime_ns)


def glob_matches(names: Sequence[str], pattern: Sequence[str]) -> bool:
    """Compares the steps of a path with a pattern; `**` stands for any number of steps."""

    @cache
    def rest(name: int, part: int) -> bool:
        if part == len(pattern):
            return name == len(names)
        if pattern[part] == "**":
            return rest(name, part + 1) or (name < len(names) and rest(name + 1, part))
        return (
            name < len(names)
            and fnmatchcase(names[name], pattern[part])
            and rest(name + 1, part + 1)
        )

    return rest(0, 0)
