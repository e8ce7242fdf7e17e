"""Collects the text of a document within bounds of length and time."""

import time

MOST_CHARACTERS = 2_000_000
SECONDS = 12.0


class CutText:
    """Lines of a document, up to 2,000,000 characters and 12 s from the beginning."""

    def __init__(self) -> None:
        self._until = time.monotonic() + SECONDS
        self._lines: list[str] = []
        self._room = MOST_CHARACTERS
        self.notes: list[str] = []

    def add(self, line: str) -> bool:
        """Adds a line, at most one empty one in a row; returns False when there is no more room."""
        if not line.strip() and (not self._lines or not self._lines[-1]):
            return time.monotonic() < self._until
        self._lines.append(line[: self._room])
        self._room -= len(line) + 1
        if self._room > 0 and time.monotonic() < self._until:
            return True
        self.notes.append("only the beginning was read")
        return False

    @property
    def text(self) -> str:
        return "\n".join(self._lines).strip()
