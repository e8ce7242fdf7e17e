"""The flow put together over its ports: the same for the program and for its tests."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.domain.approval import card_of
from bot.domain.budget import BundleBounds, EnclosureBounds, Limits, ModelTimes
from bot.domain.errors import StoreError
from bot.domain.folding import LONG_ANSWER
from bot.domain.message import RawUpdate
from bot.domain.rights import UNBOUND, Pace
from bot.domain.server import ServerSpec
from bot.domain.skill import SKILL_LIST
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
from bot.flow.queueing import Queueing
from bot.flow.reactions import Reactions
from bot.flow.router import Destinations, Router
from bot.flow.scene import Scenes, Workspaces
from bot.flow.settlement import Settlement
from bot.flow.steering import Steering
from bot.flow.tool_loop import ToolLoop
from bot.flow.tool_runner import ToolRunner
from bot.flow.turn import Turns
from bot.ports.approvals import Approvals, Rules
from bot.ports.attachments import Files, Reader
from bot.ports.channel import Channel
from bot.ports.chats import Chats
from bot.ports.clock import Clock
from bot.ports.consents import Consents
from bot.ports.groups import Groups
from bot.ports.inbox import Inbox
from bot.ports.journal import Journal
from bot.ports.lanes import Drain, Lanes
from bot.ports.ledger import Ledger
from bot.ports.members import Members
from bot.ports.model import Model
from bot.ports.outbox import Outbox, OutboxRow
from bot.ports.people import Door, People
from bot.ports.plans import Plans
from bot.ports.servers import Servers
from bot.ports.skills import Skills
from bot.ports.templates import Templates
from bot.ports.tool import Catalog

_LOG = logging.getLogger(__name__)

SWEEP_SECONDS = 20.0
"""How often overdue cards are looked for."""


@dataclass(frozen=True, slots=True)
class StorePorts:
    """Every port of the store."""

    inbox: Inbox
    journal: Journal
    chats: Chats
    people: People
    door: Door
    members: Members
    approvals: Approvals
    rules: Rules
    plans: Plans
    outbox: Outbox
    ledger: Ledger
    consents: Consents


async def at_once() -> None:
    """Nothing has to be known before updates can be read."""


@dataclass(frozen=True, slots=True)
class World:
    """Everything else the flow works with, by names of providers and channels.

    Updates are kept from the first moment and read once `ready` returns. `servers` lend tools to
    chats: `own_servers` are the operator's, others come with `skills`.
    """

    clock: Clock
    channels: Mapping[str, Channel]
    models: Mapping[str, Model]
    catalog: Catalog
    workspaces: Workspaces
    lanes: Callable[[Drain], Lanes]
    files: Mapping[str, Files]
    groups: Mapping[str, Groups]
    reader: Reader
    templates: Templates
    skills: Skills
    ready: Callable[[], Awaitable[None]] = at_once
    servers: Servers | None = None
    own_servers: Sequence[ServerSpec] = ()


@dataclass(frozen=True, slots=True)
class Policy:
    """The settings the flow obeys; `model` and `fallbacks` are `provider/name`.

    With `plan_explore` reading tools run while a plan is collected.
    """

    model: str
    fallbacks: Sequence[str] = ()
    limits: Limits = field(default_factory=Limits)
    times: ModelTimes = field(default_factory=ModelTimes)
    member_pace: Pace = UNBOUND
    long_answer: int = LONG_ANSWER
    plan_explore: bool = True
    skill_list: int = SKILL_LIST
    bundles: BundleBounds = field(default_factory=BundleBounds)
    enclosures: EnclosureBounds = field(default_factory=EnclosureBounds)


class Application:
    """Composed once; `accept` is where channels hand their updates in."""

    def __init__(self, store: StorePorts, world: World, policy: Policy) -> None:
        self._store = store
        self._world = world
        self._policy = policy
        self.delivery = Delivery(
            store.outbox,
            world.channels,
            world.clock,
            self._given_up,
            self._told_of_move,
            policy.limits,
        )
        self._journal = AnnouncingJournal(store.journal, self.delivery.wake)
        self.reactions = Reactions(world.channels, world.clock)
        self.lanes = world.lanes(self._drain)
        self.models = ModelCalls(world.models, world.clock, policy.times)
        lending = Lending(world.own_servers, world.skills, store.consents)
        self.context = Context(
            world.catalog,
            world.skills,
            world.servers,
            lending.wanted,
            skill_list=policy.skill_list,
        )
        self.desk = ApprovalDesk(
            self._journal,
            store.approvals,
            store.outbox,
            store.ledger,
            self.lanes,
            world.clock,
            policy.limits,
        )
        self.plan_desk = PlanDesk(
            self._journal, store.plans, store.chats, store.outbox, self.lanes, world.clock
        )
        self._owners = Owners(store.people, store.members, world.groups)
        self._plan_ending = PlanEnding(store.people, self._owners)
        self.doorway = Doorway(store.door, store.chats, self._journal, world.clock)
        enclosures = Enclosures(
            world.files, world.reader, world.clock, policy.limits, policy.enclosures
        )
        self._lives = Lives(
            world.channels, world.clock, self.reactions, self._journal, self.delivery.wake
        )
        asker = Asker(world.channels, store.people, enclosures, self._lives, world.clock)
        self._gathering = Gathering(asker, world.clock, policy.bundles)
        self._overhearing = Overhearing(store.inbox, store.chats, self._journal, world.channels)
        self._news = News(store.people, store.chats, store.outbox, world.clock)
        self._moving = Moving(
            world.channels,
            store.chats,
            self._journal,
            self._news,
            self.lanes,
            world.clock,
            self.delivery.wake,
        )
        self._queue = self._chat_queue()
        self.commands = self._commands()
        self._pieces = Pieces(store.inbox, world.channels, world.clock, policy.bundles)
        self.intake = Intake(store.inbox, self._journal, self._router(), self._pieces, world.clock)

    async def _drain(self, chat: int) -> None:
        await self._queue.drain(chat)

    def _chat_queue(self) -> ChatQueue:
        store, world, policy = self._store, self._world, self._policy
        compaction = Compaction(self.models, policy.limits)
        settlement = Settlement(
            Conversations(store.chats, compaction, self.models),
            self._plan_ending,
            world.skills,
            policy.long_answer,
        )
        loop = ToolLoop(
            self.models,
            ToolRunner(world.clock, policy.limits),
            self._gatekeeper(),
            self.desk,
            compaction,
            policy.limits,
            Steering(store.inbox, self._gathering, self.reactions),
            policy.fallbacks,
        )
        turns = Turns(
            loop,
            settlement,
            compaction,
            Scenes(self.context, self.models, world.workspaces, world.skills),
            self._lives,
            store.approvals,
            world.clock,
            policy.model,
        )
        history = History(self._journal, store.chats, world.clock)
        return ChatQueue(
            self._journal,
            history,
            turns,
            self._gathering,
            self._overhearing,
            self._moving,
            world.clock,
        )

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

    def _commands(self) -> tuple[Command, ...]:
        store, clock, model = self._store, self._world.clock, self._policy.model
        return (
            *GreetingCommands(lambda: self.commands).table,
            *PeopleCommands(
                store.people,
                store.members,
                self.desk,
                self.context,
                clock,
                self._policy.member_pace,
            ).table,
            *StopCommands(self._journal, store.inbox, self._gathering.next).table,
            *TurnCommands(
                self._journal,
                store.chats,
                store.approvals,
                self.desk,
                self.plan_desk,
                clock,
                model,
            ).table,
            *PlanCommands(
                store.plans, self.plan_desk, self._plan_ending, self._world.templates, clock
            ).table,
            *CardCommands(store.approvals, store.rules, store.members, clock).table,
            *GroupCommands(self._world.groups).table,
            *AnswerCommands(self._policy.long_answer).table,
            *SkillCommands(self._world.skills, self.context).table,
            *SetupCommands(
                self.models,
                self.context,
                store.ledger,
                self._journal,
                store.approvals,
                clock,
                model,
            ).table,
        )

    def _router(self) -> Router:
        store, world = self._store, self._world
        pace = self._policy.member_pace
        pacing = Pacing(store.members, store.outbox, self._journal, world.clock, pace)
        queueing = Queueing(
            store.inbox,
            self._journal,
            self.lanes,
            self._queue,
            pacing,
            self.reactions,
            self._pieces,
        )
        membership = Membership(
            store.people,
            store.chats,
            store.ledger,
            self._journal,
            Farewell(store.approvals, store.inbox, self._journal, self.desk, self.plan_desk),
            self._news,
            self.lanes,
            world.clock,
        )
        return Router(
            world.channels,
            store.people,
            store.chats,
            self._journal,
            self._pieces,
            Destinations(
                self.doorway,
                Commands(self.commands, self._journal, self.lanes, self.reactions),
                Desks(store.outbox, {CARDS: self.desk, PLANS: self.plan_desk}),
                queueing,
                self._overhearing,
                self._moving,
                membership,
            ),
        )

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
