"""Keeps what the entries in view tell, so that each request reads only the new ones."""

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from bot.domain.turn.transcript import CutBody, Entry, SummaryBody, uncovered


class EntryReader(Protocol):
    """Learns something from the entries in view, the oldest first."""

    def take(self, entry: Entry) -> None: ...


R = TypeVar("R", bound=EntryReader)


class InView(Generic[R]):
    """A reader of one log; all is read again when a summary or a cut changes what is in view."""

    def __init__(self, make: Callable[[], R]) -> None:
        self._make = make
        self._reader = make()
        self._last = 0

    def of(self, log: Sequence[Entry]) -> R:
        """Returns the reader once it has read this log, which was only appended to since."""
        fresh = newest_after(log, self._last)
        if any(_changes_view(entry) for entry in fresh):
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


def _changes_view(entry: Entry) -> bool:
    match entry.body:
        case SummaryBody():
            return True
        case CutBody(without=gone, unsummed=unsummed):
            return bool(gone or unsummed)
        case _:
            return False
