"""A companion of the turns of goals that opens them with the diary."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from bot.domain.assignments.goal import Goal
from bot.domain.assignments.task import REFLECT_AFTER, TimedTask
from bot.domain.change import AddGoalTurn
from bot.domain.loop.contribution import Share
from bot.domain.talk.limits import GoalBounds
from bot.domain.turn.transcript import Body
from bot.domain.turn.turn import Turn, TurnState
from bot.flow.goals import wording
from bot.flow.goals.reflecting import REFLECTION
from bot.flow.log.companion import Companion, by_origin
from bot.flow.log.work import Work
from bot.ports.goals import Goals
from bot.ports.journal import Agenda
from bot.ports.scheduled import TaskRows

_LOOKED_AT = 80
"""Entries of a diary from which those that open a run are chosen."""

ORIGINS = ("task", REFLECTION, "continuation")
"""The origins of turns that may work for a goal."""


@dataclass(slots=True)
class KeptGoal:
    """The memory about one turn, for as long as its `Work` lives."""

    goal: Goal
    task: TimedTask | None
    """The task whose run it is; None for a reflection and for a continuation."""
    limit: str = ""
    """The bound of the goal that ended the turn."""


class GoalOpening:
    """Opens the turns of goals; it stands before the companion of runs, whose words come last."""

    def __init__(self, goals: Goals, scheduled: TaskRows, bounds: GoalBounds) -> None:
        self._goals = goals
        self._scheduled = scheduled
        self._tokens = bounds.diary_tokens
        self.turns: WeakKeyDictionary[Work, KeptGoal] = WeakKeyDictionary()

    @property
    def answers(self) -> Companion:
        return Companion(by_origin(*ORIGINS), taken_up=self.taken_up)

    async def taken_up(self, work: Work, row: Turn, agenda: Agenda) -> Share:
        goal = await self._goal_of(work)
        if goal is None:
            return Share(row)
        _, task = await self._scheduled.run_of(work.turn.id) or (None, None)
        self.turns[work] = KeptGoal(goal, task)
        if work.turn.state is not TurnState.QUEUED:
            return Share(row)
        counts = AddGoalTurn(goal.id, work.turn.id)
        bodies = await self._opened(work, goal, task)
        return Share(row, bodies, (counts,), goal.text if task is None else "")

    async def _goal_of(self, work: Work) -> Goal | None:
        turn, card = work.turn, work.late_approval
        if turn.origin not in ORIGINS:
            return None
        found = await self._goals.of_turn(turn.id)
        if found is None and card is not None:
            # A card that a run left open was decided: what follows works for the goal too.
            found = await self._goals.of_turn(card.turn)
        return found

    async def _opened(self, work: Work, goal: Goal, task: TimedTask | None) -> tuple[Body, ...]:
        if work.turn.origin == "continuation":
            return ()
        pace = task if task is not None else await self._scheduled.get(goal.id)
        zone = "UTC" if pace is None else pace.zone
        entries = await self._goals.diary(goal.id, _LOOKED_AT)
        diary = wording.diary_told(entries, zone, self._tokens)
        told: tuple[Body, ...] = () if diary is None else (diary,)
        if task is not None:
            return (*told, wording.facts(goal, task, await self._goals.spent(goal.id)))
        runs = () if pace is None else await self._scheduled.runs(goal.id, pace.created_at)
        failed = [run for run in runs if run.state == "failed"][-REFLECT_AFTER:]
        return (*told, wording.asks_reflection(goal, failed))
