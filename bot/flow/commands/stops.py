"""Stops of everything in a chat that a person may end: its turns, and errands left behind."""

from bot.domain.change import AskStop, Write
from bot.domain.text.names import plain_name
from bot.domain.text.visible_text import one_line
from bot.domain.turn.turn import ONE_OF_SEVERAL, TurnState
from bot.flow.commanding.table import Invocation
from bot.flow.errands.recalling import called_back, left_behind
from bot.ports.journal import Agenda

_LONGEST = 60
"""Characters of a command in the record."""


def stops(agenda: Agenda, asked: Invocation) -> tuple[Write, ...]:
    """Asks every turn of the chat to stop that the person may stop; one of them will say so.

    Errands that were left behind are called back.
    """
    how = how_asked(asked)
    turns = (*agenda.unfinished, *agenda.queued)
    theirs = [t for t in turns if asked.person.may_decide_for(t.asker)]
    # The running one stops last, and tells where it stood.
    running = [t for t in theirs if t.state is TurnState.RUNNING]
    teller = next(iter((*running, *theirs)), None)
    asks = (AskStop(t.id, how if t is teller else how + ONE_OF_SEVERAL) for t in theirs)
    # Errands of an unfinished turn end with it.
    alone = [e for e in left_behind(agenda.errands) if asked.person.may_decide_for(e.asker)]
    return (*asks, *called_back(alone, how))


def how_asked(asked: Invocation) -> str:
    """Returns the command as it was typed, on one line, and the person who gave it."""
    typed = one_line(" ".join(asked.message.text.split()), _LONGEST)
    return f"{typed} by {plain_name(asked.person.name)}"
