"""The place that the program is installed in: finds newer versions, installs one, and goes back."""

import json
import os
import shlex
import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from importlib.metadata import (
    PackageNotFoundError,
    distribution,
    distributions,
    metadata,
    requires,
)
from importlib.resources.abc import Traversable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol
from urllib.parse import unquote, urlsplit
from zipfile import BadZipFile
from zipfile import Path as ArchivePath

from packaging.requirements import Requirement
from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from bot.domain.talk.errors import SettingError
from bot.one_off.ended_command import output_of
from bot.one_off.kept_environment import KeptEnvironment, Note
from bot.one_off.newer_version import NewerVersion
from bot.setup.installing import installer
from bot.shipped import checkout
from bot.shipped.version import running_version

_RESCUE = """\
#!/bin/sh
# While `steward update` changes this checkout, this file stands in the place of the program. If the
# update was cut off, it brings the version from before back, and calls that.
set -e
if kill -0 {process} 2>/dev/null && ps -p {process} -o args= | grep -q update; then
    echo "steward: An update is under way: it is process {process}. Try again later." >&2
    exit 75
fi
echo "steward: An update was cut off. The version from before comes back." >&2
cd {0}
rm -f "$(git rev-parse --git-path index.lock)"
# New files of the newer version are known by git only there.
git reset --quiet --hard {new}
git reset --quiet --hard {old}
rm -rf {2}.part
mv {1} {2}.part
mv {2} {1}
rm -rf {2}.part
exec {1}/bin/steward "$@"
"""


class Installation(Protocol):
    """The way in which the program was installed."""

    kept: KeptEnvironment
    source: str
    """The commit of a checkout that is installed now; empty elsewhere."""

    def newest(self) -> NewerVersion | None:
        """Returns the newest version there is; None where that is the running one."""
        ...

    def prepare(self, version: NewerVersion) -> None:
        """Does what can be done beside the running one; raises SettingError."""
        ...

    def install(self, version: NewerVersion, note: Note) -> None:
        """Puts it in the place of the running one; raises SettingError."""
        ...

    def go_back(self, note: Note) -> None:
        """Puts everything as it was before."""
        ...


class Packaged:
    """An environment that pip, pipx or uv made, with the wheel in it."""

    source = ""

    def __init__(self, source: Path | None, beside: Path) -> None:
        self.kept = KeptEnvironment(Path(sys.prefix))
        self._given = source
        self._beside = beside

    @cached_property
    def _source(self) -> Path | None:
        return self._given or _came_from()

    def newest(self) -> NewerVersion | None:
        found = self._in_index() if self._source is None else _in_folder(self._source)
        return None if found is None or not is_newer(found.version) else found

    def prepare(self, version: NewerVersion) -> None:
        """Installs it into the copy: until that is whole, the running one stays as it is."""
        extras = [extra for extra in _extras() if _has(extra)]
        told = f"[{','.join(extras)}]" if extras else ""
        name, at, number = version.requirement.partition("==")
        wanted = f"{name}{told}{at}{number}"
        links = [] if self._source is None else ["--find-links", str(self._source)]
        copied = self.kept.copy / Path(sys.executable).relative_to(sys.prefix)
        output_of(*_installer(str(copied)), *links, wanted)
        self.kept.settle()

    def install(self, version: NewerVersion, note: Note) -> None:
        self.kept.note(note)
        self.kept.change()

    def go_back(self, note: Note) -> None:
        self.kept.put_back()

    def _in_index(self) -> NewerVersion:
        """Fetches the newest one, and looks into it."""
        place = self._beside / "newest"
        output_of(*_installer(), "--no-deps", "--target", str(place), "steward")
        (info,) = place.glob("steward-*.dist-info")
        version = info.name.removeprefix("steward-").removesuffix(".dist-info")
        return NewerVersion(version, f"steward=={version}", place / "bot" / "shipped")


class Checkout:
    """A checkout that `make` has set up: git brings the source, and make what its locks name."""

    def __init__(self, root: Path, beside: Path) -> None:
        self.kept = KeptEnvironment(root / ".venv")
        self._root = root
        self._beside = beside
        self.source = ""

    def newest(self) -> NewerVersion | None:
        if self._git("status", "--porcelain", "--untracked-files=no"):
            raise SettingError(
                f"{self._root} has changes of yours: commit them, or call `git stash`."
            )
        try:
            self._git("rev-parse", "@{upstream}")
        except SettingError:
            raise SettingError(
                f"{self._root} stands on no branch that follows another repository, so git cannot "
                "tell what is new. Go to one, as in `git switch main`."
            ) from None
        self._git("fetch", "--quiet")
        self.source, newest = self._git("rev-parse", "HEAD"), self._git("rev-parse", "@{upstream}")
        if not self._git("log", "--format=%H", "-1", "HEAD..@{upstream}"):
            return None
        place = self._beside / "newest"
        place.mkdir()
        wanted = ("CHANGELOG.md", "pyproject.toml", "alembic")
        # Into another folder: what is checked out here stays as it is.
        there = (f"--git-dir={self._root / '.git'}", "--work-tree=.", "-C", str(place))
        output_of("git", *there, "restore", f"--source={newest}", "--worktree", "--", *wanted)
        version = tomllib.loads((place / "pyproject.toml").read_text("utf-8"))["project"]["version"]
        return NewerVersion(f"{version} ({newest[:12]})", newest, place)

    def prepare(self, version: NewerVersion) -> None:
        """Does nothing: the source and what is installed belong together."""

    def install(self, version: NewerVersion, note: Note) -> None:
        self.kept.note(note, place=self.kept.environment)
        program, rescue = self.kept.environment / "bin" / "steward", self._rescue(version, note)
        _replace(program, rescue)
        self._git("merge", "--quiet", "--ff-only", version.requirement)
        # The steps of `make` that a checkout may have gone through; each has its lock.
        steps = ("run", *_extras(), "dev")
        made = [step for step in steps if (self.kept.environment / f".{step}").exists()]
        targets = [f".venv/.{step}" for step in made or ("run",)]
        output_of("make", "--silent", "-C", str(self._root), *targets)
        if program.read_bytes() == rescue:
            _replace(program, (self.kept.copy / "bin" / "steward").read_bytes())

    def _rescue(self, version: NewerVersion, note: Note) -> bytes:
        """Returns what stands in the place of the program while neither version is whole."""
        places = (self._root, self.kept.environment, self.kept.copy)
        return _RESCUE.format(
            *(shlex.quote(str(place)) for place in places),
            new=version.requirement,
            old=note.source,
            process=os.getpid(),
        ).encode()

    def go_back(self, note: Note) -> None:
        self._git("reset", "--quiet", "--keep", note.source)
        self.kept.put_back()

    def _git(self, *arguments: str) -> str:
        return output_of("git", "-C", str(self._root), *arguments).strip()


@contextmanager
def installation(source: Path | None) -> Iterator[Installation]:
    """Yields the way in which this program was installed; raises SettingError for none we know."""
    with TemporaryDirectory(prefix="steward-") as beside:
        root = checkout()
        if root is not None and source is not None:
            raise SettingError("This is a checkout, which is updated by git: leave out --from.")
        if root is not None:
            yield Checkout(root, Path(beside))
            return
        if sys.prefix == sys.base_prefix:
            raise SettingError(
                "Steward is installed in Python's own folder, as in an image. An update does not "
                "change that. Build the image, or install Steward in an environment of its own."
            )
        yield Packaged(source, Path(beside))


def is_newer(version: str) -> bool:
    try:
        return Version(version) > Version(running_version())
    except InvalidVersion:
        return False


def _extras() -> Sequence[str]:
    """Returns the optional parts of the program, as its package names them."""
    return metadata("steward").get_all("Provides-Extra", [])


def _has(extra: str) -> bool:
    """Returns True when everything is installed that an optional part needs."""
    needed = [Requirement(line) for line in requires("steward") or ()]
    names = [one.name for one in needed if one.marker and one.marker.evaluate({"extra": extra})]
    return all(any(distributions(name=name)) for name in names)


def _in_folder(folder: Path) -> NewerVersion | None:
    """Returns the newest wheel of a folder."""
    found: list[tuple[Version, Path]] = []
    for file in folder.glob("steward-*.whl"):
        with suppress(InvalidWheelFilename):
            found.append((parse_wheel_filename(file.name)[1], file))
    if not found:
        raise SettingError(f"There is no wheel of Steward in {folder}.")
    version, wheel = max(found)
    try:
        content: Traversable = ArchivePath(wheel).joinpath("bot", "shipped")
    except (OSError, BadZipFile) as error:
        raise SettingError(f"{wheel} cannot be read: {error}.") from None
    return NewerVersion(str(version), str(wheel), content)


def _came_from() -> Path | None:
    """Returns the folder of the wheel that was installed; None for one of an index."""
    try:
        told = distribution("steward").read_text("direct_url.json")
    except PackageNotFoundError:
        return None
    if told is None:
        return None
    url = urlsplit(json.loads(told)["url"])
    folder = Path(unquote(url.path)).parent
    if url.scheme != "file" or not folder.is_dir():
        raise SettingError("I do not know where Steward came from. Name a folder: --from FOLDER.")
    return folder


def _installer(python: str = sys.executable) -> Sequence[str]:
    found = installer(python)
    if not found:
        raise SettingError("Neither pip nor uv is here to install with. Install uv, and try again.")
    return (*found, "--quiet")


def _replace(file: Path, content: bytes) -> None:
    """Writes a program, so that a death leaves the one from before or this one."""
    spare = file.with_name(f"{file.name}.new")
    file.parent.mkdir(exist_ok=True)
    spare.write_bytes(content)
    spare.chmod(0o755)
    spare.replace(file)
