"""The turn that carries out a run, as it is queued."""

import secrets
from datetime import datetime

from bot.domain.assignments.task import TaskRun, TimedTask
from bot.domain.change import SaveConversation, SaveTurn, Write
from bot.domain.talk.chat import Conversation
from bot.domain.turn.turn import Turn, TurnState


def queued(
    task: TimedTask, run: TaskRun, conversation: str | None, now: datetime
) -> tuple[Write, ...]:
    """Returns the writes of a turn, in a conversation of its own if none is named.

    Such a conversation is closed from the start: no message of a person continues it.
    """
    if conversation is not None:
        return (SaveTurn(turn_for(task, run, conversation, now)),)
    own = Conversation(secrets.token_hex(6), task.chat, now, closed_at=now, title=task.name)
    return SaveConversation(own), SaveTurn(turn_for(task, run, own.id, now))


def turn_for(task: TimedTask, run: TaskRun, conversation: str, now: datetime) -> Turn:
    """Returns the queued turn of a run in this conversation."""
    return Turn(
        id=run.turn,
        chat=task.chat,
        conversation=conversation,
        asker=task.asker,
        asker_name=task.asker_name,
        model="",
        created_at=now,
        mandate=task.of_runs,
        origin="task",
        state=TurnState.QUEUED,
    )
