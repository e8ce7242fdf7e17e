"""The process of this installation that serves: found, with the settings it was started with."""

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from bot.adapters.lanes.folder_lock import FolderLock
from bot.bootstrap.database import file_of
from bot.domain.talk.errors import FolderHeld, SettingError
from bot.domain.value import frozen
from bot.one_off.ended_command import output_of
from bot.settings import Settings, read_settings
from bot.settings.secret_files import FOLDER, credentials
from bot.settings.whereabouts import KnownFolders, whereabouts
from bot.shipped import checkout

_SYSTEMCTL = "systemctl"
_PROCESSES = Path("/proc")
_UNITS = tuple(
    Path(folder, "systemd/system")
    for folder in ("/etc", "/run", "/usr/local/lib", "/lib", "/usr/lib")
)
"""Folders of units: of two files with one name, systemd reads the one in the earlier folder."""

_DATABASE = "STEWARD_DATABASE_URL"
_OF_THE_MANAGER = re.compile(
    r"(NOTIFY_SOCKET|WATCHDOG_\w+|LISTEN_\w+|INVOCATION_ID|JOURNAL_STREAM|SYSTEMD_\w+"
    rf"|MEMORY_PRESSURE_\w+|{FOLDER})"
)
"""Variables that are for the service itself, and for no other process."""

_ENVIRONMENT_FILE = re.compile(r"^EnvironmentFile=-?(.+)$", re.MULTILINE)


@frozen
class Standing:
    """The way in which the program serves, or would if somebody started it here."""

    settings: Settings
    folder: Path
    environ: Mapping[str, str]
    process: int | None = None
    """The process that serves now; 0 where its number is not known."""
    unit: str = ""
    """The service of systemd that the process belongs to."""


def standing_of(settings: Settings, folder: Path) -> Standing:
    """Returns how the program serves; raises SettingError where nobody can tell.

    A service may have settings that stand in its unit alone: those of its process count.
    """
    process, others = running_in(settings.home), set(_served())
    others.discard(process or 0)
    if process is None and len(others) == 1:
        process = others.pop()
    if others:
        told = f"Steward also runs as process {min(others)}, from the same installation."
        raise SettingError(f"{told} Stop it, then update.")
    if process is None:
        _refuse_unseen(settings)
        return Standing(settings, folder, os.environ)
    unit = unit_of(process)
    if not unit:
        raise SettingError(f"Steward runs: it is process {process}. Stop it, then update.")
    if os.geteuid() != 0:
        raise SettingError(f"Steward runs as {unit}, and only root can stop that: use sudo.")
    environ = _environ(process)
    standing = (_PROCESSES / str(process) / "cwd").readlink()
    place = whereabouts(environ, standing, KnownFolders(), checkout=checkout(), serves=True)
    theirs = read_settings(environ, place.folder, home=place.home)
    return Standing(theirs, place.folder, environ, process, unit)


def running_in(home: Path) -> int | None:
    """Returns the process that runs with a home; None where none does."""
    if not (home / "lock").exists():
        return None
    try:
        with FolderLock(home):
            return None
    except FolderHeld:
        told = (home / "lock").read_text("ascii", errors="replace").strip()
        return int(told) if told.isdecimal() else 0


def unit_of(process: int) -> str:
    """Returns the service of systemd that a process is; empty where none is known.

    A process that another service began, such as cron or a terminal, is none: that one would be
    stopped with all else that it does.
    """
    try:
        lines = (_PROCESSES / str(process) / "cgroup").read_text("utf-8").splitlines()
    except OSError:
        return ""
    parts = [part for line in lines for part in line.rpartition(":")[2].split("/")]
    own = [part for part in parts if part.endswith(".service")]
    if not own or any(part.startswith("user@") for part in own):
        # A service of a person's own manager is not root's to stop.
        return ""
    with suppress(SettingError, OSError):
        told = output_of(_SYSTEMCTL, "show", "--property=MainPID", "--value", own[-1])
        if told.strip() == str(process):
            return own[-1]
    return ""


def _served() -> Iterator[int]:
    """Yields the processes of `steward run` from this installation."""
    program = bytes(Path(sys.prefix) / "bin" / "steward")
    for place in _PROCESSES.glob("[0-9]*"):
        with suppress(OSError):
            given = (place / "cmdline").read_bytes().split(b"\0")
            if program in given[:2] and b"run" in given[1:3]:
                yield int(place.name)


def _environ(process: int) -> Mapping[str, str]:
    """Returns the variables of a service; its credentials become variables, as they end with it."""
    raw = (_PROCESSES / str(process) / "environ").read_bytes().decode(errors="surrogateescape")
    found = dict(line.split("=", 1) for line in raw.split("\0") if "=" in line)
    own = {name: text for name, text in found.items() if not _OF_THE_MANAGER.fullmatch(name)}
    return {name: str(text) for name, text in credentials(found).values.items()} | own


def _refuse_unseen(settings: Settings) -> None:
    """Raises SettingError when a service that does not run names a database that is not ours."""
    if file_of(settings) != settings.home / "steward.db":
        return
    program = str(Path(sys.prefix) / "bin" / "steward")
    for name, texts in _units():
        if not any(program in text for text in texts):
            continue
        named = [Path(one) for text in texts for one in _ENVIRONMENT_FILE.findall(text)]
        if any(_DATABASE in text for text in (*texts, *map(_text, named))):
            raise SettingError(
                f"{name} names its database itself, and its settings are only seen while it "
                f"runs. Start it, then update; or call this with its {_DATABASE}."
            )


def _units() -> Iterator[tuple[str, Sequence[str]]]:
    """Yields the name of each unit, and the texts of its file and of those that add to it."""
    for name, file in _found(_UNITS, "*.service").items():
        more = _found([folder / f"{name}.d" for folder in _UNITS], "*.conf")
        yield name, [_text(file), *map(_text, more.values())]


def _found(folders: Sequence[Path], names: str) -> Mapping[str, Path]:
    """Returns files by their names, each from the first folder that has it."""
    found: dict[str, Path] = {}
    for folder in folders:
        for file in folder.glob(names):
            found.setdefault(file.name, file)
    return found


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", errors="replace")
    except OSError:
        return ""
