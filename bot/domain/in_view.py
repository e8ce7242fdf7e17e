"""Keeps what the entries in view tell, so that each request reads only the new ones."""

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from bot.domain.transcript import Entry, SummaryBody, uncovered


class EntryReader(Protocol):
    """Learns something from the entries in view, the oldest first."""

    def take(self, entry: Entry) -> None: ...


R = TypeVar("R", bound=EntryReader)


class InView(Generic[R]):
    """A reader of one log; a summary takes entries out of view, so all are read again then."""

    def __init__(self, make: Callable[[], R]) -> None:
        self._make = make
        self._reader = make()
        self._last = 0

    def of(self, log: Sequence[Entry]) -> R:
        """Returns the reader once it has read this log, which was only appended to since."""
        fresh = newest_after(log, self._last)
        if any(isinstance(entry.body, SummaryBody) for entry in fresh):
            self._reader = self._make()
            fresh = list(uncovered(reversed(log)))
        for entry in reversed(fresh):
            self._reader.take(entry)
        self._last = log[-1].seq if log else 0
        return self._reader


def newest_after(log: Sequence[Entry], seq: int) -> list[Entry]:
    """Returns the entries after this number, the newest first."""
    fresh: list[Entry] = []
    for entry in reversed(log):
        if entry.seq <= seq:
            break
        fresh.append(entry)
    return fresh
