"""Allows one process for one data folder."""

import fcntl
import os
from io import TextIOWrapper
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

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: TextIOWrapper | None = None

    def __enter__(self) -> Self:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = (self._folder / "lock").open("a+", encoding="ascii", errors="replace")
        except OSError as error:
            raise unusable("STEWARD_HOME", self._folder, error) from error
        try:
            self._take(file)
        except BaseException:
            file.close()
            raise
        self._file = file
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            # Emptied, not removed: another process may have the file open and be about to lock it.
            self._file.truncate(0)
            self._file.close()
            self._file = None

    def _take(self, file: TextIOWrapper) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read(20).strip()
            who = f"process {holder}" if holder else "another process"
            told = f"Steward runs already with {self._folder}: it is {who}."
            raise FolderHeld(f"{told} Talk to it with `{command('chat')}`.") from None
        except OSError as error:
            raise SettingError(f"{self._folder} cannot be locked: {error.strerror}.") from error
        # Not through the file's buffer: closing would try again to write what a full disk refused.
        try:
            os.ftruncate(file.fileno(), 0)
            os.write(file.fileno(), f"{os.getpid()}\n".encode())
        except OSError as error:
            raise unusable("STEWARD_HOME", self._folder, error) from error
