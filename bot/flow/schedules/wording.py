"""The words of runs: to the model at their opening, and to people below their answers."""

from datetime import datetime
from zoneinfo import ZoneInfo

from bot.domain.chat import Chat
from bot.domain.task import NOTHING_TO_REPORT, Allowed, TaskRun, TimedTask
from bot.domain.transcript import AskerBody, Body, NoteBody
from bot.flow.schedules.unwatched import TRY_AGAIN
from bot.flow.ways.follower import Speaker


def opened(task: TimedTask, run: TaskRun, chat: Chat, speaker: Speaker) -> tuple[Body, ...]:
    """Returns the entries that open a run: the facts, then the words of the task."""
    asked = AskerBody(
        text=task.what,
        speaker=task.asker_name,
        moment=speaker.moment,
        account=speaker.account,
        group="" if chat.private else chat.title,
        untrusted=task.untrusted,
        person=task.asker,
        governs=speaker.person.is_owner,
    )
    return (NoteBody("task", _facts(task, run)), asked)


def _facts(task: TimedTask, run: TaskRun) -> str:
    told = [
        f"[Steward] This is a run of the scheduled task {task.id}, due {moment(run.due, task)}. "
        "Nobody may be watching. Do what the task says, once, and answer with the outcome alone.",
        f"If there is nothing worth a message, call {NOTHING_TO_REPORT} and write nothing.",
    ]
    if task.paces:
        told = [f"[Steward] This run was due {moment(run.due, task)}. Nobody may be watching."]
    if run.late:
        told.append("This run is late: it could not begin at its time.")
    if run.tries > 1:
        told.append(TRY_AGAIN)
    if task.allowed is Allowed.READONLY:
        told.append("You may only read. Calls that change something are refused.")
    return " ".join(told)


def footer(task: TimedTask, run: TaskRun) -> str:
    """Returns the small line below the answer of a run."""
    late = f" · late, due {moment(run.due, task)}" if run.late else ""
    if task.paces:
        return f"🎯 {task.name} · goal {task.id}{late}"
    return f"⏰ {task.said} · task {task.id}{late}"


def moment(at: datetime, task: TimedTask) -> str:
    """Returns a time by the clock of the task's zone."""
    return f"{at.astimezone(ZoneInfo(task.zone)):%a %Y-%m-%d %H:%M}"
