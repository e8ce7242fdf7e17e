"""The tools of a goal's runs: tell how the goal stands, and write into its diary."""

from typing import Annotated, Literal

from pydantic import Field

from bot.domain.assignments.goal import (
    DIARY_WRITE,
    GOAL_UPDATE,
    MOST_ENTRIES,
    MOST_ENTRY,
    DiaryKind,
    Goal,
)
from bot.domain.clock.when import WhenUnclear
from bot.domain.clock.when_words import LONGEST_WHEN
from bot.domain.talk.errors import ToolFailure
from bot.domain.tools.tool import ToolOutput
from bot.domain.value import frozen
from bot.flow.goals.planning import GoalPlanning
from bot.ports.arguments_tool import Arguments, ArgumentsTool, Text
from bot.ports.clock import Clock
from bot.ports.goals import GoalRows
from bot.ports.tool import Place, Seen, Tool

_LOOKED_AT = 100
"""Entries of a diary among which those of this run are counted."""

Words = Annotated[Text, Field(min_length=1, max_length=MOST_ENTRY)]


class GoalUpdateArguments(Arguments):
    state: Annotated[
        Literal["active", "stuck", "done", "given_up"],
        Field(description="stuck: only the person can help; done: reached."),
    ] = "active"
    milestone: Annotated[
        Words | None,
        Field(description="What is reached, for people, with done the result: they read it whole."),
    ] = None
    question: Annotated[
        Words | None, Field(description="With stuck: what the person should answer.")
    ] = None
    next: Annotated[
        Text | None,
        Field(
            min_length=1,
            max_length=LONGEST_WHEN,
            description="Puts the next run off, as in: in 3 days; tomorrow 8:00.",
        ),
    ] = None


class DiaryArguments(Arguments):
    text: Annotated[
        Words, Field(description="What was done, what came of it, what should be next.")
    ]


@frozen
class GoalShelf:
    """Finds the goal of a turn, and what the turn has written so far."""

    _goals: GoalRows
    _planning: GoalPlanning
    _clock: Clock

    async def of(self, place: Place) -> Goal:
        """Returns the goal that the turn works for; raises ToolFailure."""
        goal = await self._goals.of_turn(place.turn)
        if goal is None:
            raise ToolFailure("this turn works for no goal; /goal makes one")
        if goal.over:
            raise ToolFailure("the goal is over; end with a short word")
        return goal

    async def room(self, goal: Goal, place: Place, kind: DiaryKind) -> None:
        """Raises ToolFailure when the turn has written enough of this kind."""
        entries = await self._goals.diary(goal.id, _LOOKED_AT)
        if sum((one.turn, one.kind) == (place.turn, kind) for one in entries) >= MOST_ENTRIES:
            raise ToolFailure(f"a run writes at most {MOST_ENTRIES} of these; the next run can")

    async def next_run(self, goal: Goal, words: str) -> str:
        try:
            at = await self._planning.next_run(goal, words, self._clock.now())
        except WhenUnclear as fault:
            raise ToolFailure(str(fault)) from None
        return f"{at:%a %Y-%m-%d %H:%M} UTC"


class GoalUpdate(ArgumentsTool[GoalUpdateArguments]):
    """Tells people how a goal stands, and moves it on."""

    name = GOAL_UPDATE
    summary = "tell how a goal stands"
    description = (
        "In a run of a goal only: tell a milestone, ask the person when stuck, end the goal, or "
        "put the next run off."
    )
    takes = GoalUpdateArguments

    def __init__(self, shelf: GoalShelf) -> None:
        self._shelf = shelf

    async def perform(self, arguments: GoalUpdateArguments, place: Place, seen: Seen) -> ToolOutput:
        goal = await self._shelf.of(place)
        if (arguments.question is None) != (arguments.state != "stuck"):
            raise ToolFailure("a question belongs to the state stuck, and stuck needs one")
        if arguments.next is not None and arguments.state != "active":
            raise ToolFailure(f"a goal that is {arguments.state} has no next run")
        if arguments.state == "stuck":
            if arguments.milestone is not None:
                raise ToolFailure("tell the milestone by a call of its own, before")
            return ToolOutput("The person is asked, and the goal rests. End with a short word.")
        if arguments.state != "active":
            return ToolOutput("The goal is over and people are told. End with a short word.")
        if arguments.milestone is not None:
            await self._shelf.room(goal, place, DiaryKind.MILESTONE)
        told = ["Noted."]
        if arguments.milestone is not None:
            told.append("People are told.")
        if arguments.next is not None:
            told.append(f"The next run is {await self._shelf.next_run(goal, arguments.next)}.")
        return ToolOutput(" ".join(told))


class DiaryWrite(ArgumentsTool[DiaryArguments]):
    """Writes an entry that opens the next runs of a goal."""

    name = DIARY_WRITE
    summary = "write into the diary of a goal"
    description = "In a run of a goal only: leave a note for the next run, which reads it."
    takes = DiaryArguments

    def __init__(self, shelf: GoalShelf) -> None:
        self._shelf = shelf

    async def perform(self, arguments: DiaryArguments, place: Place, seen: Seen) -> ToolOutput:
        if not arguments.text.strip():
            raise ToolFailure("an entry needs words")
        goal = await self._shelf.of(place)
        await self._shelf.room(goal, place, DiaryKind.NOTE)
        return ToolOutput("It is in the diary.")


def goal_tools(shelf: GoalShelf) -> tuple[Tool, ...]:
    """Returns both tools, in the order in which models see them."""
    return (GoalUpdate(shelf), DiaryWrite(shelf))
