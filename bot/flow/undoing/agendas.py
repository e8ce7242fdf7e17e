"""The work of a chat, as far as taking back has to wait for it."""

from bot.domain.turn.turn import TurnState
from bot.ports.journal import Agenda


def is_busy(agenda: Agenda) -> bool:
    """Returns True when a turn is under way or waits to begin; one that rests may wait on."""
    under_way = any(turn.state is not TurnState.RESTING for turn in agenda.unfinished)
    return bool(agenda.waiting or agenda.queued) or under_way
