"""The turn that carries out a run, as it is queued."""

from datetime import datetime

from bot.domain.assignments.task import TaskRun, TimedTask
from bot.domain.change import SaveConversation, SaveTurn, Write
from bot.domain.turn.turn import Turn, TurnAsker
from bot.flow.log.fresh_start import of_run


def queued(
    task: TimedTask, run: TaskRun, conversation: str | None, now: datetime
) -> tuple[Write, ...]:
    """Returns the writes of a turn, in a conversation of its own if none is named."""
    if conversation is not None:
        return (SaveTurn(turn_for(task, run, conversation, now)),)
    own = of_run(task.chat, task.name, now)
    return SaveConversation(own), SaveTurn(turn_for(task, run, own.id, now))


def turn_for(task: TimedTask, run: TaskRun, conversation: str, now: datetime) -> Turn:
    """Returns the queued turn of a run in this conversation."""
    asker = TurnAsker(task.chat, conversation, task.asker, task.asker_name)
    return asker.starts(run.turn, now, task.of_runs, origin="task")
