"""Goals and their diaries in the words of commands."""

from collections.abc import Sequence
from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

from bot.domain.assignments.goal import (
    DiaryEntry,
    DiaryKind,
    Goal,
    GoalCondition,
    GoalPace,
    condition,
)
from bot.domain.assignments.task import BY_HAND, TimedTask
from bot.domain.clock.zones import short_moment
from bot.domain.money.money import Nano, read_bound, read_money, told
from bot.domain.talk.message import ButtonRows
from bot.domain.text.markdown import inline_code, literal
from bot.domain.text.names import brief_name, named
from bot.flow.commanding.choices import choice
from bot.flow.commanding.pages import LISTED, numbered, turning
from bot.flow.commanding.table import Answer, named_values
from bot.flow.goals.planning import GoalPlanning
from bot.ports.goals import Goals
from bot.ports.scheduled import TaskRows

_LOOKED_AT = 50
"""Entries of a diary among which the last milestone is looked for."""

_SHOWN = 300
"""Characters of an entry on a page, and of a milestone."""

SIGNS = {
    GoalCondition.PROPOSED: "🎯",
    GoalCondition.ACTIVE: "▶️",
    GoalCondition.PAUSED: "⏸",
    GoalCondition.STUCK: "❓",
    GoalCondition.DONE: "🏁",
    GoalCondition.GIVEN_UP: "🏳️",
}
_ENTRIES = {
    DiaryKind.NOTE: "📝",
    DiaryKind.RESULT: "📝",
    DiaryKind.MILESTONE: "🎯",
    DiaryKind.QUESTION: "❓",
    DiaryKind.ANSWER: "💬",
    DiaryKind.REFLECTION: "🔁",
}
BOUNDS = (
    "Write `/goals limit day 0.50 whole 10 until 2027-01-31`: at most $0.50 a day, $10.00 in all, "
    "until that day. `off` instead of an amount ends that limit."
)
DROP, END = "drop", "end"
"""The words of the buttons below the questions whether a goal goes, or ends."""

Menu = ButtonRows


class GoalWords:
    def __init__(self, goals: Goals, scheduled: TaskRows, planning: GoalPlanning) -> None:
        self._goals = goals
        self._scheduled = scheduled
        self._planning = planning

    def proposal(self, goal: Goal, zone: str, now: datetime) -> str:
        """Returns the card of a goal that has not begun: words, times, money and the end."""
        times = self._planning.coming(goal, zone, now, 2)
        coming = ", ".join(short_moment(at, zone) for at in times)
        until = f"{goal.until.astimezone(ZoneInfo(zone)):%Y-%m-%d}"
        lines = [
            f"🎯 **{literal(goal.text)}**",
            f"Pace: {goal.pace.said}. First runs: at once, then {coming} ({zone}).",
            f"It costs at most {_money(goal.a_day)} a day and {_money(goal.budget)} in all, and "
            f"ends on {until}.",
            f"You can change that: {inline_code(f'/goals limit day 1 whole 10 until {until}')} "
            f"allows $1.00 a day and $10.00 in all, until {until}.",
            "I ask before I change things. I write at milestones, with questions, and at the end.",
        ]
        return "\n\n".join(lines)

    async def list_of(self, found: Sequence[Goal], page: int) -> Answer:
        """Returns a page of goals with a numbered button for each; one more means a next page."""
        shown = [(goal.id, await self._line(goal)) for goal in found[:LISTED]]
        title = "The goals of this chat. A number shows one of them."
        return numbered("goals", title, shown, page, more=len(found) > LISTED)

    async def whole(self, goal: Goal, task: TimedTask | None) -> str:
        """Returns everything about a goal that has begun."""
        stands, spent = condition(goal, task), await self._goals.spent(goal.id)
        zone = "UTC" if task is None else task.zone
        why = task.why if stands is GoalCondition.PAUSED and task is not None else ""
        pause = f": {literal(why)}" if why and why != BY_HAND else ""
        lines = [
            f"{SIGNS[stands]} **{literal(goal.text)}** · {stands}{pause}",
            f"Pace: {goal.pace.said}{_next_run(goal, task)}",
            f"Spent {told(spent)} of {_money(goal.budget)}, at most {_money(goal.a_day)} a day · "
            f"until {goal.until.astimezone(ZoneInfo(zone)):%Y-%m-%d}",
        ]
        last = await self._scheduled.last(goal.id)
        if last is not None:
            lines.append(f"Last run: {short_moment(last.at, zone)}, {last.state}")
        newest = await self._milestone(goal)
        if newest is not None:
            lines.append(f"Last milestone, {short_moment(newest.at, zone)}: {_short(newest.text)}")
        others = [one for one in await self._goals.tasks(goal.id) if not one.paces]
        lines.extend(f"Task: {named(one.name)} · {literal(one.said)}" for one in others)
        return "\n".join(f"{line}  " for line in lines)

    async def diary(self, goal: Goal, entries: Sequence[DiaryEntry], page: int) -> Answer:
        """Returns a page of a diary, the newest first."""
        task = await self._scheduled.get(goal.id)
        zone = "UTC" if task is None else task.zone
        shown, more = entries[:LISTED], len(entries) > LISTED
        lines = [
            f"{_ENTRIES[one.kind]} {short_moment(one.at, zone)} · {_short(one.text)}"
            for one in shown
        ]
        diary = f"The diary of {literal(brief_name(goal.name))}"
        told = "\n\n".join([f"{diary}, the newest first.", *lines])
        empty = f"{diary} is empty."
        rows = turning(page, "goals", "diary", goal.id, more=more)
        back = choice("◂ Back", "goals", "show", goal.id)
        return Answer(told if shown else empty, buttons=(*rows, back), optional=True)

    async def _line(self, goal: Goal) -> str:
        task = await self._scheduled.get(goal.id)
        spent, newest = await self._goals.spent(goal.id), await self._milestone(goal)
        stands = condition(goal, task)
        reached = f" · 🎯 {_short(newest.text)}" if newest is not None else ""
        money = f" · {told(spent)} of {_money(goal.budget)}"
        due = f" · next {_next(goal, task)}" if stands is GoalCondition.ACTIVE else ""
        return f"{SIGNS[stands]} {named(goal.name)} · {stands}{due}{money}{reached}"

    async def _milestone(self, goal: Goal) -> DiaryEntry | None:
        entries = await self._goals.diary(goal.id, _LOOKED_AT)
        return next((one for one in entries if one.kind is DiaryKind.MILESTONE), None)


def proposal_menu(goal: Goal) -> Menu:
    """Returns the buttons below a goal that has not begun."""
    paces = tuple(
        button
        for one in GoalPace
        for button in choice(one.capitalize(), "goals", "pace", goal.id, one, now=one is goal.pace)
    )
    start = (
        *choice("▶️ Start", "goals", "start", goal.id),
        *choice("🗑 Cancel", "goals", "deny", goal.id),
    )
    return (paces, start)


def menu_of(goal: Goal, stands: GoalCondition) -> Menu:
    """Returns the buttons below a goal that has begun."""
    switch = choice("⏸ Pause", "goals", "pause", goal.id)
    if stands in (GoalCondition.PAUSED, GoalCondition.STUCK):
        switch = choice("▶️ Resume", "goals", "resume", goal.id)
    first = (*switch, *choice("⏩ Run now", "goals", "run", goal.id))
    second = choice("📖 Diary", "goals", "diary", goal.id)
    if not goal.over:
        second = (*second, *choice("🏁 Done", "goals", "done", goal.id))
    second = (*second, *choice("🗑 Delete", "goals", "delete", goal.id))
    back = choice("◂ All goals", "goals", "page", "1")
    return (second, back) if goal.over else (first, second, back)


def sure_to_delete(goal: Goal) -> Answer:
    """Asks before a goal goes with its diary."""
    asked = "Delete it, with its diary and its tasks? I cannot bring it back."
    return _sure(goal, f"🗑 **{named(goal.name)}**\n\n{asked}", "🗑 Delete", DROP)


def sure_to_end(goal: Goal) -> Answer:
    """Asks before a goal ends as reached."""
    asked = "Is it reached? It ends now, and cannot go on later. Its diary stays."
    return _sure(goal, f"🏁 **{named(goal.name)}**\n\n{asked}", "🏁 Done", END)


def limited(goal: Goal, words: Sequence[str], zone: str, now: datetime) -> Goal:
    """Returns a goal with these bounds; raises ValueError with a sentence."""
    a_day, budget, until = goal.a_day, goal.budget, goal.until
    for name, value in named_values(words, BOUNDS):
        match name:
            case "day":
                a_day = _bound(value)
            case "whole":
                budget = _bound(value)
            case "until":
                until = _end_of(value, zone)
                if until <= now:
                    raise ValueError(f"{value} is over already. I changed nothing.")
            case _:
                raise ValueError(BOUNDS)
    return goal.changed(a_day=a_day, budget=budget, until=until)


def _bound(value: str) -> Nano | None:
    try:
        return read_bound(value)
    except ValueError:
        raise ValueError(BOUNDS) from None


def _end_of(value: str, zone: str) -> datetime:
    try:
        day = datetime.strptime(value, "%Y-%m-%d").replace(tzinfo=UTC).date()
        return datetime.combine(day, time(23, 59), ZoneInfo(zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(BOUNDS) from None


def dollars(amount: float) -> Nano:
    """Returns a setting in dollars as money."""
    return read_money(str(amount))


def _next_run(goal: Goal, task: TimedTask | None) -> str:
    """Returns the next run of an active goal; no other has one, and its state tells why."""
    told = _next(goal, task)
    return f" · next run: {told}" if told else ""


def _next(goal: Goal, task: TimedTask | None) -> str:
    going = task is not None and condition(goal, task) is GoalCondition.ACTIVE
    return short_moment(task.due, task.zone) if going and task and task.due else ""


def _sure(goal: Goal, told: str, label: str, verb: str) -> Answer:
    yes, no = choice(label, "goals", verb, goal.id), choice("Go on", "goals", "show", goal.id)
    return Answer(told, buttons=((*yes, *no),), optional=True)


def _money(bound: Nano | None) -> str:
    return "any sum" if bound is None else told(bound)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return literal(line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…")
