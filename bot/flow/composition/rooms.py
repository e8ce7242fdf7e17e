"""The rooms of the features, and the order in which their companions are asked."""

from collections.abc import Sequence
from functools import cached_property

from bot.domain.change import Change
from bot.domain.tools.house import place_of
from bot.flow.approvals.room import ApprovalRoom
from bot.flow.background.room import BackgroundRoom
from bot.flow.composition.way_out import WayOut
from bot.flow.errands.room import ErrandRoom
from bot.flow.explaining.room import ExplainingRoom
from bot.flow.goals.room import GoalRoom
from bot.flow.groups.room import GroupRoom
from bot.flow.hooks.room import HookRoom
from bot.flow.log.companion import Companion
from bot.flow.log.tools import conversation_tools
from bot.flow.memory.room import MemoryRoom
from bot.flow.models.room import ModelRoom
from bot.flow.money.room import MoneyRoom
from bot.flow.money.till import Till
from bot.flow.people.room import PeopleRoom, zone_question
from bot.flow.plans.room import PlanRoom
from bot.flow.reading.room import ReadingRoom
from bot.flow.room import Ground, Room
from bot.flow.schedules.room import ScheduleRoom
from bot.flow.skills.room import SkillRoom
from bot.flow.speaking.room import SpeakingRoom
from bot.flow.undoing.room import UndoingRoom
from bot.flow.upkeep.room import UpkeepRoom
from bot.flow.verbose.room import VerboseRoom
from bot.flow.ways.room import WayRoom
from bot.ports.tool import Tool


class Rooms:
    """Builds each room from the ground and the rooms below it; those that need lanes, later."""

    def __init__(self, ground: Ground, till: Till | None, way_out: WayOut) -> None:
        self._ground = ground
        self.money = MoneyRoom(ground, till)
        self.approvals = ApprovalRoom(ground)
        self.hooks = HookRoom(ground)
        self.memory = MemoryRoom(ground)
        question = zone_question(ground)
        self.schedules = ScheduleRoom(ground, None if question is None else question.with_command)
        self.verbose = VerboseRoom(ground)
        self.models = ModelRoom(ground, self.money.till, lambda: self.tools)
        self.plans = PlanRoom(ground, self.approvals.owners)
        self.skills = SkillRoom(ground, self.models.preamble)
        self.errands = ErrandRoom(ground, self.models.choosing)
        self.explaining = ExplainingRoom(ground, self.models.choosing)
        self.speaking = SpeakingRoom(ground, self.money.till)
        self.goals = GoalRoom(ground, self.schedules, self.models.choosing)
        self.reading = ReadingRoom(ground, self.money.till, way_out.lives)
        self.background = BackgroundRoom(ground)
        self.ways = WayRoom(ground)
        self.upkeep = UpkeepRoom(ground)
        self._announce = way_out.delivery.wake

    @cached_property
    def undoing(self) -> UndoingRoom:
        return UndoingRoom(self._ground, self.approvals.ending, self.models.choosing)

    @cached_property
    def people(self) -> PeopleRoom:
        rezoned = self.schedules.rezoning.writes
        return PeopleRoom(self._ground, self.models.preamble, self.approvals.ending, rezoned)

    @cached_property
    def groups(self) -> GroupRoom:
        rows, ending, plans = self.reading.rows, self.approvals.ending, self.plans.desk
        return GroupRoom(self._ground, rows, ending, plans, self._announce)

    @cached_property
    def all(self) -> Sequence[Room]:
        """Every room, in no order that matters."""
        return (
            self.approvals.room,
            self.background.room,
            self.errands.room,
            self.explaining.room,
            self.goals.room,
            self.groups.room,
            self.hooks.room,
            self.memory.room,
            self.models.room,
            self.money.room,
            self.people.room,
            self.plans.room,
            self.schedules.room,
            self.skills.room,
            self.speaking.room,
            self.undoing.room,
            self.upkeep.room,
            self.verbose.room,
            self.ways.room,
        )

    @cached_property
    def tools(self) -> Sequence[Tool]:
        """The tools of the world, of conversations and of the rooms, as models see them."""
        store, journal = self._ground.store, self._ground.journal
        rooms = (tool for room in self.all for tool in room.tools)
        lent = (
            *self._ground.world.tools,
            *conversation_tools(store.chats, journal, store.plans.live),
            *rooms,
        )
        return tuple(sorted(lent, key=lambda tool: place_of(tool.spec.name)))

    def moved(self, change: Change) -> None:
        """Tells every room of a change that is committed."""
        for room in self.all:
            room.moved(change)

    @cached_property
    def companions(self) -> Sequence[Companion]:
        """The companions in the order in which they are asked: first who speaks, then skills.

        Plans come after skills, so a plan continues under its own skill, not the chat's choice. The
        companion that opens runs of goals comes before the one of runs.
        """
        return (
            *self.background.room.companions,
            *self.skills.room.companions,
            *self.plans.room.companions,
            *self.ways.room.companions,
            *self.models.room.companions,
            *self.memory.room.companions,
            *self.approvals.room.companions,
            self.models.footer.answers,
            *self.money.room.companions,
            *self.errands.room.companions,
            *self.verbose.room.companions,
            *self.people.room.companions,
            *self.speaking.room.companions,
            self.goals.opening.answers,
            *self.schedules.room.companions,
            *self.goals.room.companions,
            *self.hooks.room.companions,
        )
