"""Reads `persona.md`, and reads it again when it changes."""

import logging
from collections.abc import Hashable
from pathlib import Path

from bot.adapters.markdown_folder import first_bytes_of, look_at
from bot.adapters.watched_files import WatchedFiles
from bot.ports.clock import Clock

_LOG = logging.getLogger(__name__)


class PersonaFile(WatchedFiles):
    """The port `Persona`, from a file of which at most `most` bytes are read."""

    def __init__(self, path: Path, most: int, clock: Clock) -> None:
        super().__init__("persona", clock)
        self._path = path
        self._most = most
        self._words = ""
        self._fault = ""

    @property
    def words(self) -> str:
        return self._words

    @property
    def place(self) -> str:
        return str(self._path)

    @property
    def fault(self) -> str:
        return self._fault

    def looks(self) -> Hashable:
        return look_at(self._path)

    def read(self) -> str:
        """Reads the file anew; a fault is told in the log."""
        fault = ""
        try:
            words, fault = self._words_in()
        except FileNotFoundError:
            words = ""
        except OSError as error:
            words, fault = "", f"{self._path.name} cannot be read: {error.strerror}"
        if fault and fault != self._fault:
            _LOG.warning("%s", fault)
        self._words, self._fault = words, fault
        return f"{len(words)} characters"

    def _words_in(self) -> tuple[str, str]:
        """Returns the words, and what is wrong with the file."""
        data = first_bytes_of(self._path, self._most + 1)
        if data is None:
            return "", f"{self._path.name} is not a file"
        if b"\0" in data:
            return "", f"{self._path.name} is not a text"
        cut = len(data) > self._most
        text = data[: self._most].decode("utf-8-sig", "ignore" if cut else "replace")
        told = f"{self._path.name} has more than {self._most} bytes: only the first are read"
        return text.strip(), told if cut else ""
