"""Looks at the files of a command that only reads: does it stay within the workspace, and quiet?

Whatever is not known to be harmless is False: then the command asks. All of it blocks.
"""

import os
import re
import stat
from contextlib import suppress
from pathlib import Path

from bot.domain.consent.command_line import Reads
from bot.domain.consent.command_line.programs import names
from bot.domain.consent.secret_names import is_secret
from bot.domain.value import frozen

_MOST_ENTRIES = 20_000
"""Entries below the folders of one command; with more of them it asks."""

_HEAD = re.compile(r"(ref: refs/[!-~]+|[0-9a-f]{40}|[0-9a-f]{64})\n?")
_SECTION = re.compile(r'\[([a-z]+)(?: "[^"\\\[\]]+")?\]', re.IGNORECASE)
_SETTING = re.compile(r"([a-z][a-z0-9-]*)\s*=\s*([^\\]*)", re.IGNORECASE)
_HARMLESS = {
    "core": names(
        "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode "
        "symlinks autocrlf eol safecrlf quotepath"
    ),
    "remote": names("url pushurl fetch push tagopt prune"),
    "branch": names("remote merge rebase pushremote description"),
    "user": names("name email"),
    "pull": names("rebase ff"),
    "push": names("default autosetupremote"),
    "init": names("defaultbranch"),
    "color": names("ui"),
}
"""The settings of a repository that name no program and no place; with any other one git asks."""

_LARGEST_CONFIG = 64_000
_LARGEST_INDEX = 64_000_000
_REPOSITORY_IN_INDEX = b"\x00\x00\xe0\x00"
"""The mode of a repository within a repository, whose own settings git would obey."""

_NOT_IN_GIT = names("config.worktree commondir gitdir modules")
_NOT_IN_OBJECTS = ("info/alternates", "info/http-alternates")


@frozen
class Bounds:
    """The folder of commands, and the folders in it whose files are not the person's own."""

    workspace: Path
    foreign: tuple[Path, ...] = ()

    def hold(self, reads: Reads) -> bool:
        """Returns True when every path of a command is known to be harmless to read."""
        try:
            root = os.path.realpath(self.workspace)
            if reads.repository and not _is_plain_repository(Path(root)):
                return False
            return all(self._holds(path, reads, root) for path in reads.paths)
        except (OSError, ValueError):
            return False

    def _holds(self, path: str, reads: Reads, root: str) -> bool:
        inside = self._inside(path, root)
        if inside is None or is_secret(inside):
            return False
        given = f"{root}/{inside}"
        real = os.path.realpath(given)
        if not _lies_in(real, root) or is_secret(os.path.relpath(real, root)):
            return False
        if not os.path.lexists(given):
            return True  # a pattern, or a name that is not there
        if any(_lies_in(real, one) for one in self._closed()):
            return False
        found = Path(real).stat()
        if stat.S_ISDIR(found.st_mode):
            return not reads.below or self._holds_below(real, reads, root)
        return stat.S_ISREG(found.st_mode) and found.st_nlink == 1

    def _inside(self, path: str, root: str) -> str | None:
        """Returns the path below the workspace; None where it may lead out by its words."""
        for base in (str(self.workspace), root):
            if path == base or path.startswith(f"{base}/"):
                path = path[len(base) :].lstrip("/") or "."
                break
        odd = not path or path.startswith(("/", "~")) or ".." in path.split("/")
        return None if odd or not path.isprintable() else path

    def _closed(self) -> list[str]:
        return [os.path.realpath(one) for one in self.foreign]

    def _holds_below(self, folder: str, reads: Reads, root: str) -> bool:
        """Returns True when all that lies below a folder may be told."""
        if any(_lies_in(one, folder) for one in self._closed()):
            return False
        left, folders = _MOST_ENTRIES, [folder]
        while folders:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    left -= 1
                    if left < 0 or not _may_be_met(entry, reads, root):
                        return False
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
        return True


def _may_be_met(entry: os.DirEntry[str], reads: Reads, root: str) -> bool:
    if entry.is_symlink():
        real = os.path.realpath(entry.path)
        inside = _lies_in(real, root) and not is_secret(os.path.relpath(real, root))
        return inside or not reads.follows
    if not reads.contents:
        return True
    if is_secret(os.path.relpath(entry.path, root)):
        return False
    if entry.is_dir(follow_symlinks=False):
        return True
    found = entry.stat(follow_symlinks=False)
    return stat.S_ISREG(found.st_mode) and found.st_nlink == 1


def _lies_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _is_plain_repository(root: Path) -> bool:
    """Returns True where git finds a repository of which no setting names a program or a place."""
    git = root / ".git"
    if not stat.S_ISDIR(git.lstat().st_mode):
        return False
    with os.scandir(git) as entries:
        names_in = {entry.name: entry for entry in entries}
    if any(entry.is_symlink() for entry in names_in.values()) or _NOT_IN_GIT & names_in.keys():
        return False
    if any(name.startswith("sharedindex") for name in names_in):
        return False
    if not all((git / name).is_dir() for name in ("objects", "refs")):
        return False  # git would look for another repository
    if any(os.path.lexists(git / "objects" / name) for name in _NOT_IN_OBJECTS):
        return False
    head = _read(git / "HEAD", _LARGEST_CONFIG).decode("ascii")
    config = _read(git / "config", _LARGEST_CONFIG).decode()
    index = b""
    with suppress(FileNotFoundError):
        index = _read(git / "index", _LARGEST_INDEX)
    plain = _REPOSITORY_IN_INDEX not in index and _HEAD.fullmatch(head) is not None
    return plain and _is_harmless(config)


def _read(file: Path, most: int) -> bytes:
    found = file.lstat()
    if not stat.S_ISREG(found.st_mode) or found.st_size > most:
        raise ValueError("it is no plain file of a repository")
    return file.read_bytes()


def _is_harmless(config: str) -> bool:
    """Returns True when each line of the settings is one that is known, in its plainest form."""
    section: frozenset[str] = frozenset()
    for whole in config.split("\n"):
        line = whole.strip(" \t\r")
        if not line or line[0] in "#;":
            continue
        if (opened := _SECTION.fullmatch(line)) is not None:
            section = _HARMLESS.get(opened[1].lower(), frozenset())
            continue
        setting = _SETTING.fullmatch(line)
        if setting is None or setting[1].lower() not in section or not line.isprintable():
            return False
    return True
