"""Every part of the flow put together over its ports: the same for the program and for tests."""

from collections.abc import Sequence
from functools import cached_property

from bot.domain.approval import card_of
from bot.domain.message import RawUpdate
from bot.flow.approvals.asking import Asking
from bot.flow.approvals.cards import PREFIX as CARDS
from bot.flow.approvals.desk import ApprovalDesk
from bot.flow.approvals.desks import Desks
from bot.flow.approvals.ending import CardEnding
from bot.flow.approvals.open_cards import OpenCards
from bot.flow.approvals.owners import Owners
from bot.flow.arrivals.acknowledging import Acknowledging
from bot.flow.arrivals.doorway import Doorway
from bot.flow.arrivals.intake import Intake
from bot.flow.arrivals.router import Destinations, Router
from bot.flow.commands import Command, Commands, Consequences
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
from bot.flow.delivery.announcing import AnnouncingJournal
from bot.flow.delivery.delivery import Delivery
from bot.flow.groups.farewell import Farewell
from bot.flow.groups.membership import Membership
from bot.flow.groups.moving import Moving
from bot.flow.groups.news import News
from bot.flow.log.history import History
from bot.flow.models.compaction import Compaction
from bot.flow.models.lending import Lending
from bot.flow.models.model_calls import ModelCalls
from bot.flow.models.surroundings import SurroundingsMaker
from bot.flow.plans.cards import PREFIX as PLANS
from bot.flow.plans.companion import PlanCompanion
from bot.flow.plans.desk import PlanDesk
from bot.flow.plans.ending import PlanEnding
from bot.flow.plans.question import PREFIX as QUESTIONS
from bot.flow.queue.chat_queue import ChatQueue
from bot.flow.queue.pacing import Pacing
from bot.flow.queue.queueing import Queueing
from bot.flow.queue.seams import Seams
from bot.flow.reading.enclosures import Enclosures
from bot.flow.reading.gathering import Gathering
from bot.flow.reading.message_reader import MessageReader
from bot.flow.reading.overhearing import Overhearing
from bot.flow.reading.row_reader import RowReader
from bot.flow.signs.live import Lives
from bot.flow.signs.placeholder import Placing
from bot.flow.signs.reactions import Reactions
from bot.flow.skills.companion import SkillCompanion
from bot.flow.turn.companion import Companion, Companions
from bot.flow.turn.conversations import Conversations
from bot.flow.turn.gatekeeper import Gatekeeper
from bot.flow.turn.openings import Openings
from bot.flow.turn.replies import Replies
from bot.flow.turn.scene import Scenes
from bot.flow.turn.settlement import Settlement
from bot.flow.turn.steering import Steering
from bot.flow.turn.tool_loop import ToolLoop
from bot.flow.turn.tool_runner import ToolRunner
from bot.flow.turn.turns import Turns
from bot.flow.world import Policy, StorePorts, World
from bot.ports.lanes import Lanes
from bot.ports.outbox import OutboxRow


class Composition:
    """The parts of the flow, each built when another part first asks for it.

    Channels hand their updates to `intake.accept`. Two knots are tied here: lanes drain the queue
    that wakes them, and delivery tells the desk of cards that it could not show. `companions` go
    along with every turn, behind those that are built here.
    """

    def __init__(
        self,
        store: StorePorts,
        world: World,
        policy: Policy,
        companions: Sequence[Companion] = (),
    ) -> None:
        self.store = store
        self._others = companions
        self.world = world
        self._policy = policy

    # The way in

    @cached_property
    def intake(self) -> Intake:
        return Intake(self.store.inbox, self._journal, self._router, self._seams, self.world.clock)

    @cached_property
    def _seams(self) -> Seams:
        clock = self.world.clock
        return Seams(self.store.inbox, self._rows, clock, self._policy.bundles)

    @cached_property
    def _rows(self) -> RowReader:
        return RowReader(self.world.channels)

    @cached_property
    def _router(self) -> Router:
        destinations = Destinations(
            self.doorway,
            Commands(self.commands, self._journal, self._consequences),
            self._desks,
            self.acknowledging,
            self._queueing,
            self._overhearing,
            self._moving,
            self._membership,
        )
        return Router(
            self.world.channels,
            self._rows,
            self.store.people,
            self.store.chats,
            self._journal,
            self._seams,
            destinations,
        )

    @cached_property
    def acknowledging(self) -> Acknowledging:
        return Acknowledging()

    @cached_property
    def _desks(self) -> Desks:
        desks = {CARDS: self.desk, PLANS: self.plan_desk, QUESTIONS: self._plan_replacing}
        return Desks(self.store.outbox, desks)

    @cached_property
    def _plan_replacing(self) -> PlanReplacing:
        store = self.store
        return PlanReplacing(
            StoredArrivals(store.inbox, store.chats, self._message_reader),
            self._journal,
            store.plans,
            self._plan_commands,
            self._queueing,
            self._consequences,
        )

    @property
    def _consequences(self) -> Consequences:
        return Consequences(self.lanes, self.reactions, self.world.servers)

    @cached_property
    def doorway(self) -> Doorway:
        return Doorway(self.store.door, self.store.chats, self._journal, self.world.clock)

    @cached_property
    def _queueing(self) -> Queueing:
        store, clock = self.store, self.world.clock
        return Queueing(
            store.inbox,
            self._journal,
            self.lanes,
            self._queue,
            Pacing(store.members, store.outbox, self._journal, clock, self._policy.member_pace),
            self.reactions,
            self._seams,
        )

    @cached_property
    def _overhearing(self) -> Overhearing:
        store = self.store
        return Overhearing(store.inbox, store.chats, self._journal, self._rows)

    @cached_property
    def _moving(self) -> Moving:
        return Moving(
            self._rows,
            self.store.chats,
            self._journal,
            self._news,
            self.lanes,
            self.world.clock,
            self.delivery.wake,
        )

    @cached_property
    def _membership(self) -> Membership:
        store = self.store
        return Membership(
            store.people,
            store.chats,
            store.ledger,
            self._journal,
            self._farewell,
            self._news,
            self.world.clock,
        )

    @property
    def _farewell(self) -> Farewell:
        return Farewell(
            self.store.approvals,
            self.store.inbox,
            self._journal,
            self.card_ending,
            self.plan_desk,
            self.lanes,
        )

    @cached_property
    def _news(self) -> News:
        store = self.store
        return News(store.people, store.chats, store.outbox, self.world.clock)

    # Commands, in the order in which they are listed

    @cached_property
    def commands(self) -> tuple[Command, ...]:
        return (
            *GreetingCommands(lambda: self.commands).table,
            *self._people_commands.table,
            *StopCommands(self._journal, self.store.inbox, self._gathering.next).table,
            *self._turn_commands.table,
            *self._plan_commands.table,
            *self._card_commands.table,
            *GroupCommands(self.world.groups).table,
            *AnswerCommands(self._policy.long_answer).table,
            *SkillCommands(self.world.skills, self.surroundings).table,
            *self._setup_commands.table,
        )

    @property
    def _people_commands(self) -> PeopleCommands:
        return PeopleCommands(
            self.store.people,
            self.store.members,
            self.card_ending,
            self.surroundings,
            self.world.clock,
            self._policy.member_pace,
        )

    @property
    def _turn_commands(self) -> TurnCommands:
        return TurnCommands(
            self._journal,
            self.store.chats,
            self.store.approvals,
            self.card_ending,
            self.plan_desk,
            self.world.clock,
            self._policy.model,
        )

    @cached_property
    def _plan_commands(self) -> PlanCommands:
        return PlanCommands(
            self.store.plans,
            self.plan_desk,
            self._plan_ending,
            self.world.templates,
            self.world.clock,
        )

    @property
    def _card_commands(self) -> CardCommands:
        store = self.store
        return CardCommands(
            store.approvals,
            store.rules,
            store.members,
            store.consents,
            self.world.clock,
            self._policy.rule_documents,
        )

    @property
    def _setup_commands(self) -> SetupCommands:
        return SetupCommands(
            self.models,
            self.surroundings,
            self.store.ledger,
            self._journal,
            self.store.approvals,
            self.world.clock,
            self._policy.model,
        )

    # A chat's work

    @cached_property
    def lanes(self) -> Lanes:
        return self.world.lanes(self._drain)

    async def _drain(self, chat: int) -> None:
        await self._queue.drain(chat)

    @cached_property
    def _queue(self) -> ChatQueue:
        clock = self.world.clock
        return ChatQueue(
            self._journal,
            History(self._journal, self.store.chats, clock),
            self._turns,
            self._gathering,
            self._overhearing,
            self._moving,
            clock,
        )

    @cached_property
    def _gathering(self) -> Gathering:
        return Gathering(self._rows, self._message_reader, self.world.clock, self._policy.bundles)

    @cached_property
    def _message_reader(self) -> MessageReader:
        world, policy = self.world, self._policy
        enclosures = Enclosures(
            world.files, world.reader, world.clock, policy.limits, policy.enclosures
        )
        return MessageReader(self._rows, self.store.people, enclosures, self.lives, world.clock)

    @cached_property
    def _turns(self) -> Turns:
        world = self.world
        openings = Openings(
            self.lives,
            self.store.approvals,
            world.clock,
            self._companions,
            self._policy.model,
        )
        return Turns(
            openings,
            self._loop,
            self._settlement,
            self._compaction,
            Scenes(self.surroundings, self.models, world.workspaces, self._companions),
            self.lives,
        )

    @cached_property
    def _companions(self) -> Companions:
        """Skills first: a plan goes on under the skill of its steps, whatever the chat chose."""
        policy, skills = self._policy, self.world.skills
        most = policy.limits.plan_steps
        plans = PlanCompanion(self._plan_ending, skills, most, explore=policy.plan_explore)
        return (SkillCompanion(skills), plans, *self._others)

    @cached_property
    def _loop(self) -> ToolLoop:
        limits = self._policy.limits
        steering = Steering(self.store.inbox, self._gathering, self.reactions, self._companions)
        fallbacks = self._policy.fallbacks
        return ToolLoop(
            Replies(self.models, steering, self._companions, fallbacks, limits.images_in_view),
            ToolRunner(self.world.clock, limits),
            self._gatekeeper,
            Asking(self.world.clock, limits),
            self._compaction,
            self._companions,
            limits,
        )

    @cached_property
    def models(self) -> ModelCalls:
        return ModelCalls(self.world.models, self.world.clock, self._policy.times)

    @cached_property
    def surroundings(self) -> SurroundingsMaker:
        world = self.world
        lending = Lending(world.own_servers, world.skills, self.store.consents)
        return SurroundingsMaker(
            world.catalog,
            world.skills,
            world.servers,
            lending.wanted,
            skill_list=self._policy.skill_list,
        )

    @cached_property
    def _compaction(self) -> Compaction:
        return Compaction(self.models, self._policy.limits)

    @cached_property
    def _settlement(self) -> Settlement:
        return Settlement(self._conversations, self._companions, self._policy.long_answer)

    @property
    def _conversations(self) -> Conversations:
        store = self.store
        return Conversations(
            store.chats, store.approvals, self.card_ending, self._compaction, self.models
        )

    # What is asked of people

    @cached_property
    def _gatekeeper(self) -> Gatekeeper:
        store, policy = self.store, self._policy
        return Gatekeeper(
            store.approvals,
            store.rules,
            store.people,
            self._owners,
            self._companions,
            policy.limits,
            policy.rule_documents,
        )

    @cached_property
    def desk(self) -> ApprovalDesk:
        store = self.store
        return ApprovalDesk(
            self._open_cards,
            self.card_ending,
            store.approvals,
            store.outbox,
            store.ledger,
            self.world.clock,
        )

    @cached_property
    def card_ending(self) -> CardEnding:
        return CardEnding(
            self._open_cards,
            self.store.approvals,
            self._journal,
            self.lanes,
            self.world.clock,
        )

    @cached_property
    def _open_cards(self) -> OpenCards:
        return OpenCards(self._journal, self.store.approvals, self.lanes)

    @cached_property
    def plan_desk(self) -> PlanDesk:
        store = self.store
        return PlanDesk(
            self._journal, store.plans, store.chats, store.outbox, self.lanes, self.world.clock
        )

    @property
    def cards_on_screen(self) -> CardsOnScreen:
        store = self.store
        return CardsOnScreen(store.chats, store.approvals, store.plans, store.inbox, store.outbox)

    @cached_property
    def _plan_ending(self) -> PlanEnding:
        return PlanEnding(self.store.people, self._owners)

    @cached_property
    def _owners(self) -> Owners:
        return Owners(self.store.people, self.store.members, self.world.groups)

    # The way out

    @cached_property
    def _journal(self) -> AnnouncingJournal:
        return AnnouncingJournal(self.store.journal, self.delivery.wake)

    @cached_property
    def delivery(self) -> Delivery:
        return Delivery(
            self.store.outbox,
            self.world.channels,
            self.world.clock,
            self._given_up,
            self._told_of_move,
            self._policy.limits,
        )

    @cached_property
    def reactions(self) -> Reactions:
        return Reactions(self.world.channels, self.world.clock)

    @cached_property
    def lives(self) -> Lives:
        world = self.world
        return Lives(world.channels, world.clock, self.reactions, self.placing)

    @cached_property
    def placing(self) -> Placing:
        return Placing(self._journal, self.delivery.wake)

    async def _told_of_move(self, channel: str, update: RawUpdate) -> None:
        await self.intake.accept(channel, (update,))

    async def _given_up(self, row: OutboxRow, why: str) -> None:
        id = card_of(row.key)
        if id is not None:
            await self.card_ending.unaskable(id, row.chat, why)
