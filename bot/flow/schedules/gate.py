"""Lets a few runs begin at once, chat by chat in turn; others stand in line, behind people."""

from collections.abc import Callable

from bot.domain.turn.turn import Turn, TurnState
from bot.domain.value import frozen, replace
from bot.ports.clock import Clock
from bot.ports.journal import Agenda
from bot.ports.turns import TurnRows

_LONGEST_SECONDS = 300.0
"""Seconds after which a run makes room for the next one, though it is not over."""


@frozen
class _Seat:
    """The run that a chat carries out, and when it was called in."""

    turn: str
    since: float


class RunGate:
    """Wakes the chats of runs. It holds only an order: queued turns are rows, so none is lost.

    A chat carries out one run, and then stands behind the others: one with hundreds of runs keeps
    nobody waiting for all of them.
    """

    def __init__(self, wake: Callable[[int], None], clock: Clock, at_once: int) -> None:
        self._wake = wake
        self._clock = clock
        self._at_once = at_once
        self.seats: dict[int, _Seat] = {}
        """The runs that were called in, by their chats."""
        self._line: dict[int, list[str]] = {}

    def add(self, turn: str, chat: int) -> None:
        """Puts a run that was just written into the line of its chat; nothing begins yet.

        Where no run ever begins, another process lines it up.
        """
        if self._at_once:
            self._line.setdefault(chat, []).append(turn)

    def holds(self, turn: str, chat: int) -> bool:
        """Returns True while a run stands in line."""
        return turn in self._line.get(chat, ())

    def begin(self) -> None:
        """Calls runs in, as far as there is room; the others when there is."""
        while len(self.seats) < self._at_once:
            chat = next((one for one in self._line if one not in self.seats), None)
            if chat is None:
                return
            first, *others = self._line.pop(chat)
            if others:
                self._line[chat] = others
            self.seats[chat] = _Seat(first, self._clock.steady())
            self._wake(chat)

    def over(self, turn: str, chat: int) -> None:
        """Notes that a run has ended, or that it waits for a person."""
        if self.holds(turn, chat):
            self._line[chat].remove(turn)
            if not self._line[chat]:
                del self._line[chat]
        seat = self.seats.get(chat)
        if seat is not None and seat.turn == turn:
            del self.seats[chat]
            self.begin()

    def free(self, agenda: Agenda) -> Agenda:
        """Returns the agenda without the runs that stand in line.

        A run that somebody stops is not held: it has to end. Another process may have ended the run
        of the chat that was called in: then there is room for another one.
        """
        seat = self.seats.get(agenda.chat.id)
        if seat is not None and all(
            seat.turn != one.id for one in (*agenda.unfinished, *agenda.queued)
        ):
            self.over(seat.turn, agenda.chat.id)
        free = tuple(turn for turn in agenda.queued if not self._held(turn))
        return agenda if len(free) == len(agenda.queued) else replace(agenda, queued=free)

    def _held(self, turn: Turn) -> bool:
        return turn.stop_asked is None and self.holds(turn.id, turn.chat)

    def lost(self, chat: int) -> None:
        """Notes that another process may work on a chat: it carries out the chat's runs, too.

        They are rows, so it finds them all. A seat that was kept would hold up later runs. The
        chat is woken, because there may be no other process: a server that died forgets claims.
        """
        self._line.pop(chat, None)
        if self.seats.pop(chat, None) is not None:
            self.begin()
        self._wake(chat)

    def tidy(self) -> None:
        """Makes room for others where a run takes long, or rests because no model answers."""
        oldest = self._clock.steady() - _LONGEST_SECONDS
        for chat in [chat for chat, seat in self.seats.items() if seat.since < oldest]:
            del self.seats[chat]
        self.begin()


async def line_up(turns: TurnRows, gate: RunGate) -> None:
    """Lines up all runs that are queued, behind the chats whose run had begun.

    To be called before chats are woken and before the clock of tasks adds runs of its own.
    """
    rows = await turns.at_work("task")
    for turn in sorted(rows, key=lambda one: one.state is not TurnState.RUNNING):
        gate.add(turn.id, turn.chat)
