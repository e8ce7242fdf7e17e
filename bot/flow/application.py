"""The flow put together over its ports: the same for the program and for its tests."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.domain.budget import Limits, ModelTimes
from bot.domain.errors import StoreError
from bot.domain.message import OutboundKind
from bot.domain.rights import UNBOUND, Pace
from bot.flow.announcing import AnnouncingJournal
from bot.flow.approvals import ApprovalDesk
from bot.flow.asker import Asker
from bot.flow.chat_queue import ChatQueue
from bot.flow.commands import Command, Commands
from bot.flow.commands.cards import CardCommands
from bot.flow.commands.greeting import GreetingCommands
from bot.flow.commands.groups import GroupCommands
from bot.flow.commands.people import PeopleCommands
from bot.flow.commands.setup import SetupCommands
from bot.flow.commands.turns import TurnCommands
from bot.flow.compaction import Compaction
from bot.flow.context import Context
from bot.flow.conversations import Conversations
from bot.flow.delivery import Delivery
from bot.flow.doorway import Doorway
from bot.flow.enclosures import Enclosures
from bot.flow.gatekeeper import Gatekeeper
from bot.flow.history import History
from bot.flow.intake import Intake
from bot.flow.model_calls import ModelCalls
from bot.flow.overhearing import Overhearing
from bot.flow.pacing import Pacing
from bot.flow.queueing import Queueing
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
from bot.ports.inbox import Inbox
from bot.ports.journal import Journal
from bot.ports.lanes import Drain, Lanes
from bot.ports.ledger import Ledger
from bot.ports.members import Members
from bot.ports.model import Model
from bot.ports.outbox import Outbox, OutboxRow
from bot.ports.people import Door, People
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
    outbox: Outbox
    ledger: Ledger


async def at_once() -> None:
    """Nothing has to be known before updates can be read."""


@dataclass(frozen=True, slots=True)
class World:
    """Everything else the flow works with; `models` by provider, `channels`, `files` by name.

    Updates are kept from the first moment and read once `ready` returns.
    """

    clock: Clock
    channels: Mapping[str, Channel]
    models: Mapping[str, Model]
    catalog: Catalog
    workspaces: Workspaces
    lanes: Callable[[Drain], Lanes]
    files: Mapping[str, Files]
    reader: Reader
    ready: Callable[[], Awaitable[None]] = at_once


@dataclass(frozen=True, slots=True)
class Policy:
    """The settings the flow obeys; `model` and `fallbacks` are `provider/name`."""

    model: str
    fallbacks: Sequence[str] = ()
    limits: Limits = field(default_factory=Limits)
    times: ModelTimes = field(default_factory=ModelTimes)
    member_pace: Pace = UNBOUND


class Application:
    """Composed once; `accept` is where channels hand their updates in."""

    def __init__(self, store: StorePorts, world: World, policy: Policy) -> None:
        self._store = store
        self._world = world
        self._policy = policy
        self.delivery = Delivery(
            store.outbox, world.channels, world.clock, self._given_up, policy.limits
        )
        self._journal = AnnouncingJournal(store.journal, self.delivery.wake)
        self.lanes = world.lanes(self._drain)
        self.models = ModelCalls(world.models, world.clock, policy.times)
        self.context = Context(world.catalog)
        self.desk = ApprovalDesk(
            self._journal,
            store.approvals,
            store.outbox,
            store.ledger,
            self.lanes,
            world.clock,
            policy.limits,
        )
        self.doorway = Doorway(store.door, store.chats, self._journal, world.clock)
        enclosures = Enclosures(world.files, world.reader, world.clock, policy.limits)
        self._asker = Asker(world.channels, store.people, enclosures, world.clock)
        self._overhearing = Overhearing(store.inbox, store.chats, self._journal, world.channels)
        self._queue = self._chat_queue()
        self.commands = self._commands()
        self.intake = Intake(store.inbox, self._journal, self._router(), world.clock)

    async def _drain(self, chat: int) -> None:
        await self._queue.drain(chat)

    def _chat_queue(self) -> ChatQueue:
        store, world, policy = self._store, self._world, self._policy
        compaction = Compaction(self.models, policy.limits)
        settlement = Settlement(Conversations(store.chats, compaction, self.models))
        loop = ToolLoop(
            self.models,
            ToolRunner(world.clock, policy.limits),
            Gatekeeper(store.approvals, store.rules, store.people, policy.limits),
            self.desk,
            compaction,
            policy.limits,
            Steering(store.inbox, self._asker),
            policy.fallbacks,
        )
        turns = Turns(
            loop,
            settlement,
            compaction,
            Scenes(self.context, self.models, world.workspaces),
            world.channels,
            store.approvals,
            world.clock,
            policy.model,
        )
        history = History(self._journal, store.chats, world.clock)
        return ChatQueue(self._journal, history, turns, self._asker, self._overhearing)

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
            *TurnCommands(
                self._journal, store.chats, store.approvals, self.desk, clock, model
            ).table,
            *CardCommands(store.approvals, store.rules, clock).table,
            *GroupCommands().table,
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
            store.inbox, self._journal, self.lanes, self._queue, pacing, world.channels
        )
        return Router(
            world.channels,
            store.people,
            store.chats,
            self._journal,
            Destinations(
                self.doorway,
                Commands(self.commands, self._journal, self.lanes),
                self.desk,
                queueing,
                self._overhearing,
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
        async with self.delivery, self.lanes, asyncio.TaskGroup() as group:
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

    async def _given_up(self, row: OutboxRow, why: str) -> None:
        if row.content.kind is OutboundKind.CARD:
            await self.desk.unaskable(row.key.removeprefix("card:"), why)
