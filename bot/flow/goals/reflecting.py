"""The turn in which a model thinks about runs that failed."""

import secrets
from datetime import datetime
from typing import Literal

from bot.domain.change import AddGoalTurn, SaveConversation, SaveTurn, Write
from bot.domain.chat import Conversation
from bot.domain.goal import Goal, reflection_of
from bot.domain.turn import Turn, TurnState

REFLECTION: Literal["reflection"] = "reflection"


def begun(goal: Goal, failed: Turn, now: datetime) -> tuple[Write, ...]:
    """Returns the writes of a queued turn behind a failed run, in a conversation of its own."""
    own = Conversation(secrets.token_hex(6), goal.chat, now, closed_at=now, title=goal.name)
    turn = Turn(
        id=reflection_of(goal.id, failed.id),
        chat=goal.chat,
        conversation=own.id,
        asker=goal.asker,
        asker_name=goal.asker_name,
        model="",
        created_at=now,
        origin=REFLECTION,
        state=TurnState.QUEUED,
    )
    return (SaveConversation(own), SaveTurn(turn), AddGoalTurn(goal.id, turn.id))
