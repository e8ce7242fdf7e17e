"""The part of the status about goals."""

from collections import Counter
from collections.abc import Sequence

from bot.domain.assignments.goal import GoalCondition, condition
from bot.flow.commanding.table import Invocation
from bot.flow.goals.goal_pages import SIGNS
from bot.ports.goals import GoalRows
from bot.ports.scheduled import TaskRows

_LOOKED_AT = 50
_TOLD = (GoalCondition.ACTIVE, GoalCondition.STUCK, GoalCondition.PAUSED, GoalCondition.PROPOSED)


class TheGoals:
    """Tells how many goals of the chat go on, and how many wait for somebody."""

    title = "Goals"

    def __init__(self, goals: GoalRows, scheduled: TaskRows) -> None:
        self._goals = goals
        self._scheduled = scheduled

    async def lines(self, asked: Invocation) -> Sequence[str]:
        found = await self._goals.of_chat(asked.chat.id, _LOOKED_AT)
        live = [goal for goal in found if not goal.over]
        stands = Counter([condition(one, await self._scheduled.get(one.id)) for one in live])
        return [f"- {SIGNS[one]} {stands[one]} {one}" for one in _TOLD if stands[one]]
