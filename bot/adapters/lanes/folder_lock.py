"""Allows one process for one data folder."""

import fcntl
import os
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from itertools import takewhile
from pathlib import Path
from typing import Self

from bot.domain.talk.errors import FolderHeld, SettingError
from bot.domain.talk.unusable_folder import unusable
from bot.shipped import command


class FolderLock:
    """Holds a folder for this process while entered; the system frees it when the process dies.

    Creates a missing folder, readable by its user alone. Raises FolderHeld when another process
    holds the folder, SettingError when it cannot be used, and StoreUnwritable when its disk takes
    no write.
    """

    def __init__(self, folder: Path, mend: str = "", *, passing: bool = False) -> None:
        """With what to do when it is held; if left out: talk to the one that holds it.

        A `passing` lock leaves no file and no empty folder behind that was not there before.
        """
        self._folder = folder
        self._name = folder / "lock"
        self._mend = mend
        self._passing = passing
        self._file: TextIOWrapper | None = None
        self._made: Sequence[Path] = ()

    def __enter__(self) -> Self:
        if self._passing:
            around = (self._name, self._folder, *self._folder.parents)
            self._made = list(takewhile(lambda place: not place.exists(), around))
        while self._file is None:
            file = self._opened()
            try:
                self._take(file)
                if self._is_there(file):
                    self._file = file
            finally:
                if self._file is None:
                    file.close()
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.truncate(0)
            with suppress(OSError):
                # Still held: a process that has opened the file meanwhile sees that it is gone.
                for place in self._made:
                    _take_away(place)
            self._file.close()
            self._file = None

    def _opened(self) -> TextIOWrapper:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return self._name.open("a+", encoding="ascii", errors="replace")
        except OSError as error:
            raise unusable("STEWARD_HOME", self._folder, error) from error

    def _is_there(self, file: TextIOWrapper) -> bool:
        """Returns False for a file that its holder took away before it could be locked here."""
        try:
            return os.path.samestat(os.fstat(file.fileno()), self._name.stat())
        except FileNotFoundError:
            return False

    def _take(self, file: TextIOWrapper) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read(20).strip()
            who = f"process {holder}" if holder else "another process"
            told = f"Steward runs already with {self._folder}: it is {who}."
            mend = self._mend or f"Talk to it with `{command('chat')}`."
            raise FolderHeld(f"{told} {mend}") from None
        except OSError as error:
            raise SettingError(f"{self._folder} cannot be locked: {error.strerror}.") from error
        # Not through the file's buffer: closing would try again to write what a full disk refused.
        try:
            os.ftruncate(file.fileno(), 0)
            os.write(file.fileno(), f"{os.getpid()}\n".encode())
        except OSError as error:
            raise unusable("STEWARD_HOME", self._folder, error) from error


def _take_away(place: Path) -> None:
    """Removes a file, or an empty folder; raises OSError for a folder that is not empty."""
    if place.is_dir():
        place.rmdir()
    else:
        place.unlink()
