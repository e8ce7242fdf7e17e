"""Lets a few runs be at work at once; the others stand in line, so that people find room."""

from collections import deque
from collections.abc import Callable

from bot.ports.clock import Clock

_LONGEST_SECONDS = 300.0
"""Seconds after which a run makes room for the next one, though it is not over."""


class RunGate:
    """Wakes the chats of runs. It holds only an order: queued turns are rows, so none is lost."""

    def __init__(self, wake: Callable[[int], None], clock: Clock, at_once: int) -> None:
        self._wake = wake
        self._clock = clock
        self._at_once = at_once
        self._at_work: dict[str, float] = {}
        self._line: deque[tuple[str, int]] = deque()

    def begin(self, turn: str, chat: int) -> None:
        """Wakes the chat of a run now, or when there is room."""
        self._line.append((turn, chat))
        self._call_in()

    def over(self, turn: str) -> None:
        """Notes that a run is at work no more: it has ended, or it waits for a person."""
        if self._at_work.pop(turn, None) is not None:
            self._call_in()

    def tidy(self) -> None:
        """Makes room for others where a run takes long, or rests because no model answers."""
        oldest = self._clock.steady() - _LONGEST_SECONDS
        for turn in [turn for turn, since in self._at_work.items() if since < oldest]:
            del self._at_work[turn]
        self._call_in()

    def _call_in(self) -> None:
        while self._line and len(self._at_work) < self._at_once:
            turn, chat = self._line.popleft()
            self._at_work[turn] = self._clock.steady()
            self._wake(chat)
