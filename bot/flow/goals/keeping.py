"""A companion of the turns of goals that bounds them and keeps what comes of them."""

from dataclasses import replace

from bot.domain.assignments.goal import (
    DIARY_WRITE,
    GOAL_TOOLS,
    MOST_ENTRY,
    DiaryEntry,
    DiaryKind,
    Goal,
)
from bot.domain.assignments.task import REFLECT_AFTER, SCHEDULE_TASK, TaskState, task_id
from bot.domain.change import AddDiary, AdoptTask, HoldGoalTasks, Write
from bot.domain.loop.contribution import Ended, Share
from bot.domain.loop.verdict import LoopState
from bot.domain.text.visible_text import clipped
from bot.domain.tools.tool import Status
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.step import Finish
from bot.domain.turn.turn import Turn
from bot.flow.goals import wording
from bot.flow.goals.ending import GOAL_OVER
from bot.flow.goals.goal_opening import ORIGINS, GoalOpening, KeptGoal
from bot.flow.goals.reflecting import REFLECTION, begun
from bot.flow.goals.updates import GoalUpdates
from bot.flow.log.companion import Companion, Results, by_origin
from bot.flow.log.request_view import foreign_to
from bot.flow.log.work import Work
from bot.flow.schedules.companion import tried_again_at
from bot.flow.schedules.day_bounds import answered
from bot.flow.schedules.unwatched import FAILED, reported_nothing
from bot.ports.goals import GoalCosts
from bot.ports.scheduled import TaskRows


class GoalKeeping:
    """Bounds the turns of goals and keeps what they write; it stands behind the one of runs."""

    def __init__(
        self, opening: GoalOpening, goals: GoalCosts, scheduled: TaskRows, updates: GoalUpdates
    ) -> None:
        self._turns = opening.turns
        self._goals = goals
        self._scheduled = scheduled
        self._updates = updates

    @property
    def answers(self) -> Companion:
        return Companion(
            by_origin(*ORIGINS),
            own_tools=GOAL_TOOLS,
            withheld=self.withheld,
            state=self.state,
            after_results=self.after_results,
            ended=self.ended,
        )

    def withheld(self, work: Work) -> frozenset[str]:
        return frozenset() if work in self._turns else GOAL_TOOLS

    async def state(self, work: Work, state: LoopState) -> LoopState:
        kept = self._turns.get(work)
        if kept is None:
            gone = Finish(StopReason.USER_CANCELLED, GOAL_OVER)
            lost = work.turn.origin == REFLECTION
            return replace(state, ending=state.ending or gone) if lost else state
        if kept.goal.over:
            gone = Finish(StopReason.USER_CANCELLED, GOAL_OVER)
            return replace(state, ending=state.ending or gone)
        spent, now = await self._goals.spent(kept.goal.id), work.clock.now()
        kept.limit = kept.goal.exhausted(spent, now)
        # Calls of a reply that is paid for still run, and an answer is still given.
        paid = bool(state.progress.open_calls) or answered(state.progress)
        if not kept.limit or paid or state.ending is not None:
            return state
        return replace(state, ending=Finish(StopReason.BUDGET, kept.limit))

    async def after_results(self, work: Work, row: Turn, ran: Results) -> Share:
        kept = self._turns.get(work)
        if kept is None:
            return Share(row)
        made = [
            AdoptTask(task_id(work.turn.id, call.id), kept.goal.id)
            for call, result in ran
            if call.name == SCHEDULE_TASK and result.status is Status.SUCCESS
        ]
        return Share(row, writes=(*made, *await self._updates.writes(work, ran)))

    async def ended(self, work: Work, finish: Finish, closed: Results) -> Ended:
        kept = self._turns.get(work)
        if work.turn.origin == REFLECTION:
            return Ended(self._reflected(work, finish, kept), silent=True)
        if kept is None:
            return Ended()
        if finish.stop_reason is StopReason.BUDGET and kept.limit and finish.why == kept.limit:
            spent = await self._goals.spent(kept.goal.id)
            held = HoldGoalTasks(kept.goal.id, TaskState.PAUSED, kept.limit)
            return Ended((held,), instead=wording.stopped_by(kept.goal, kept.limit, spent))
        if finish.stop_reason is StopReason.FINAL_ANSWER:
            return await self._worked(work, kept)
        if finish.stop_reason is StopReason.USER_CANCELLED and finish.why == GOAL_OVER:
            return Ended(silent=True)
        return await self._failed(work, kept, finish)

    async def _worked(self, work: Work, kept: KeptGoal) -> Ended:
        """Keeps the last words of a run that wrote nothing else into the diary."""
        if kept.task is None or not kept.task.paces:
            return Ended()
        words = work.progress.words
        wrote = any(
            one.result.tool == DIARY_WRITE and one.result.status is Status.SUCCESS
            for one in work.progress.done
        )
        if wrote or not words or reported_nothing(work):
            return Ended(silent=True)
        return Ended((self._entry(work, kept.goal, DiaryKind.RESULT),), silent=True)

    async def _failed(self, work: Work, kept: KeptGoal, finish: Finish) -> Ended:
        """Lets a reflection follow the second failed run in a row."""
        run, task = await self._scheduled.run_of(work.turn.id) or (None, None)
        if run is None or task is None or not task.paces or finish.stop_reason not in FAILED:
            return Ended()
        again = tried_again_at(task, run, finish, work.clock.now()) is not None
        if again or task.failures + 1 != REFLECT_AFTER or task.state is not TaskState.ACTIVE:
            return Ended()
        return Ended(begun(kept.goal, work.turn, work.clock.now()))

    def _reflected(self, work: Work, finish: Finish, kept: KeptGoal | None) -> tuple[Write, ...]:
        final = finish.stop_reason is StopReason.FINAL_ANSWER
        if kept is None or not final or not work.progress.words:
            return ()
        return (self._entry(work, kept.goal, DiaryKind.REFLECTION),)

    def _entry(self, work: Work, goal: Goal, kind: DiaryKind) -> AddDiary:
        foreign = wording.source_of(foreign_to(work.turn.asker, work.log.entries()))
        words, id = clipped(work.progress.words, MOST_ENTRY), f"{work.turn.id}:{kind}"
        now = work.clock.now()
        return AddDiary(DiaryEntry(id, goal.id, now, kind, words, work.turn.id, foreign))
