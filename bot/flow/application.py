"""The flow put together over its ports: the same for the program and for its tests."""

import asyncio
import logging
from functools import cached_property

from bot.domain.approval import card_of
from bot.domain.errors import StoreError
from bot.domain.message import RawUpdate
from bot.flow.announcing import AnnouncingJournal
from bot.flow.approvals import ApprovalDesk
from bot.flow.asker import Asker
from bot.flow.cards import PREFIX as CARDS
from bot.flow.chat_queue import ChatQueue
from bot.flow.commands import Command, Commands
from bot.flow.commands.answers import AnswerCommands
from bot.flow.commands.cards import CardCommands
from bot.flow.commands.greeting import GreetingCommands
from bot.flow.commands.groups import GroupCommands
from bot.flow.commands.people import PeopleCommands
from bot.flow.commands.plans import PlanCommands
from bot.flow.commands.setup import SetupCommands
from bot.flow.commands.skills import SkillCommands
from bot.flow.commands.stopping import StopCommands
from bot.flow.commands.turns import TurnCommands
from bot.flow.compaction import Compaction
from bot.flow.context import Context
from bot.flow.conversations import Conversations
from bot.flow.delivery import Delivery
from bot.flow.desks import Desks
from bot.flow.doorway import Doorway
from bot.flow.enclosures import Enclosures
from bot.flow.farewell import Farewell
from bot.flow.gatekeeper import Gatekeeper
from bot.flow.gathering import Gathering
from bot.flow.history import History
from bot.flow.intake import Intake
from bot.flow.lending import Lending
from bot.flow.live import Lives
from bot.flow.membership import Membership
from bot.flow.model_calls import ModelCalls
from bot.flow.moving import Moving
from bot.flow.news import News
from bot.flow.overhearing import Overhearing
from bot.flow.owners import Owners
from bot.flow.pacing import Pacing
from bot.flow.pieces import Pieces
from bot.flow.plan_cards import PREFIX as PLANS
from bot.flow.plan_desk import PlanDesk
from bot.flow.plan_ending import PlanEnding
from bot.flow.plan_question import PREFIX as QUESTIONS
from bot.flow.plan_replacing import PlanReplacing
from bot.flow.queueing import Queueing
from bot.flow.reactions import Reactions
from bot.flow.replies import Replies
from bot.flow.router import Destinations, Router
from bot.flow.scene import Scenes
from bot.flow.settlement import Settlement
from bot.flow.steering import Steering
from bot.flow.tool_loop import ToolLoop
from bot.flow.tool_runner import ToolRunner
from bot.flow.turn import Turns
from bot.flow.world import Policy, StorePorts, World
from bot.ports.lanes import Lanes
from bot.ports.outbox import OutboxRow

_LOG = logging.getLogger(__name__)

SWEEP_SECONDS = 20.0
"""How often overdue cards are looked for."""


class Application:
    """The parts of the flow, each built when the first of the others asks for it.

    `accept` of the intake is where channels hand their updates in.
    """

    def __init__(self, store: StorePorts, world: World, policy: Policy) -> None:
        self._store = store
        self._world = world
        self._policy = policy

    # The way in

    @cached_property
    def intake(self) -> Intake:
        return Intake(
            self._store.inbox, self._journal, self._router, self._pieces, self._world.clock
        )

    @cached_property
    def _pieces(self) -> Pieces:
        world = self._world
        return Pieces(self._store.inbox, world.channels, world.clock, self._policy.bundles)

    @cached_property
    def _router(self) -> Router:
        destinations = Destinations(
            self.doorway,
            Commands(self.commands, self._journal, self.lanes, self.reactions, self._world.servers),
            self._desks,
            self._queueing,
            self._overhearing,
            self._moving,
            self._membership,
        )
        return Router(
            self._world.channels,
            self._store.people,
            self._store.chats,
            self._journal,
            self._pieces,
            destinations,
        )

    @cached_property
    def _desks(self) -> Desks:
        desks = {CARDS: self.desk, PLANS: self.plan_desk, QUESTIONS: self._plan_replacing}
        return Desks(self._store.outbox, desks)

    @cached_property
    def _plan_replacing(self) -> PlanReplacing:
        store = self._store
        return PlanReplacing(
            self._asker,
            store.inbox,
            self._journal,
            store.chats,
            store.plans,
            self._plan_commands,
            self._queueing,
            self.lanes,
        )

    @cached_property
    def doorway(self) -> Doorway:
        return Doorway(self._store.door, self._store.chats, self._journal, self._world.clock)

    @cached_property
    def _queueing(self) -> Queueing:
        store, clock = self._store, self._world.clock
        return Queueing(
            store.inbox,
            self._journal,
            self.lanes,
            self._queue,
            Pacing(store.members, store.outbox, self._journal, clock, self._policy.member_pace),
            self.reactions,
            self._pieces,
        )

    @cached_property
    def _overhearing(self) -> Overhearing:
        store = self._store
        return Overhearing(store.inbox, store.chats, self._journal, self._world.channels)

    @cached_property
    def _moving(self) -> Moving:
        return Moving(
            self._world.channels,
            self._store.chats,
            self._journal,
            self._news,
            self.lanes,
            self._world.clock,
            self.delivery.wake,
        )

    @cached_property
    def _membership(self) -> Membership:
        store = self._store
        return Membership(
            store.people,
            store.chats,
            store.ledger,
            self._journal,
            Farewell(store.approvals, store.inbox, self._journal, self.desk, self.plan_desk),
            self._news,
            self.lanes,
            self._world.clock,
        )

    @cached_property
    def _news(self) -> News:
        store = self._store
        return News(store.people, store.chats, store.outbox, self._world.clock)

    # Commands, in the order in which they are listed

    @cached_property
    def commands(self) -> tuple[Command, ...]:
        return (
            *GreetingCommands(lambda: self.commands).table,
            *self._people_commands.table,
            *StopCommands(self._journal, self._store.inbox, self._gathering.next).table,
            *self._turn_commands.table,
            *self._plan_commands.table,
            *self._card_commands.table,
            *GroupCommands(self._world.groups).table,
            *AnswerCommands(self._policy.long_answer).table,
            *SkillCommands(self._world.skills, self.context).table,
            *self._setup_commands.table,
        )

    @property
    def _people_commands(self) -> PeopleCommands:
        return PeopleCommands(
            self._store.people,
            self._store.members,
            self.desk,
            self.context,
            self._world.clock,
            self._policy.member_pace,
        )

    @property
    def _turn_commands(self) -> TurnCommands:
        return TurnCommands(
            self._journal,
            self._store.chats,
            self._store.approvals,
            self.desk,
            self.plan_desk,
            self._world.clock,
            self._policy.model,
        )

    @cached_property
    def _plan_commands(self) -> PlanCommands:
        return PlanCommands(
            self._store.plans,
            self.plan_desk,
            self._plan_ending,
            self._world.templates,
            self._world.clock,
        )

    @property
    def _card_commands(self) -> CardCommands:
        store = self._store
        return CardCommands(
            store.approvals, store.rules, store.members, store.consents, self._world.clock
        )

    @property
    def _setup_commands(self) -> SetupCommands:
        return SetupCommands(
            self.models,
            self.context,
            self._store.ledger,
            self._journal,
            self._store.approvals,
            self._world.clock,
            self._policy.model,
        )

    # A chat's work

    @cached_property
    def lanes(self) -> Lanes:
        return self._world.lanes(self._drain)

    async def _drain(self, chat: int) -> None:
        await self._queue.drain(chat)

    @cached_property
    def _queue(self) -> ChatQueue:
        clock = self._world.clock
        return ChatQueue(
            self._journal,
            History(self._journal, self._store.chats, clock),
            self._turns,
            self._gathering,
            self._overhearing,
            self._moving,
            clock,
        )

    @cached_property
    def _gathering(self) -> Gathering:
        return Gathering(self._asker, self._world.clock, self._policy.bundles)

    @cached_property
    def _asker(self) -> Asker:
        world, policy = self._world, self._policy
        enclosures = Enclosures(
            world.files, world.reader, world.clock, policy.limits, policy.enclosures
        )
        return Asker(world.channels, self._store.people, enclosures, self._lives, world.clock)

    @cached_property
    def _turns(self) -> Turns:
        world = self._world
        return Turns(
            self._loop,
            self._settlement,
            self._compaction,
            Scenes(self.context, self.models, world.workspaces, world.skills),
            self._lives,
            self._store.approvals,
            world.clock,
            self._policy.model,
        )

    @cached_property
    def _loop(self) -> ToolLoop:
        limits = self._policy.limits
        steering = Steering(self._store.inbox, self._gathering, self.reactions)
        fallbacks = self._policy.fallbacks
        return ToolLoop(
            Replies(self.models, steering, fallbacks, limits.images_in_view),
            ToolRunner(self._world.clock, limits),
            self._gatekeeper,
            self.desk,
            self._compaction,
            limits,
        )

    @cached_property
    def models(self) -> ModelCalls:
        return ModelCalls(self._world.models, self._world.clock, self._policy.times)

    @cached_property
    def context(self) -> Context:
        world = self._world
        lending = Lending(world.own_servers, world.skills, self._store.consents)
        return Context(
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
        return Settlement(
            self._conversations,
            self._plan_ending,
            self._world.skills,
            self._policy.long_answer,
        )

    @property
    def _conversations(self) -> Conversations:
        store = self._store
        return Conversations(store.chats, store.approvals, self.desk, self._compaction, self.models)

    # What is asked of people

    @cached_property
    def _gatekeeper(self) -> Gatekeeper:
        store, policy = self._store, self._policy
        return Gatekeeper(
            store.approvals,
            store.rules,
            store.people,
            self._owners,
            policy.limits,
            explore=policy.plan_explore,
        )

    @cached_property
    def desk(self) -> ApprovalDesk:
        return ApprovalDesk(
            self._journal,
            self._store.approvals,
            self._store.outbox,
            self._store.ledger,
            self.lanes,
            self._world.clock,
            self._policy.limits,
        )

    @cached_property
    def plan_desk(self) -> PlanDesk:
        store = self._store
        return PlanDesk(
            self._journal, store.plans, store.chats, store.outbox, self.lanes, self._world.clock
        )

    @cached_property
    def _plan_ending(self) -> PlanEnding:
        return PlanEnding(self._store.people, self._owners)

    @cached_property
    def _owners(self) -> Owners:
        return Owners(self._store.people, self._store.members, self._world.groups)

    # The way out

    @cached_property
    def _journal(self) -> AnnouncingJournal:
        return AnnouncingJournal(self._store.journal, self.delivery.wake)

    @cached_property
    def delivery(self) -> Delivery:
        return Delivery(
            self._store.outbox,
            self._world.channels,
            self._world.clock,
            self._given_up,
            self._told_of_move,
            self._policy.limits,
        )

    @cached_property
    def reactions(self) -> Reactions:
        return Reactions(self._world.channels, self._world.clock)

    @cached_property
    def _lives(self) -> Lives:
        world = self._world
        return Lives(world.channels, world.clock, self.reactions, self._journal, self.delivery.wake)

    # Its life

    async def resume(self) -> None:
        """Takes up what an earlier life of the program left: turns, messages, deliveries."""
        await self.desk.sweep()
        for chat in await self._store.journal.chats_with_work():
            self.lanes.wake(chat)
        await self.delivery.resume()

    async def run(self) -> None:
        """Works for as long as it is not cancelled."""
        async with (
            self.delivery,
            self.reactions,
            self._lives,
            self.lanes,
            asyncio.TaskGroup() as group,
        ):
            group.create_task(self._take_in(), name="intake")
            group.create_task(self._sweep(), name="sweep")
            await self.resume()

    async def _take_in(self) -> None:
        await self._world.ready()
        await self.intake.run()

    async def _sweep(self) -> None:
        while True:
            await self._world.clock.sleep(SWEEP_SECONDS)
            try:
                await self.desk.sweep()
            except StoreError as fault:
                _LOG.warning("overdue cards have to wait: %s", fault)

    async def _told_of_move(self, channel: str, update: RawUpdate) -> None:
        await self.intake.accept(channel, (update,))

    async def _given_up(self, row: OutboxRow, why: str) -> None:
        id = card_of(row.key)
        if id is not None:
            await self.desk.unaskable(id, row.chat, why)
