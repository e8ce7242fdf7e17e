"""The commands, in the order in which the help lists them."""

from functools import cached_property

from bot.flow.approvals.rule_commands import RuleCommands
from bot.flow.commanding.table import Command
from bot.flow.commands.busy import BusyCommands
from bot.flow.commands.cards import CardCommands
from bot.flow.commands.cards_on_screen import CardsOnScreen
from bot.flow.commands.consequences import Consequences
from bot.flow.commands.greeting import GreetingCommands
from bot.flow.commands.overview import OverviewCommands
from bot.flow.commands.plan_replacing import PlanReplacing
from bot.flow.commands.status_parts import GoingOn, TheProgram, ThisChat
from bot.flow.commands.stopping import StopCommands
from bot.flow.commands.stored_arrivals import StoredArrivals
from bot.flow.commands.tools import ToolCommands
from bot.flow.commands.turns import TurnCommands
from bot.flow.composition.answer_commands import answer_commands, conversation_commands
from bot.flow.composition.chat_work import ChatWork
from bot.flow.composition.memory_commands import DesksByLetter, memory_commands, memory_desks
from bot.flow.composition.money_commands import money_commands, money_status
from bot.flow.composition.one_turn import OneTurn
from bot.flow.composition.people_asked import PeopleAsked
from bot.flow.composition.people_commands import people_commands
from bot.flow.composition.task_commands import task_commands, task_desks
from bot.flow.composition.touching import feedback_commands
from bot.flow.composition.way_out import WayOut
from bot.flow.groups.commands import GroupCommands
from bot.flow.models.commands import ModelCommands
from bot.flow.plans.commands import PlanCommands
from bot.flow.skills.commands import SkillCommands
from bot.flow.world import Policy, StorePorts, World


class CommandTable:
    """Builds every command, and the parts that show and answer the cards of commands."""

    def __init__(
        self,
        store: StorePorts,
        world: World,
        policy: Policy,
        way_out: WayOut,
        people_asked: PeopleAsked,
        one_turn: OneTurn,
        chat_work: ChatWork,
    ) -> None:
        self._store = store
        self._world = world
        self._policy = policy
        self._way_out = way_out
        self._people_asked = people_asked
        self._one_turn = one_turn
        self._chat_work = chat_work

    @cached_property
    def commands(self) -> tuple[Command, ...]:
        return (
            *GreetingCommands(lambda: self.commands).table,
            *self._people_commands,
            *self._stop_commands.table,
            *self._turn_commands.table,
            *self._conversation_commands,
            *self._one_turn.chores.undoing.commands(
                self._people_asked.card_ending, self._one_turn.choosing
            ),
            *BusyCommands().table,
            *self.plan_commands.table,
            *self._card_commands.table,
            *self._rule_commands.table,
            *GroupCommands(self._world.groups, self._world.channels).table,
            *task_commands(self._store, self._world, self._policy, self._one_turn),
            *self._memory_commands,
            *answer_commands(self._store, self._world, self._policy, self._way_out.journal),
            *feedback_commands(self._store, self._world).table,
            *SkillCommands(self._world.skills, self._one_turn.preamble).table,
            *ToolCommands(self._one_turn.preamble, self._policy.tools_missing).table,
            *ModelCommands(self._one_turn.choosing).table,
            *self._money_commands,
            *self._overview_commands.table,
        )

    @property
    def _money_commands(self) -> tuple[Command, ...]:
        till, zones = self._one_turn.till, self._one_turn.way_in.zones
        return money_commands(self._store, self._world, till, zones)

    @property
    def _conversation_commands(self) -> tuple[Command, ...]:
        zones = self._one_turn.way_in.zones
        return conversation_commands(self._store, self._world, self._way_out.journal, zones)

    @property
    def _memory_commands(self) -> tuple[Command, ...]:
        recall, zones = self._one_turn.recall, self._one_turn.way_in.zones
        return memory_commands(self._store, self._world, recall, zones)

    @property
    def _people_commands(self) -> tuple[Command, ...]:
        return people_commands(
            self._store, self._world, self._policy, self._people_asked, self._one_turn
        )

    @property
    def _stop_commands(self) -> StopCommands:
        return StopCommands(
            self._way_out.journal,
            self._store.inbox,
            self._store.approvals,
            self._people_asked.card_ending,
            self._people_asked.plan_desk,
            self._one_turn.way_in.gathering.next,
        )

    @property
    def _turn_commands(self) -> TurnCommands:
        return TurnCommands(
            self._way_out.journal,
            self._store.chats,
            self._store.approvals,
            self._people_asked.card_ending,
            self._people_asked.plan_desk,
            self._world.clock,
            self._one_turn.choosing,
        )

    @cached_property
    def plan_commands(self) -> PlanCommands:
        return PlanCommands(
            self._store.plans,
            self._people_asked.plan_desk,
            self._people_asked.plan_ending,
            self._world.templates,
            self._store.inbox,
            self._world.clock,
        )

    @property
    def _card_commands(self) -> CardCommands:
        store = self._store
        return CardCommands(
            store.approvals, store.members, store.plans, store.outbox, self._world.clock
        )

    @property
    def _rule_commands(self) -> RuleCommands:
        store = self._store
        return RuleCommands(
            store.approvals,
            store.rules,
            store.consents,
            self._way_out.journal,
            self._world.clock,
            self._policy.rule_documents,
            [spec.name for spec in self._world.own_servers],
        )

    @property
    def _overview_commands(self) -> OverviewCommands:
        store, world = self._store, self._world
        return OverviewCommands(
            (
                GoingOn(self._way_out.journal, store.approvals, store.errands),
                ThisChat(
                    self._one_turn.choosing,
                    store.rules,
                    world.workspaces,
                    world.commands_run,
                    speaks=None not in (world.hearing, world.speaking),
                ),
                money_status(self._one_turn.till),
                self._one_turn.schedules.goals.status,
                self._one_turn.schedules.hooks.status,
                TheProgram(
                    store.people, world.persona, self._one_turn.recall, world.holds, world.clock
                ),
            )
        )

    @property
    def cards_on_screen(self) -> CardsOnScreen:
        store = self._store
        return CardsOnScreen(
            store.chats,
            store.journal,
            store.approvals,
            store.plans,
            store.inbox,
            store.outbox,
        )

    @property
    def consequences(self) -> Consequences:
        return Consequences(
            self._chat_work.lanes,
            self._way_out.reactions,
            self._world.servers,
            self._one_turn.till,
        )

    @property
    def memory_desks(self) -> DesksByLetter:
        return memory_desks(self._store, self._world, self._way_out.journal)

    @property
    def task_desks(self) -> DesksByLetter:
        return task_desks(self._store, self._world, self._one_turn, self._way_out.journal)

    @cached_property
    def plan_replacing(self) -> PlanReplacing:
        store = self._store
        return PlanReplacing(
            StoredArrivals(store.inbox, store.chats, self._one_turn.way_in.message_reader),
            self._way_out.journal,
            store.plans,
            self.plan_commands,
            self._chat_work.queueing,
            self.consequences,
        )
