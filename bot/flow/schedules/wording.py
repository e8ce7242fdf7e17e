"""The words of runs: to the model at their opening, and to people below their answers."""

from datetime import datetime

from bot.domain.assignments.task import Allowed, TaskRun, TimedTask
from bot.domain.clock.zones import short_moment
from bot.domain.talk.chat import Chat
from bot.domain.text.names import plain_name
from bot.domain.turn.transcript import Body, NoteBody
from bot.flow.schedules.unwatched import QUIETLY, READING_ONLY, TRY_AGAIN
from bot.flow.ways.follower import Speaker


def opened(task: TimedTask, run: TaskRun, chat: Chat, speaker: Speaker) -> tuple[Body, ...]:
    """Returns the entries that open a run: the facts, then the words of the task."""
    only = task.of_runs.counting
    asked = speaker.says(task.what, task.asker_name, chat, task.untrusted, only)
    return (NoteBody("task", _facts(task, run)), asked)


def _facts(task: TimedTask, run: TaskRun) -> str:
    told = [
        f"[Steward] This is a run of the scheduled task {task.id}, due {moment(run.due, task)}. "
        "Nobody may be watching. Do what the task says, once, and answer with the outcome alone.",
        QUIETLY,
    ]
    if task.paces:
        told = [f"[Steward] This run was due {moment(run.due, task)}. Nobody may be watching."]
    if run.late:
        told.append("This run is late: it could not begin at its time.")
    if run.tries > 1:
        told.append(TRY_AGAIN)
    if task.allowed is Allowed.READONLY:
        told.append(READING_ONLY)
    return " ".join(told)


def footer(task: TimedTask, run: TaskRun) -> str:
    """Returns the small line below the answer of a run."""
    late = f" · late, due {moment(run.due, task)}" if run.late else ""
    if task.paces:
        return f"🎯 {plain_name(task.name)}{late}"
    return f"⏰ {task.said} · {plain_name(task.name)}{late}"


def moment(at: datetime, task: TimedTask) -> str:
    """Returns a time by the clock of the task's zone."""
    return short_moment(at, task.zone)
