"""Finds the places of skills: the folders below some roots that hold a SKILL.md."""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bot.adapters.markdown_folder import Stamp, look_at
from bot.domain.value import frozen

NAME = "SKILL.md"

NOTHING = f"there is no {NAME} in it, nor in the folders below"
"""The fault of a folder in which no skill is found."""

DEEPEST = 6
"""The most levels of folders below a root: enough for a clone of a repository of plugins."""

MOST_FOLDERS = 20_000
"""The most folders without a SKILL.md that are searched below one root."""

_SKIPPED = frozenset({"node_modules", "venv", "site-packages"})
_FRESH = 3_000_000_000
"""Nanoseconds after a change in which a further change may leave the folder's time the same."""


@frozen
class Spot:
    """A place with a skill, or without the expected one; `below` leads to it from the folder `top`.

    `top` lies directly in a root, and no part of the skill may be outside of `top`. `fault` says
    why there is no skill.
    """

    root: int
    top: str
    below: str
    stamp: Stamp
    fault: str = ""

    @property
    def folder(self) -> str:
        return f"{self.top}/{self.below}" if self.below else self.top

    @property
    def file(self) -> str:
        return f"{self.folder}/{NAME}"

    @property
    def rank(self) -> tuple[int, str]:
        """Returns the order within a root: less deep places first, then by path."""
        return self.below.count("/") + bool(self.below), self.folder


@frozen
class _Listing:
    """A folder's entries at one moment: folders, links to folders, and a misspelt file."""

    changed: int
    folders: tuple[str, ...]
    links: tuple[str, ...]
    holds: bool
    misspelt: str


class SkillTree:
    """Searches roots again and again; lists only folders that have changed."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = [str(root) for root in roots]
        self._listings: dict[str, _Listing] = {}
        self._skills: set[str] = set()

    def look(self) -> Mapping[str, Spot]:
        """Returns all places by the path of their file, earlier roots first; blocks."""
        before, self._listings = self._listings, {}
        skills, self._skills = self._skills, set()
        spots: dict[str, Spot] = {}
        for number, root in enumerate(self._roots):
            walk = _Walk(number, before, skills)
            for spot in sorted(walk.spots(root), key=_rank):
                spots[spot.file] = spot
            self._listings |= walk.listings
            self._skills |= walk.skills
        return spots


class _Walk:
    """One walk through a root; the next walk starts with its `listings` and `skills`."""

    def __init__(self, root: int, before: Mapping[str, _Listing], skills: set[str]) -> None:
        self._root = root
        self._before = before
        self._known = skills
        self.listings: dict[str, _Listing] = {}
        self.skills: set[str] = set()

    def spots(self, root: str) -> Iterator[Spot]:
        listing = self._listing(root)
        for name in listing.folders if listing is not None else ():
            found = list(self._below(f"{root}/{name}"))
            yield from found or [self._spot(f"{root}/{name}", "", None, self._nothing(root, name))]
        for name in listing.links if listing is not None else ():
            top = f"{root}/{name}"
            leads = os.path.isdir(top) and not _holds(top, root)  # a text
            found = list(self._below(top)) if leads else []
            nowhere = "it is a link that leads to no skill, or to a folder that this one is in"
            yield from found or [self._spot(top, "", None, nowhere)]

    def _nothing(self, root: str, name: str) -> str:
        listing = self.listings.get(f"{root}/{name}")
        if listing is not None and listing.misspelt:
            return f"the file is called {listing.misspelt}: rename {listing.misspelt} to {NAME}"
        return NOTHING

    def _below(self, top: str) -> Iterator[Spot]:
        """Yields the skills in a folder of the root and below it; no skill contains another."""
        todo = [""]
        while todo and len(self.listings) < MOST_FOLDERS:
            below = todo.pop()
            folder = f"{top}/{below}" if below else top
            file = f"{folder}/{NAME}"
            # A folder that held a skill at the last look usually still holds it.
            stamp = look_at(file) if folder in self._known else None
            listing = self._listing(folder) if stamp is None else None
            if stamp is not None or (listing is not None and listing.holds):
                self.skills.add(folder)
                yield self._spot(top, below, stamp or look_at(file))
            elif listing is not None:
                if listing.misspelt and below:
                    told = f"rename {listing.misspelt} to {NAME}"
                    told = f"the file is called {listing.misspelt}: {told}"
                    yield self._spot(top, below, None, told)
                if below.count("/") + bool(below) + 1 < DEEPEST:
                    inner = (f"{below}/{name}" if below else name for name in listing.folders)
                    todo.extend(reversed(list(inner)))
        if todo:
            told = f"not all of its folders were looked into: there are more than {MOST_FOLDERS}"
            yield self._spot(top, "", None, told)

    def _spot(self, top: str, below: str, stamp: Stamp, fault: str = "") -> Spot:
        return Spot(self._root, top, below, stamp, fault)

    def _listing(self, folder: str) -> _Listing | None:
        """Returns the entries of a folder, from the last look if the folder has not changed."""
        try:
            changed = os.stat(folder).st_mtime_ns  # thousands of texts
            found = self._before.get(folder)
            if found is None or found.changed != changed:
                found = _listed(folder, changed)
        except OSError:
            return None
        self.listings[folder] = found
        return found


def _listed(folder: str, changed: int) -> _Listing:
    folders: list[str] = []
    links: list[str] = []
    holds, misspelt = False, ""
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if name == NAME:
                holds = True
            elif name.lower() == NAME.lower():
                misspelt = name
            elif name.startswith((".", "_")) or name in _SKIPPED:
                continue
            elif entry.is_symlink():
                links.append(name)
            elif entry.is_dir(follow_symlinks=False):
                folders.append(name)
    settled = time.time_ns() - changed > _FRESH
    return _Listing(
        changed if settled else 0, tuple(sorted(folders)), tuple(sorted(links)), holds, misspelt
    )


def _holds(link: str, root: str) -> bool:
    """Returns True when a link leads to a folder around the root: skills would be found twice."""
    return Path(os.path.realpath(root)).is_relative_to(os.path.realpath(link))


def _rank(spot: Spot) -> tuple[int, str]:
    return spot.rank
