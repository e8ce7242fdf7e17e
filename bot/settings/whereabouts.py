"""Finds the home of a run, and the folder in which its `.env` and `steward.toml` lie."""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeAlias

from bot.domain.talk.errors import SettingError
from bot.domain.value import frozen
from bot.settings.fields import FIELDS, PREFIX
from bot.settings.layers import DOTENV, TOML, dotenv_file, is_there
from bot.visits.own_folder import is_own_folder, persons_home

_HOME = "STEWARD_HOME"
_DATABASE = Path("data", "steward.db")

Asked: TypeAlias = Literal["settings", "work"]
"""A question about a folder: whether its settings count, or whether to work in it."""


@frozen
class Whereabouts:
    """The place of a run: `folder` holds the files of settings, `home` everything else."""

    folder: Path
    home: Path
    doubtful: bool = False
    """True where the folder one stands in has settings, and nobody has said that they count."""


class KnownFolders:
    """Remembers what a person said about folders, in a file that only they can read."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or persons_home() / "known_folders.json"

    def said(self, about: Asked, folder: Path) -> bool | None:
        """Returns the answer about a folder; None when nobody was asked.

        A yes to settings holds for these files alone: a later one may name another program.
        """
        match self._read().get(about, {}).get(str(folder)):
            case bool() as answer:
                return answer
            case str() as read if read == _digest(folder):
                return True
            case _:
                return None

    def remember(self, about: Asked, folder: Path, answer: bool) -> None:
        """Keeps an answer; raises SettingError when the file cannot be written."""
        kept = _digest(folder) if about == "settings" and answer else answer
        with self._amended() as known:
            known.setdefault(about, {})[str(folder)] = kept

    def forget(self, folder: Path) -> bool:
        """Drops the answers about a folder; returns False where there is none."""
        with self._amended() as known:
            dropped = [table.pop(str(folder), None) for table in known.values()]
        return any(answer is not None for answer in dropped)

    def answers(self) -> list[tuple[str, str, bool]]:
        """Returns each folder with what was asked about it, and if the answer was a yes."""
        tables = sorted(self._read().items())
        return sorted(
            (folder, about, answer is not False)
            for about, table in tables
            for folder, answer in table.items()
        )

    @contextmanager
    def _amended(self) -> Iterator[dict[str, dict[str, object]]]:
        """Yields all answers and keeps them as they are then; of two writers, one waits."""
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._file.with_suffix(".lock").open("a", encoding="ascii") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                known = self._read()
                yield known
                self._write(known)
        except OSError as fault:
            told = f"{self._file} cannot be written: {fault.strerror}."
            raise SettingError(f"{told} Your answer is not kept.") from fault

    def _write(self, known: dict[str, dict[str, object]]) -> None:
        spare = self._file.with_suffix(f".{os.getpid()}.new")
        made = os.open(spare, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(made, "w", encoding="utf-8") as file:
            json.dump(known, file, indent=1)
        spare.replace(self._file)

    def _read(self) -> dict[str, dict[str, object]]:
        """Returns all answers; a file that cannot be read holds none, so that we ask again."""
        try:
            known = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        tables = known.items() if isinstance(known, dict) else ()
        return {name: table for name, table in tables if isinstance(table, dict)}


def whereabouts(
    environ: Mapping[str, str],
    standing: Path,
    known: KnownFolders,
    *,
    checkout: Path | None = None,
    serves: bool = False,
    answer: bool | None = None,
) -> Whereabouts:
    """Returns the place of a run that was started in the folder `standing`.

    Settings can name programs that are started. So those of a folder count only if somebody has
    said so, if it is the `checkout` that the program itself runs from, or if the run `serves`
    where nobody can be asked: then an operator has chosen its folder. A checkout with settings is
    the home in every other folder too.
    """
    named = Path(environ.get(_HOME, "").strip()).expanduser()
    home = standing / named if named.name else None
    answer = known.said("settings", standing) if answer is None else answer
    own = serves or answer is True or standing == checkout
    found = _has_settings(standing, any_name=serves or standing == checkout)
    if (found and own) or _lies_beside(home, standing, absolute=named.is_absolute()):
        return Whereabouts(standing, home or standing / "data")
    doubtful = found and answer is None
    if home is None and checkout is not None and _has_settings(checkout, any_name=True):
        return Whereabouts(checkout, checkout / "data", doubtful)
    place = home or persons_home()
    return Whereabouts(place, place, doubtful)


def _lies_beside(home: Path | None, standing: Path, *, absolute: bool) -> bool:
    """Returns True for a home whose files of settings lie in the folder around it.

    A relative home is in every folder that one stands in, so it says nothing about them.
    """
    if home is None or home.parent != standing or not absolute:
        return False
    return is_own_folder(standing) and not any(is_there(home / name) for name in (TOML, DOTENV))


def _digest(folder: Path) -> str:
    """Returns what the files of settings say, in a form that can be kept beside an answer."""
    digest = hashlib.sha256()
    for name in (DOTENV, TOML):
        try:
            digest.update(hashlib.sha256((folder / name).read_bytes()).digest())
        except OSError:
            digest.update(b"none")
    return digest.hexdigest()


def _has_settings(folder: Path, *, any_name: bool) -> bool:
    """Returns True for a folder with settings of a Steward, or with all that one keeps.

    A project may have a `.env` of its own with the key of a model in it.
    """
    if is_there(folder / TOML) or is_there(folder / _DATABASE):
        return True
    try:
        names = dotenv_file(folder).values
    except SettingError:
        # Where the file is ours, reading it tells what is wrong.
        return any_name and is_there(folder / DOTENV)
    return any(name.startswith(PREFIX) or (any_name and name in FIELDS) for name in names)
