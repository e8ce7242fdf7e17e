"""Goals and their diaries as rows; they are written by changes of the journal."""

from collections.abc import Sequence
from typing import Protocol

from bot.domain.assignments.goal import DiaryEntry, Goal, GoalState
from bot.domain.assignments.task import TimedTask
from bot.domain.money.money import Nano


class GoalRows(Protocol):
    async def get(self, goal: str) -> Goal | None: ...

    async def of_chat(self, chat: int, limit: int, skip: int = 0) -> Sequence[Goal]:
        """Returns the goals of a chat, the newest first, without those of people without access."""
        ...

    async def of_person(self, person: int) -> Sequence[Goal]:
        """Returns every goal that a person asked for, the newest first."""
        ...

    async def of_turn(self, turn: str) -> Goal | None:
        """Returns the goal that a turn works for."""
        ...

    async def diary(self, goal: str, limit: int, skip: int = 0) -> Sequence[DiaryEntry]:
        """Returns entries of a diary, the newest first."""
        ...


class GoalCosts(Protocol):
    """The number of goals, and the work that they cause."""

    async def count(self, state: GoalState) -> int:
        """Returns the number of goals in this state, of all chats."""
        ...

    async def spent(self, goal: str) -> Nano:
        """Returns the known cost of all turns of a goal."""
        ...

    async def tasks(self, goal: str) -> Sequence[TimedTask]:
        """Returns the tasks that belong to a goal, the oldest first."""
        ...


class Goals(GoalRows, GoalCosts, Protocol):
    """All of these, as the store has them."""
