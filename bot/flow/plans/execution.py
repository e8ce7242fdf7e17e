"""The turn that executes an approved plan, as it is queued."""

import secrets
from datetime import datetime

from bot.domain.change import SaveTurn
from bot.domain.plans.plan import Plan
from bot.domain.turn.mandate import PERSONAL
from bot.domain.turn.turn import Turn, TurnState


def execution_of(plan: Plan, conversation: str, now: datetime) -> SaveTurn:
    """Returns the write of a queued turn that executes a plan in this conversation."""
    turn = Turn(
        id=f"plan-{secrets.token_hex(8)}",
        chat=plan.chat,
        conversation=conversation,
        asker=plan.asker,
        asker_name=plan.asker_name,
        model="",
        created_at=now,
        mandate=PERSONAL,
        origin="plan",
        state=TurnState.QUEUED,
    )
    return SaveTurn(turn)
