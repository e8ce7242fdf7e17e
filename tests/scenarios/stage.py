"""A stage for scenarios: the whole flow over fakes, with people who speak and press."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import count
from pathlib import Path
from typing import Protocol, TypeVar

from bot.adapters.apscheduler.calendar import CronCalendar
from bot.adapters.lanes.embedded_lanes import EmbeddedLanes
from bot.adapters.sql.stemmer import stem
from bot.domain.assignments.goal import GOAL_TOOLS
from bot.domain.change import Change, InboundState, SaveTerms
from bot.domain.clock.zones import Zones
from bot.domain.consent.approval import Approval
from bot.domain.money.budget import Scope
from bot.domain.talk.chat import Chat
from bot.domain.talk.limits import (
    BundleBounds,
    GoalBounds,
    Limits,
    ModelTimes,
    ScheduleBounds,
    SendRates,
)
from bot.domain.talk.message import Address, Attachment, InboundMessage, Press, Quote, RawUpdate
from bot.domain.talk.person import Person, Role, Sender
from bot.domain.talk.reach import Level
from bot.domain.tools.run_place import Walls
from bot.domain.tools.server import ServerSpec
from bot.domain.tools.tool import ToolResult
from bot.domain.turn.tier import Tiers
from bot.domain.turn.transcript import Body, LateResultBody, ReplyBody, ResultBody
from bot.domain.turn.turn import Turn, TurnState
from bot.domain.turn.view import ModelRequest
from bot.flow.application import Application
from bot.flow.composition import Composition
from bot.flow.delivery.flood_gate import FloodGate, GatedChannel
from bot.flow.log.companion import Companion
from bot.flow.memory.meaning import Meaning
from bot.flow.memory.weighing import Weighing
from bot.flow.money.paid_embedder import PaidEmbedder
from bot.flow.money.till import Till
from bot.flow.policy import Policy
from bot.flow.world import StorePorts, World
from bot.ports.channel import Channel
from bot.ports.hook_service import Answered, Refused
from bot.ports.model import Model
from bot.ports.servers import Servers
from bot.ports.tool import Folder, Tool
from tests.fakes.attachments import FakeFiles, FakeReader
from tests.fakes.channel import FakeChannel, Shown
from tests.fakes.charts import FakeCharts
from tests.fakes.clock import FakeClock, others_go_on
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.groups import FakeGroups
from tests.fakes.hearing import FakeHearing
from tests.fakes.hooks import FakeHooks
from tests.fakes.inbox_folder import FakeInboxFolder
from tests.fakes.model import ScriptedModel, Step
from tests.fakes.moment_words import FakeMomentWords
from tests.fakes.packing import FakePacking
from tests.fakes.persona import FakePersona
from tests.fakes.skills import FakeSkills
from tests.fakes.speaking import FakeSounds, FakeSpeaking
from tests.fakes.store import MemoryStore
from tests.fakes.templates import FakeTemplates
from tests.fakes.vectors import FakeVectors
from tests.fakes.workspace_door import FakeDoor
from tests.fakes.zones_at import FakeZonesAt
from tests.scenarios.dying import (
    DyingDebts,
    DyingInbox,
    DyingInboxFolder,
    DyingJournal,
    DyingMeant,
    DyingOutbox,
    DyingSounds,
    DyingVectors,
    DyingWeights,
    Fate,
)

HOME = Address("fake", "1")
ANN = Sender("fake", "1", "Ann")
BOB = Sender("fake", "2", "Bob")
US = "Steward"
"""The source of a forward of our own words."""
_STEPS = 20_000
"""Steps of the event loop a test waits: everything here is in memory, so time is no measure."""

T = TypeVar("T")


class RecordingModel(Model, Protocol):
    requests: list[ModelRequest]
    listed: Sequence[str] | None


class Stage:
    """The flow, running; `crash` ends it without a word and starts another life on the store."""

    def __init__(
        self,
        model: RecordingModel,
        tools: Sequence[Tool],
        limits: Limits,
        fate: Fate | None = None,
        *,
        explore: bool = True,
        skills: FakeSkills | None = None,
        servers: Servers | None = None,
        own_servers: Sequence[ServerSpec] = (),
    ) -> None:
        self.clock = FakeClock()
        self.store = MemoryStore(self.clock.now)
        self.channel = FakeChannel()
        self.files = FakeFiles()
        self.groups = FakeGroups()
        self.reader = FakeReader()
        self.inbox_folder = FakeInboxFolder()
        self.persona, self.workspace_door = FakePersona(), FakeDoor()
        self.packing, self.charts = FakePacking(), FakeCharts()
        self.hearing: FakeHearing | None = None
        self.speaking: FakeSpeaking | None = None
        self.sounds = FakeSounds()
        self.budgets: dict[Scope, Decimal] = {}
        self.templates = FakeTemplates()
        self.timezone: str | None = "UTC"
        self.fallbacks: Sequence[str] = ()
        self.language = ""
        self.model = model
        self._fate = fate or Fate(None, after=False)
        self.skills = skills or FakeSkills()
        self._tools = tools
        self._limits = limits
        self._explore = explore
        self._servers = servers
        self._own_servers = own_servers
        self._companions: Sequence[Companion] = ()
        self.bundles, self.tiers = BundleBounds(), Tiers()
        self.rates: SendRates | None = None
        """The rates of a flood gate before the channel; there is none at first."""
        self.embedder: FakeEmbedder | None = None
        """The embedder; there is none at first."""
        self.vectors = FakeVectors()
        self.meaning: Meaning | None = None
        self.schedules, self.goals = ScheduleBounds(), GoalBounds()
        self.moment_words, self.zones_at = FakeMomentWords(), FakeZonesAt()
        self.hooks = FakeHooks()
        self._ids = count(1)
        self._task: asyncio.Task[None] | None = None
        self.application = self.composed()

    conceal: Callable[[str], str] = str
    """Takes secrets out of a text; there are none at first."""

    walls: Walls = Walls.NONE
    """The walls around commands."""

    @property
    def own_tools(self) -> tuple[str, ...]:
        """The tools of the rooms that every turn is told of, beside those of the stage."""
        given = GOAL_TOOLS | {tool.spec.name for tool in self._tools}
        names = (tool.spec.name for tool in self.application.parts.rooms.tools)
        return tuple(name for name in names if name not in given)

    def accompany(self, companions: Sequence[Companion]) -> None:
        """Lets companions go along with every turn; before the start."""
        self._companions = companions
        self.application = self.composed()

    def fall_back(self, models: Sequence[str]) -> None:
        """Sets further models up; before the start."""
        self.fallbacks = models
        self.application = self.composed()

    def find_by_meaning(self, embedder: FakeEmbedder | None = None) -> FakeEmbedder:
        """Sets an embedder; before the start."""
        self.embedder = embedder or FakeEmbedder()
        self.application = self.composed()
        return self.embedder

    def bound(self, **dollars: str) -> None:
        """Sets budgets in dollars, by their scopes; before the start."""
        self.budgets = {Scope(scope): Decimal(told) for scope, told in dollars.items()}
        self.application = self.composed()

    def composed(self) -> Application:
        """Returns the application over this store, with the settings as they are now."""
        store, fate = self.store, self._fate
        journal = DyingJournal(store.journal, fate)
        zones = Zones(self.timezone)
        policy = self._policy()
        till = Till(store.ledger, journal, store.people, zones, self.clock, policy.budgets)
        if self.embedder is not None:
            meant, debts = DyingMeant(store.meant, fate), DyingDebts(store.meaning_debts, fate)
            vectors = DyingVectors(self.vectors, fate)
            weighing = Weighing(DyingWeights(store.weights, fate), stem)
            paid = PaidEmbedder(self.embedder, till)
            self.meaning = Meaning(paid, vectors, meant, debts, journal, self.clock, weighing)
        ports, world = self._ports(journal), self._world()
        return Application(Composition(ports, world, policy, self._companions, till))

    def _ports(self, journal: DyingJournal) -> StorePorts:
        store, fate = self.store, self._fate
        return StorePorts(
            DyingInbox(store.inbox, fate),
            journal,
            store.chats,
            store.people,
            store.door,
            store.members,
            store.approvals,
            store.rules,
            store.plans,
            DyingOutbox(store.outbox, fate),
            store.ledger,
            store.consents,
            store.received,
            store.memory,
            store.words,
            store.notes,
            store.belongings,
            store.turns,
            store.voice,
            store.errands,
            store.scheduled,
            store.hook_calls,
            store.goals,
            store.file_changes,
            store.folders,
            store.feedback,
            store.records,
            store.sessions,
        )

    def _world(self) -> World:
        return World(
            clock=self.clock,
            channels={self.channel.name: self._way_out()},
            models={"fake": self.model},
            tools=self._tools,
            workspaces=_anywhere,
            lanes=partial(EmbeddedLanes, clock=self.clock),
            files={self.channel.name: self.files},
            groups={self.channel.name: self.groups},
            reader=self.reader,
            inbox_folder=DyingInboxFolder(self.inbox_folder, self._fate),
            workspace_door=self.workspace_door,
            persona=self.persona,
            packing=self.packing,
            sounds=DyingSounds(self.sounds, self._fate),
            templates=self.templates,
            skills=self.skills,
            servers=self._servers,
            charts=self.charts,
            hearing=self.hearing,
            speaking=self.speaking,
            own_servers=self._own_servers,
            meaning=self.meaning,
            cron=CronCalendar(),
            moment_words=self.moment_words,
            zones_at=self.zones_at,
            hooks=self.hooks,
            conceal=self.conceal,
            walls=self._walls,
        )

    async def _walls(self) -> Walls:
        return self.walls

    def _policy(self) -> Policy:
        return Policy(
            "fake/fake",
            fallback_models=tuple(self.fallbacks),
            timezone=self.timezone,
            limits=self._limits,
            model_times=ModelTimes(retries=2),
            plan_explore=self._explore,
            bundles=self.bundles,
            tiers=self.tiers,
            budget_day=self.budgets.get(Scope.DAY),
            budget_person=self.budgets.get(Scope.PERSON),
            budget_turn=self.budgets.get(Scope.TURN),
            schedules=self.schedules,
            goals=self.goals,
        )

    def _way_out(self) -> Channel:
        if self.rates is None:
            return self.channel
        return GatedChannel(self.channel, FloodGate(self.rates, self.clock, _is_group))

    async def start(self) -> None:
        self._task = asyncio.create_task(self.application.run(), name="stage")

    async def crash(self) -> None:
        """The process dies: nothing is told, nothing is tidied up."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self.application = self.composed()
        await self.start()

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def say(
        self,
        text: str,
        sender: Sender = ANN,
        *,
        reply_to: Shown | None = None,
        forwarded_from: str | None = None,
        message_id: str | None = None,
        edited: bool = False,
        attachments: Sequence[Attachment] = (),
        at: Address = HOME,
    ) -> str:
        quote = None
        if reply_to is not None:
            quote = Quote(reply_to.text, "Steward", own=True, message_id=reply_to.id)
        message = InboundMessage(
            at,
            sender,
            message_id or f"m{next(self._ids)}",
            text,
            self.clock.now(),
            quote=quote,
            forwarded_from=forwarded_from,
            echoes=forwarded_from == US,
            edited=edited,
            attachments=tuple(attachments),
            language=self.language,
        )
        await self.application.parts.intake.accept(
            self.channel.name, (self.channel.update(message),)
        )
        return message.message_id

    def message(self, text: str) -> RawUpdate:
        """The update of a message of Ann's, to be handed in by the test."""
        id = f"m{next(self._ids)}"
        return self.channel.update(InboundMessage(HOME, ANN, id, text, self.clock.now()))

    def press_update(self, data: str, message_id: str) -> RawUpdate:
        """The update of a press of Ann's, to be handed in by the test."""
        return self.channel.update(Press(HOME, ANN, data, f"h{next(self._ids)}", message_id))

    async def call_hook(self, name: str, told: object, key: str = "") -> Answered | Refused:
        """Another program calls a hook with this body."""
        body = json.dumps(told).encode()
        service = self.application.parts.rooms.hooks.service
        assert service is not None
        return await service.take(name, self.hooks.proof(name, body, self.clock.now(), key), body)

    async def press(self, label: str, sender: Sender = ANN, card: int = -1) -> str:
        """Presses a button with this label, on a message with one; returns the private answer."""

        def offered(shown: Shown) -> list[str]:
            rows = shown.piece.body["buttons"]
            return [b["data"] for row in rows for b in row if label in b["label"]]

        def found() -> Shown | None:
            able = [shown for shown in self.cards if offered(shown)]
            return able[card] if able else None

        shown = await self.until(found)
        data = offered(shown)[0]
        return await self.press_data(data, sender, shown.id, shown.address)

    async def press_data(
        self, data: str, sender: Sender = ANN, message_id: str = "0", at: Address = HOME
    ) -> str:
        told = len(self.channel.acknowledged)
        press = Press(at, sender, data, f"h{next(self._ids)}", message_id)
        await self.application.parts.intake.accept("fake", (self.channel.update(press),))
        await self.until(lambda: len(self.channel.acknowledged) > told)
        return self.channel.acknowledged[-1][1]

    async def grant(self, sender: Sender, level: Level) -> None:
        """Gives somebody a level, as an owner does with `/rights`."""
        known = await self.store.people.by_sender(sender)
        assert known is not None
        terms = SaveTerms(known.id, replace(known.rights, approves=level), known.pace)
        await self.store.journal.commit(Change((terms,)))

    @property
    def cards(self) -> list[Shown]:
        """Messages on the screen that have buttons now."""
        return [s for s in self.channel.screen.values() if "buttons" in s.piece.body]

    @property
    def labels(self) -> list[str]:
        """The labels of all buttons on the screen now."""
        rows = [row for shown in self.cards for row in shown.piece.body["buttons"]]
        return [button["label"] for row in rows for button in row]

    @property
    def texts(self) -> list[str]:
        return self.channel.texts(HOME)

    @property
    def bodies(self) -> list[Body]:
        return [e.body for _, e in sorted(self.store.rows.entries.items(), key=lambda i: i[0])]

    @property
    def results(self) -> list[ToolResult]:
        """Every result of the log, late ones included."""
        found = [b.result for b in self.bodies if isinstance(b, ResultBody | LateResultBody)]
        return [result for result in found if result is not None]

    @property
    def turns(self) -> list[Turn]:
        return list(self.store.rows.turns.values())

    @property
    def approvals(self) -> list[Approval]:
        return list(self.store.rows.approvals.values())

    async def until(self, found: Callable[[], T | None]) -> T:
        """Waits until this is something; fails with what was on the screen."""
        for _ in range(_STEPS):
            if value := found():
                return value
            await others_go_on()
        raise AssertionError(f"it never came; the screen shows {self.texts}")

    async def shows(self, text: str) -> str:
        """Waits until a message with this text is on the screen."""
        return await self.until(lambda: next((t for t in self.texts if text in t), None))

    async def shows_in(self, address: Address, text: str) -> str:
        """Waits until a message with this text is on the screen of another chat."""
        return await self.until(
            lambda: next((t for t in self.channel.texts(address) if text in t), None)
        )

    async def settled(self, turns: int = 1) -> Turn:
        """Waits until so many turns have ended and everything owed is on the screen."""

        def done() -> Turn | None:
            ended = [t for t in self.turns if t.state is TurnState.SETTLED]
            return ended[turns - 1] if len(ended) >= turns else None

        turn = await self.until(done)
        await self.application.parts.way_out.delivery.flushed()
        return turn

    async def routed(self) -> None:
        """Waits until every update has found its place."""
        rows = self.store.rows.inbox
        await self.until(lambda: all(r.state is not InboundState.NEW for r in rows.values()))

    async def parked(self) -> Turn:
        def found() -> Turn | None:
            return next((t for t in self.turns if t.state is TurnState.PARKED), None)

        turn = await self.until(found)
        await self.application.parts.way_out.delivery.flushed()
        return turn

    def assert_whole(self) -> None:
        """Every call of the log has exactly one result, but for those of an unfinished turn."""
        called = [c.id for b in self.bodies if isinstance(b, ReplyBody) for c in b.calls]
        answered = [b.result.call_id for b in self.bodies if isinstance(b, ResultBody)]
        assert sorted(called) == sorted(answered)


def _is_group(address: Address) -> bool:
    return address.chat.startswith("-")


async def _anywhere(chat: Chat, person: int | Person) -> Folder:
    return Folder(Path("/nowhere"), own=True)


@asynccontextmanager
async def stage(
    *script: Step,
    tools: Sequence[Tool] = (),
    limits: Limits | None = None,
    people: Sequence[tuple[Sender, Role]] = ((ANN, Role.OWNER),),
    explore: bool = True,
    skills: FakeSkills | None = None,
    servers: Servers | None = None,
    own_servers: Sequence[ServerSpec] = (),
    companions: Sequence[Companion] = (),
) -> AsyncGenerator[Stage]:
    """A running stage whose script must be used up at the end."""
    with ScriptedModel(*script) as model:
        scene = Stage(
            model,
            tools,
            limits or Limits(),
            explore=explore,
            skills=skills,
            servers=servers,
            own_servers=own_servers,
        )
        scene.accompany(companions)
        async with running(scene, people):
            yield scene


@asynccontextmanager
async def running(
    scene: Stage, people: Sequence[tuple[Sender, Role]] = ((ANN, Role.OWNER),)
) -> AsyncGenerator[Stage]:
    """Lets people in and runs the stage until the block is left."""
    for sender, role in people:
        await scene.store.people.admit(sender, role)
    await scene.start()
    try:
        yield scene
    finally:
        await scene.close()
