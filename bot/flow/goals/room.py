"""The room of goals: their companions, their desk, their commands, tools and part of the status."""

from functools import cached_property

from bot.domain.talk.chat import Chat
from bot.flow.goals.cards import GoalCards
from bot.flow.goals.commands import GoalCommands
from bot.flow.goals.desk import GoalDesk
from bot.flow.goals.goal_opening import GoalOpening
from bot.flow.goals.goal_pages import GoalWords
from bot.flow.goals.keeping import GoalKeeping
from bot.flow.goals.parts import GoalParts
from bot.flow.goals.planning import GoalPlanning
from bot.flow.goals.status import TheGoals
from bot.flow.goals.tools import GoalShelf, goal_tools
from bot.flow.goals.updates import GoalUpdates
from bot.flow.models.choosing import Choosing
from bot.flow.room import Ground, Room
from bot.flow.schedules.room import ScheduleRoom


class GoalRoom:
    """Builds what opens, bounds and keeps the runs of goals."""

    def __init__(self, ground: Ground, schedules: ScheduleRoom, choosing: Choosing) -> None:
        self._ground = ground
        self._goals = ground.store.goals
        self._scheduled = ground.store.scheduled
        self._schedules = schedules
        self._choosing = choosing

    @cached_property
    def room(self) -> Room:
        words = GoalWords(self._goals, self._scheduled, self.planning)
        cards, bounds = GoalCards(self._ground.store.outbox), self._ground.policy.goals
        commands = GoalCommands(
            self._parts, words, cards, self._ground.zones, bounds, self._unpriced
        )
        return Room(
            commands=commands.table,
            desks=(self._parts.desk,),
            companions=(self._keeping.answers,),
            tools=goal_tools(GoalShelf(self._goals, self.planning, self._ground.world.clock)),
            status=(TheGoals(self._goals, self._scheduled),),
        )

    @cached_property
    def opening(self) -> GoalOpening:
        """The companion that is asked before the one of runs; the room's own is asked behind it."""
        return GoalOpening(self._goals, self._scheduled, self._ground.policy.goals)

    @property
    def _keeping(self) -> GoalKeeping:
        updates = GoalUpdates(self._goals, self._scheduled, self.planning)
        return GoalKeeping(self.opening, self._goals, self._scheduled, updates)

    @cached_property
    def planning(self) -> GoalPlanning:
        making, timetable = self._schedules.making, self._schedules.timetable
        return GoalPlanning(self._goals, self._scheduled, making, timetable)

    @cached_property
    def _parts(self) -> GoalParts:
        clock = self._ground.world.clock
        desk = GoalDesk(self._goals, self.planning, self._ground.journal, clock)
        firing = self._schedules.firing
        return GoalParts(self._goals, self._scheduled, self.planning, firing, desk, clock)

    def _unpriced(self, chat: Chat) -> str:
        """Returns the model of a chat if nobody knows what it costs; empty otherwise."""
        model = self._choosing.model(chat.settings.model)
        known = self._choosing.knows(model) and self._choosing.profile(model).price is None
        return model if known else ""
