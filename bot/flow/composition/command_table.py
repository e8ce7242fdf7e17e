"""The commands, in the order in which the help lists them."""

from dataclasses import dataclass
from functools import cached_property

from bot.flow.commanding.switches import QUEUE
from bot.flow.commanding.table import Command
from bot.flow.commands.answers import AnswerCommands
from bot.flow.commands.card_commands import CardCommands
from bot.flow.commands.cards_on_screen import CardsOnScreen
from bot.flow.commands.consequences import Consequences
from bot.flow.commands.conversation_commands import ConversationCommands
from bot.flow.commands.feedback import FeedbackCommands
from bot.flow.commands.greeting import GreetingCommands
from bot.flow.commands.plan_replacing import PlanReplacing
from bot.flow.commands.status_parts import GoingOn, OverviewCommands, TheProgram, ThisChat
from bot.flow.commands.stopping import StopCommands
from bot.flow.commands.stored_arrivals import StoredArrivals
from bot.flow.commands.tool_list import ToolCommands
from bot.flow.commands.turn_commands import TurnCommands
from bot.flow.composition.chat_work import ChatWork
from bot.flow.composition.rooms import Rooms
from bot.flow.composition.way_out import WayOut
from bot.flow.log.opinions import Opinions
from bot.flow.room import Ground


@dataclass(eq=False)
class CommandTable:
    """Builds the commands that belong to no feature, and lists them among those of the rooms."""

    _ground: Ground
    _rooms: Rooms
    _way_out: WayOut
    _chat_work: ChatWork

    @cached_property
    def commands(self) -> tuple[Command, ...]:
        store, world, rooms = self._ground.store, self._ground.world, self._rooms
        journal, clock = self._ground.journal, world.clock
        conversations = ConversationCommands(journal, store.chats, self._ground.zones, clock)
        answers = AnswerCommands(self._ground.policy.long_answer, world.channels)
        missing = self._ground.world.tools_missing
        return (
            *GreetingCommands(lambda: self.commands).table,
            *rooms.people.room.commands,
            *self._stop_commands.table,
            *self._turn_commands.table,
            *conversations.table,
            *rooms.undoing.room.commands,
            QUEUE.command(),
            *rooms.plans.room.commands,
            *CardCommands(store.approvals, store.members, store.plans, store.outbox, clock).table,
            *rooms.approvals.room.commands,
            *rooms.groups.room.commands,
            *rooms.schedules.room.commands,
            *rooms.goals.room.commands,
            *rooms.people.personal,
            *rooms.memory.room.commands,
            *answers.table,
            *rooms.verbose.room.commands,
            *rooms.speaking.room.commands,
            *FeedbackCommands(store.feedback, self.opinions).table,
            *rooms.explaining.room.commands,
            *rooms.skills.room.commands,
            *ToolCommands(rooms.models.preamble, missing, rooms.models.searches, clock).table,
            *rooms.models.room.commands,
            *rooms.money.room.commands,
            *self._overview_commands.table,
        )

    @cached_property
    def opinions(self) -> Opinions:
        """The part that notes what people think of answers."""
        store = self._ground.store
        return Opinions(store.turns, store.journal, self._ground.world.clock)

    @property
    def _stop_commands(self) -> StopCommands:
        return StopCommands(
            self._ground.journal,
            self._ground.store.inbox,
            self._ground.store.approvals,
            self._rooms.approvals.ending,
            self._rooms.plans.desk,
            self._rooms.reading.gathering.next,
        )

    @property
    def _turn_commands(self) -> TurnCommands:
        return TurnCommands(
            self._ground.journal,
            self._ground.store.chats,
            self._ground.store.approvals,
            self._rooms.approvals.ending,
            self._rooms.plans.desk,
            self._ground.world.clock,
            self._rooms.models.choosing,
        )

    @property
    def _overview_commands(self) -> OverviewCommands:
        store, world, rooms = self._ground.store, self._ground.world, self._rooms
        choosing, folders, commands = rooms.models.choosing, world.workspaces, world.commands_run
        recall, holds, speaks = rooms.memory.recall, world.holds, world.hearing and world.speaking
        parts = (
            GoingOn(self._ground.journal, store.approvals, store.errands),
            ThisChat(choosing, store.rules, folders, commands, speaks=speaks is not None),
            *rooms.money.room.status,
            *rooms.goals.room.status,
            *rooms.hooks.room.status,
            *rooms.upkeep.room.status,
            TheProgram(store.people, world.persona, recall, holds, world.clock),
        )
        return OverviewCommands(parts)

    @property
    def cards_on_screen(self) -> CardsOnScreen:
        store = self._ground.store
        return CardsOnScreen(
            store.chats, store.journal, store.approvals, store.plans, store.inbox, store.outbox
        )

    @property
    def consequences(self) -> Consequences:
        lanes, reactions = self._chat_work.lanes, self._way_out.reactions
        return Consequences(lanes, reactions, self._ground.world.servers, self._rooms.money.till)

    @cached_property
    def plan_replacing(self) -> PlanReplacing:
        store = self._ground.store
        return PlanReplacing(
            StoredArrivals(store.inbox, store.chats, self._rooms.reading.messages),
            self._ground.journal,
            store.plans,
            self._rooms.plans.commands,
            self._chat_work.queueing,
            self.consequences,
        )
