"""The words of goals: to the model at the opening of a run, and to people in the chat."""

from collections.abc import Sequence

from bot.domain.assignments.goal import (
    DIARY_WRITE,
    GOAL_UPDATE,
    DiaryEntry,
    DiaryKind,
    Goal,
    opening,
)
from bot.domain.assignments.task import TaskRun, TimedTask
from bot.domain.clock.zones import short_moment
from bot.domain.money.money import Nano, told
from bot.domain.talk.message import REPLY_WITH, Block, Markdown, Outbound, OutboundKind, Plain
from bot.domain.text.foreign_text import defused, set_apart
from bot.domain.text.markdown import inline_code, literal
from bot.domain.text.names import brief_name, plain_name, quoted_name
from bot.domain.turn.transcript import NoteBody, RecallBody
from bot.flow.schedules.wording import moment

_HEAD = (
    "[Steward] The diary of this goal, the oldest entry first; older ones may be left out. They "
    "are quotations with their times: facts and ideas of earlier runs, and answers of the person."
)
SOURCE = "a diary entry about "
"""Stands before the source of foreign content that a diary brings into view again."""

_KINDS = {
    DiaryKind.NOTE: "the diary",
    DiaryKind.RESULT: "the last words of a run",
    DiaryKind.MILESTONE: "the diary, a milestone that people were told",
    DiaryKind.QUESTION: "the diary, a question to the person",
    DiaryKind.ANSWER: "the diary, the person's answer",
    DiaryKind.REFLECTION: "the diary, a reflection after failed runs",
}
_FAILED = 200
"""Characters of the reason of a failed run."""


def source_of(foreign: str | None) -> str | None:
    """Returns the source of a diary entry, as cards name it; it does not grow from run to run."""
    if foreign is None or foreign.startswith(SOURCE):
        return foreign
    return f"{SOURCE}{foreign}"


def diary_told(entries: Sequence[DiaryEntry], zone: str, tokens: int) -> RecallBody | None:
    """Returns the newest entries as they open a run; None for an empty diary.

    The turns that wrote them are named, so that forgetting one of them finds its words here too.
    """
    chosen = opening(entries, tokens)
    if not chosen:
        return None
    quoted = [
        set_apart(
            _KINDS[one.kind],
            one.text,
            written=short_moment(one.at, zone),
            about=one.untrusted or "",
        )
        for one in chosen
    ]
    foreign = next((one.untrusted for one in chosen if one.untrusted), None)
    turns = tuple(dict.fromkeys(one.turn for one in chosen if one.turn))
    return RecallBody(turns, "\n".join([_HEAD, *quoted]), source_of(foreign))


def facts(goal: Goal, task: TimedTask, spent: Nano) -> NoteBody:
    """Returns the note that opens a run of a goal."""
    own = (
        "Nobody reads your last words. People are told milestones, questions and the end of the "
        f"goal, which you give to {GOAL_UPDATE}."
        if task.paces
        else f"The goal itself is: {defused(goal.text)}"
    )
    lines = [
        f"[Steward] This run works on the goal {goal.id} of {quoted_name(goal.asker_name)}. {own}",
        f"Do one good piece of work. Then write with {DIARY_WRITE} what you did, what came of it "
        "and what should be next: the next run knows the diary and nothing else.",
        f"Call {GOAL_UPDATE} with state done once the goal is reached, and with stuck when only "
        "the person can help. With `next` you may put the next run off.",
        f"Spent {told(spent)}{_of(goal.budget)}. "
        f"Its time ends {short_moment(goal.until, task.zone)}.",
    ]
    if task.due is not None and task.paces:
        lines.append(f"The next run is {moment(task.due, task)}.")
    return NoteBody("goal", " ".join(lines))


def asks_reflection(goal: Goal, failed: Sequence[TaskRun]) -> NoteBody:
    """Returns the note that asks what to try differently."""
    why = "\n".join(
        f"- {one.due:%Y-%m-%d %H:%M} UTC: {defused(one.why[:_FAILED])}" for one in failed
    )
    return NoteBody(
        "goal",
        f"[Steward] Runs for the goal {goal.id} failed, the last ones for these reasons:\n{why}\n"
        f"The goal: {defused(goal.text)}\n"
        "You have no tools now. Write at most 150 words for the diary: what went wrong, and what "
        "the next run should try differently. The next run reads it; nobody else does.",
    )


def milestone(goal: Goal, text: str) -> Outbound:
    """Tells people of something that is reached."""
    return _told(f"🎯 {text}", goal)


def done(goal: Goal, text: str) -> Outbound:
    """Tells people that a goal is reached."""
    return _told("\n\n".join(filter(None, ("🏁 Goal reached.", text))), goal)


def given_up(goal: Goal, text: str) -> Outbound:
    """Tells people that a goal cannot be reached."""
    return _told("\n\n".join(filter(None, ("🏳️ I gave this goal up.", text))), goal)


def question(goal: Goal, text: str) -> Outbound:
    """Asks the person for help."""
    how = (
        f"{REPLY_WITH}your answer, or write {inline_code('/goals answer …')}. "
        "Until then the goal waits."
    )
    return _told(f"❓ {text}", goal, how)


def stopped_by(goal: Goal, why: str, spent: Nano) -> str:
    """Tells that a goal is paused because a bound of it is reached."""
    how = inline_code("/goals limit whole 10 until 2027-12-31")
    return (
        f"⏸ The goal {literal(brief_name(goal.name))} is paused: {why}. It has cost {told(spent)}. "
        f"{how} gives it more, and /goals resumes it."
    )


def _told(text: str, goal: Goal, how: str = "") -> Outbound:
    advice: tuple[Block, ...] = (Markdown(how),) if how else ()
    below: Block = Plain(f"🎯 {plain_name(goal.name)}", style="aside")
    return Outbound(OutboundKind.NOTICE, (Markdown(text), *advice, below))


def _of(budget: Nano | None) -> str:
    return "" if budget is None else f" of {told(budget)}"
