"""The parts of goals that their commands need, as one value."""

from bot.domain.value import frozen
from bot.flow.goals.desk import GoalDesk
from bot.flow.goals.planning import GoalPlanning
from bot.flow.schedules.firing import Firing
from bot.ports.clock import Clock
from bot.ports.goals import Goals
from bot.ports.scheduled import TaskRows


@frozen
class GoalParts:
    """Holds the parts that keep goals, and those that start, resume and answer them."""

    goals: Goals
    """Goals and diaries."""
    scheduled: TaskRows
    """Their tasks and runs."""
    planning: GoalPlanning
    """Gives goals their tasks."""
    firing: Firing
    """Begins runs that a person asks for."""
    desk: GoalDesk
    """Takes answers to questions."""
    clock: Clock
    """The time of day."""
