"""The turn in which a model thinks about runs that failed."""

import secrets
from datetime import datetime
from typing import Literal

from bot.domain.assignments.goal import Goal, reflection_of
from bot.domain.change import AddGoalTurn, SaveConversation, SaveTurn, Write
from bot.domain.talk.chat import Conversation
from bot.domain.turn.turn import Turn

REFLECTION: Literal["reflection"] = "reflection"


def begun(goal: Goal, failed: Turn, now: datetime) -> tuple[Write, ...]:
    """Returns the writes of a queued turn behind a failed run, in a conversation of its own."""
    own = Conversation(secrets.token_hex(6), goal.chat, now, closed_at=now, title=goal.name)
    turn = failed.starts(
        reflection_of(goal.id, failed.id),
        now,
        conversation=own.id,
        origin=REFLECTION,
        mandate=failed.mandate.narrowed(tools=()),
    )
    return (SaveConversation(own), SaveTurn(turn), AddGoalTurn(goal.id, turn.id))
