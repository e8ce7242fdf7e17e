"""The turn in which a model thinks about runs that failed."""

from datetime import datetime
from typing import Literal

from bot.domain.assignments.goal import Goal, reflection_of
from bot.domain.change import AddGoalTurn, SaveConversation, SaveTurn, Write
from bot.domain.turn.turn import Turn
from bot.flow.log.fresh_start import of_run

REFLECTION: Literal["reflection"] = "reflection"


def begun(goal: Goal, failed: Turn, now: datetime) -> tuple[Write, ...]:
    """Returns the writes of a queued turn behind a failed run, in a conversation of its own."""
    own = of_run(goal.chat, goal.name, now)
    turn = failed.starts(
        reflection_of(goal.id, failed.id),
        now,
        conversation=own.id,
        origin=REFLECTION,
        mandate=failed.mandate.narrowed(tools=()),
    )
    return (SaveConversation(own), SaveTurn(turn), AddGoalTurn(goal.id, turn.id))
