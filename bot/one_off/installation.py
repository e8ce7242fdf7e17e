"""The place that the program is installed in: finds newer versions, installs one, and goes back."""

import json
import shutil
import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
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

from bot.bootstrap.backups import check_room
from bot.domain.talk.errors import SettingError, StoreUnwritable
from bot.one_off.ended_command import output_of
from bot.one_off.newer_version import NewerVersion
from bot.setup.installing import installer
from bot.shipped import checkout
from bot.shipped.version import running_version


class Installation(Protocol):
    """The way in which the program was installed."""

    kept: "KeptEnvironment"

    def newest(self) -> NewerVersion | None:
        """Returns the newest version there is; None where that is the running one."""
        ...

    def install(self, version: NewerVersion) -> None:
        """Installs it in the place of the running one; raises SettingError."""
        ...

    def go_back(self) -> None:
        """Puts everything as it was before."""
        ...


class KeptEnvironment:
    """A copy of the environment from before an update, beside it."""

    def __init__(self, environment: Path) -> None:
        self.environment = environment
        self.copy = environment.with_name(f".{environment.name}-before-update")

    def check(self) -> None:
        """Raises SettingError when an update before this one was cut off."""
        if self.copy.exists():
            raise SettingError(
                f"An update before this one was cut off. A copy of the version from before is in "
                f"{self.copy}. To go back: rm -r {self.environment} && mv {self.copy} "
                f"{self.environment}. To try again, delete the copy first."
            )

    def keep(self) -> None:
        """Copies the environment; raises StoreUnwritable when there is no room for it."""
        files = (file for file in self.environment.rglob("*") if not file.is_symlink())
        size = sum(file.stat().st_size for file in files if file.is_file())
        try:
            check_room(self.environment, 2 * size)
        except StoreUnwritable as fault:
            raise StoreUnwritable(f"Nothing was changed: {fault}.") from None
        spare = self.copy.with_name(f"{self.copy.name}.part")
        shutil.rmtree(spare, ignore_errors=True)
        try:
            shutil.copytree(self.environment, spare, symlinks=True)
            spare.rename(self.copy)
        except (OSError, shutil.Error) as error:
            shutil.rmtree(spare, ignore_errors=True)
            raise SettingError(f"{self.environment} cannot be copied: {error}.") from None

    def put_back(self) -> None:
        """Puts the copy in the place of the environment."""
        failed = self.copy.with_name(f"{self.copy.name}.failed")
        shutil.rmtree(failed, ignore_errors=True)
        self.environment.rename(failed)
        self.copy.rename(self.environment)
        shutil.rmtree(failed, ignore_errors=True)

    def let_go(self) -> None:
        shutil.rmtree(self.copy, ignore_errors=True)


class Packaged:
    """An environment that pip, pipx or uv made, with the wheel in it."""

    def __init__(self, source: Path | None, beside: Path) -> None:
        self.kept = KeptEnvironment(Path(sys.prefix))
        self._source = source or _came_from()
        self._beside = beside

    def newest(self) -> NewerVersion | None:
        found = self._in_index() if self._source is None else _in_folder(self._source)
        return None if found is None or not is_newer(found.version) else found

    def install(self, version: NewerVersion) -> None:
        extras = [extra for extra in _extras() if _has(extra)]
        told = f"[{','.join(extras)}]" if extras else ""
        name, at, number = version.requirement.partition("==")
        wanted = f"{name}{told}{at}{number}"
        links = [] if self._source is None else ["--find-links", str(self._source)]
        output_of(*_installer(), *links, wanted)

    def go_back(self) -> None:
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
        self._before = ""

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
        self._before, newest = self._git("rev-parse", "HEAD"), self._git("rev-parse", "@{upstream}")
        if not self._git("log", "--format=%H", "-1", "HEAD..@{upstream}"):
            return None
        packed = self._beside / "newest.tar"
        wanted = ("CHANGELOG.md", "pyproject.toml", "alembic")
        self._git("archive", f"--output={packed}", newest, *wanted)
        place = self._beside / "newest"
        shutil.unpack_archive(packed, place, filter="data")
        version = tomllib.loads((place / "pyproject.toml").read_text("utf-8"))["project"]["version"]
        return NewerVersion(f"{version} ({newest[:12]})", newest, place)

    def install(self, version: NewerVersion) -> None:
        self._git("merge", "--quiet", "--ff-only", version.requirement)
        # The steps of `make` that a checkout may have gone through; each has its lock.
        steps = ("run", *_extras(), "dev")
        made = [step for step in steps if (self.kept.environment / f".{step}").exists()]
        targets = [f".venv/.{step}" for step in made or ("run",)]
        output_of("make", "--silent", "-C", str(self._root), *targets)

    def go_back(self) -> None:
        self._git("reset", "--quiet", "--keep", self._before)
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


def _installer() -> Sequence[str]:
    found = installer()
    if not found:
        raise SettingError("Neither pip nor uv is here to install with. Install uv, and try again.")
    return (*found, "--quiet")
