"""Allows one process for one database file, whatever names it has."""

import fcntl
import os
from pathlib import Path

from bot.domain.talk.errors import SettingError


class OwnFile:
    """Holds a file for this process; the system frees it when the process dies.

    The file itself is locked, so links to it and other paths to it are the same. SQLite's own locks
    are of another kind. They end when the process closes any descriptor of the file, so this one
    is closed after all connections.
    """

    def __init__(self) -> None:
        self._descriptor: int | None = None

    def take(self, file: Path) -> None:
        """Raises SettingError when another process holds the file, or when it cannot be locked."""
        try:
            self._descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            told = f"Another Steward, with another STEWARD_HOME, works with the database {file}."
            mend = "Stop that one, or give each a database of its own: STEWARD_DATABASE_URL."
            raise SettingError(f"{told} {mend}") from None
        except OSError as error:
            raise SettingError(f"{file} cannot be locked: {error.strerror}.") from error

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
