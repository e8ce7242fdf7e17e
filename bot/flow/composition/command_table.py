"""The commands, in the order in which the help lists them."""

from functools import cached_property

from bot.flow.commands import Command, Consequences
from bot.flow.commands.answers import AnswerCommands
from bot.flow.commands.cards import CardCommands
from bot.flow.commands.cards_on_screen import CardsOnScreen
from bot.flow.commands.greeting import GreetingCommands
from bot.flow.commands.groups import GroupCommands
from bot.flow.commands.people import PeopleCommands
from bot.flow.commands.plan_replacing import PlanReplacing
from bot.flow.commands.plans import PlanCommands
from bot.flow.commands.setup import SetupCommands
from bot.flow.commands.skills import SkillCommands
from bot.flow.commands.stopping import StopCommands
from bot.flow.commands.stored_arrivals import StoredArrivals
from bot.flow.commands.turns import TurnCommands
from bot.flow.composition.chat_work import ChatWork
from bot.flow.composition.one_turn import OneTurn
from bot.flow.composition.people_asked import PeopleAsked
from bot.flow.composition.way_out import WayOut
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
            *self._people_commands.table,
            *StopCommands(
                self._way_out.journal, self._store.inbox, self._one_turn.gathering.next
            ).table,
            *self._turn_commands.table,
            *self.plan_commands.table,
            *self._card_commands.table,
            *GroupCommands(self._world.groups).table,
            *AnswerCommands(self._policy.long_answer).table,
            *SkillCommands(self._world.skills, self._one_turn.surroundings).table,
            *self._setup_commands.table,
        )

    @property
    def _people_commands(self) -> PeopleCommands:
        return PeopleCommands(
            self._store.people,
            self._store.members,
            self._people_asked.card_ending,
            self._one_turn.surroundings,
            self._world.clock,
            self._policy.member_pace,
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
            self._policy.model,
        )

    @cached_property
    def plan_commands(self) -> PlanCommands:
        return PlanCommands(
            self._store.plans,
            self._people_asked.plan_desk,
            self._people_asked.plan_ending,
            self._world.templates,
            self._world.clock,
        )

    @property
    def _card_commands(self) -> CardCommands:
        store = self._store
        return CardCommands(
            store.approvals,
            store.rules,
            store.members,
            store.consents,
            self._world.clock,
            self._policy.rule_documents,
        )

    @property
    def _setup_commands(self) -> SetupCommands:
        return SetupCommands(
            self._one_turn.models,
            self._one_turn.surroundings,
            self._store.ledger,
            self._way_out.journal,
            self._store.approvals,
            self._world.clock,
            self._policy.model,
        )

    @property
    def cards_on_screen(self) -> CardsOnScreen:
        store = self._store
        return CardsOnScreen(store.chats, store.approvals, store.plans, store.inbox, store.outbox)

    @property
    def consequences(self) -> Consequences:
        return Consequences(self._chat_work.lanes, self._way_out.reactions, self._world.servers)

    @cached_property
    def plan_replacing(self) -> PlanReplacing:
        store = self._store
        return PlanReplacing(
            StoredArrivals(store.inbox, store.chats, self._one_turn.message_reader),
            self._way_out.journal,
            store.plans,
            self.plan_commands,
            self._chat_work.queueing,
            self.consequences,
        )
