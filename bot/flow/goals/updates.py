"""Writes of the tools of goals: milestones, states, questions, in the transaction of results."""

import logging
from collections.abc import Sequence
from typing import Any

from bot.domain.assignments.goal import DIARY_WRITE, GOAL_UPDATE, DiaryKind, Goal, GoalState
from bot.domain.assignments.task import TaskState
from bot.domain.change import HoldGoalTasks, SaveGoal, SaveTask, Write
from bot.domain.clock.when import WhenUnclear
from bot.domain.tools.tool import Status, ToolCall, ToolResult
from bot.flow.goals import wording
from bot.flow.goals.ending import stopped
from bot.flow.goals.goal_call import GoalCall
from bot.flow.goals.planning import GoalPlanning
from bot.flow.log.request_view import foreign_to
from bot.flow.log.work import Work
from bot.ports.goals import Goals
from bot.ports.scheduled import TaskRows

_LOG = logging.getLogger(__name__)

STUCK = "it waits for your answer"


class GoalUpdates:
    def __init__(self, goals: Goals, scheduled: TaskRows, planning: GoalPlanning) -> None:
        self._goals = goals
        self._scheduled = scheduled
        self._planning = planning

    async def writes(
        self, work: Work, ran: Sequence[tuple[ToolCall, ToolResult]]
    ) -> tuple[Write, ...]:
        """Returns the writes of the calls that succeeded, in their order."""
        calls = [call for call, result in ran if result.status is Status.SUCCESS]
        calls = [call for call in calls if call.name in (GOAL_UPDATE, DIARY_WRITE)]
        goal = await self._goals.of_turn(work.turn.id) if calls else None
        if goal is None:
            return ()
        foreign = wording.source_of(foreign_to(work.turn.asker, work.log.entries()))
        found: list[Write] = []
        for call in calls:
            told = GoalCall(work, call, goal, work.clock.now(), foreign)
            if call.name == DIARY_WRITE:
                found.append(told.entry(DiaryKind.NOTE, str((call.arguments or {})["text"])))
            elif not goal.over:
                goal, writes = await self._updated(told, call.arguments or {})
                found.extend(writes)
        return tuple(found)

    async def _updated(self, told: GoalCall, arguments: Any) -> tuple[Goal, Sequence[Write]]:
        text, asked = arguments.get("milestone") or "", arguments.get("question") or ""
        match arguments.get("state") or GoalState.ACTIVE:
            case GoalState.DONE | GoalState.GIVEN_UP as end:
                return await self._over(told, GoalState(end), text)
            case GoalState.STUCK:
                new = told.goal.changed(state=GoalState.STUCK, question=told.key)
                asks = told.asks(wording.question(new, asked))
                entry = told.entry(DiaryKind.QUESTION, asked)
                held = HoldGoalTasks(new.id, TaskState.PAUSED, STUCK)
                return new, (SaveGoal(new, told.goal.version), entry, held, asks)
            case _:
                writes = await self._put_off(told, arguments.get("next"))
                if text:
                    shown = told.show(wording.milestone(told.goal, text))
                    writes = (*writes, told.entry(DiaryKind.MILESTONE, text), shown)
                return told.goal, writes

    async def _over(
        self, told: GoalCall, end: GoalState, text: str
    ) -> tuple[Goal, Sequence[Write]]:
        new = told.goal.changed(state=end)
        content = wording.done if end is GoalState.DONE else wording.given_up
        entries = (told.entry(DiaryKind.MILESTONE, text),) if text else ()
        ended = await stopped(new, self._goals, self._scheduled, told.now, told.work.turn.id)
        shown = told.ends(content(new, text))
        return new, (SaveGoal(new, told.goal.version), *entries, *ended, shown)

    async def _put_off(self, told: GoalCall, words: str | None) -> tuple[Write, ...]:
        if not words:
            return ()
        try:
            task = await self._planning.put_off(told.goal, words, told.now)
        except WhenUnclear as fault:
            # The tool has looked at the same words: only what changed since can refuse them.
            _LOG.warning("a run was not put off: %s", fault, extra=told.work.tags)
            return ()
        return (SaveTask(task, task.version - 1),)
