"""Lets runs begin in a few chats at once; others stand in line, so that people find room."""

from collections.abc import Callable

from bot.ports.clock import Clock

_LONGEST_SECONDS = 300.0
"""Seconds after which a chat makes room for the next one, though its runs are not over."""


class RunGate:
    """Wakes the chats of runs. It holds only an order: queued turns are rows, so none is lost."""

    def __init__(self, wake: Callable[[int], None], clock: Clock, at_once: int) -> None:
        self._wake = wake
        self._clock = clock
        self._at_once = at_once
        self._since: dict[int, float] = {}
        self._runs: dict[int, set[str]] = {}
        self._line: dict[int, set[str]] = {}
        self._added: set[int] = set()

    def add(self, turn: str, chat: int) -> None:
        """Puts a run that was just written into the line of its chat; nothing begins yet."""
        if chat in self._runs:
            self._runs[chat].add(turn)
            self._added.add(chat)
        else:
            self._line.setdefault(chat, set()).add(turn)

    def begin(self) -> None:
        """Wakes the chats of added runs, as far as there is room; the others when there is."""
        added, self._added = self._added, set()
        for chat in added:
            self._wake(chat)
        self._call_in()

    def over(self, turn: str, chat: int) -> None:
        """Notes that a run has ended, or that it waits for a person."""
        for runs in (self._line.get(chat), self._runs.get(chat)):
            if runs is not None:
                runs.discard(turn)
        self._tidy(chat)
        self._call_in()

    def tidy(self) -> None:
        """Makes room for others where a run takes long, or rests because no model answers."""
        oldest = self._clock.steady() - _LONGEST_SECONDS
        for chat in [chat for chat, since in self._since.items() if since < oldest]:
            self._leave(chat)
        self._call_in()

    def _tidy(self, chat: int) -> None:
        if not self._line.get(chat, True):
            del self._line[chat]
        if not self._runs.get(chat, True):
            self._leave(chat)

    def _leave(self, chat: int) -> None:
        del self._runs[chat], self._since[chat]

    def _call_in(self) -> None:
        while self._line and len(self._runs) < self._at_once:
            chat = next(iter(self._line))
            self._runs[chat] = self._line.pop(chat)
            self._since[chat] = self._clock.steady()
            self._wake(chat)
