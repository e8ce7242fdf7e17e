"""A story: a wish comes on its way, people press or do not, and all comes to rest."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Connection, NullPool, create_engine

from bot.adapters.sql.store import Store
from bot.adapters.terminal.update import NAME as TERMINAL
from bot.adapters.tools.web import web_tools
from bot.bootstrap.named_rules import NamedRules
from bot.domain.consent.own_search import OwnSearch, Searches, searches_of
from bot.domain.money.provider import ANTHROPIC
from bot.domain.talk.message import Address
from bot.domain.talk.person import Role, Sender
from bot.domain.talk.session import PAGE
from bot.domain.tools.run_place import BARE, walls_of
from bot.domain.tools.tool import Effect, Replay, ToolOutput
from bot.domain.tools.variable import Variable
from bot.domain.turn.turn import TurnState
from bot.ports.attachments import DocumentText, Reading
from bot.ports.outbox import DeliveryState
from bot.ports.tool import Tool
from tests.crossings.beside import Desk
from tests.crossings.case import MAY_APPROVE, Case
from tests.crossings.commands import INSIDE, OUTSIDE, Commands, CommandTool, Found, PlacedTool
from tests.crossings.records import Records, records_in, records_of
from tests.crossings.talked import Talked
from tests.crossings.two_channels import AT_DOOR, IN_PROJECT, OTHER, Second, TwoChannels
from tests.crossings.visits import Visits
from tests.crossings.wish import Wish, wishes_of
from tests.fakes.channel import Shown
from tests.fakes.hearing import FakeHearing
from tests.fakes.skills import FakeSkills
from tests.fakes.store import MemoryStore
from tests.fakes.web import FakePageReader, FakePages
from tests.patience import PATIENCE
from tests.scenarios.stage import ANN, BOB, HOME, running
from tests.scenarios.team import TEAM
from tests.scenarios.test_skills import skill
from tests.scenarios.tools import ScenarioTool, submitting, tool

PRICE = "$10 for 1,000 searches"
NOT_NOW = "❌ Not now"
KEY = "s3cret-of-the-skill"
OTHERS = "words-of-somebody-else"
"""What stands in the memory of another person than the one who asks."""
_UNDONE = (
    "SELECT count(*) FROM turn WHERE state NOT IN ('settled', 'parked')",
    "SELECT count(*) FROM inbox WHERE state IN ('new', 'waiting')",
    # It goes on as soon as its cards are decided and its errands are over.
    "SELECT count(*) FROM turn WHERE state = 'parked'"
    " AND id NOT IN (SELECT turn FROM approval WHERE state = 'open')"
    " AND id NOT IN (SELECT parent FROM turn WHERE parent IS NOT NULL AND state <> 'settled')",
)
_UNROUTED = "SELECT count(*) FROM inbox WHERE state = 'new'"
_OWED = "SELECT count(*) FROM outbox WHERE state = 'owed'"
_LOOKS = 400
_STILL = 3
_LOOKS_BESIDE = 100


@dataclass(frozen=True, slots=True)
class Pressed:
    """A press of somebody, with what they saw."""

    label: str
    by: str
    text: str
    data: str
    message: str
    address: Address
    shown: tuple[str, ...]
    """All cards that were open on the screen of that chat."""
    around: tuple[str, ...]
    """The places where work was done when these cards came."""
    fetched: int
    """The addresses that had been fetched by then."""
    asked: int
    """The calls of the model that had been made by then."""

    @property
    def card(self) -> tuple[Address, str]:
        return self.address, self.message


@dataclass(frozen=True, slots=True)
class Ran:
    """A change that was made; `key` is the secret of the skill if it was lent."""

    name: str
    what: str
    key: str
    where: str


@dataclass(frozen=True, slots=True)
class Ends:
    """What there is when a story has come to rest."""

    owed: int
    """Messages that are on no screen."""
    searches: Searches
    """The searches of providers that were switched on or off."""
    strangers: Sequence[str]
    """What the terminal beside shows and is no message of its chat."""
    records: Records
    """What the store holds."""
    owner: int
    """The number of the owner."""


class Story:
    """One case on a stage; it keeps what people did and saw, for the judge."""

    def __init__(self, case: Case, scene: TwoChannels, model: Talked, pages: FakePages) -> None:
        self.case = case
        self.scene = scene
        self.model = model
        self.pages = pages
        self.ran: list[Ran] = []
        self.presses: list[Pressed] = []
        self.cards: dict[tuple[Address, str], str] = {}
        """The first words of each card that was ever on a screen, by its message."""
        self.plans: set[str] = set()
        """The words of each plan that was ever on a screen."""
        self.places: dict[tuple[Address, str], str] = {}
        """The place where work was done when each card came, by its message."""
        self.work_place: list[str] = []
        """The one place where all changes are made."""
        self.commands = Commands()
        self.looking: Connection | None = None
        """A connection to the database of the story, to look at its rows; None in memory."""
        self.leaks = False
        """True where a planted fault takes the memory of everybody for the asker's."""
        self.looks = _LOOKS
        self.stays_away = False
        """True where a planted fault never serves a channel again."""
        self.named_rules: type[NamedRules] = NamedRules
        """Says which cards a rule covers that a question names."""
        self.visits = Visits()
        """What two people tried on the page with what waits for the other."""
        self.covered: list[str] = []
        """The cards that were approved by such a rule, without a look."""
        self.newcomer = BOB
        """The person who has a browser alone, once an owner has let them in."""
        self.halves: dict[str, bool] = {}
        """The first halves of answers that were stopped then, and whether each one is kept.

        It is not where the provider may have looked something up: the half would pass as clean.
        """
        self.said: list[str] = []
        """What people wrote for the model to answer."""
        self.speaker = self.asker
        """The person who speaks now."""
        self.ends: Ends
        """What there was when all had come to rest."""

    @property
    def wishes(self) -> Sequence[Wish]:
        """Returns the wishes in their order."""
        return wishes_of(self.case)

    @property
    def asker(self) -> Sender:
        return self.person(self.case.who)

    @property
    def other(self) -> Sender:
        """Returns the other one of the two people who know each other."""
        return BOB if self.asker is ANN else ANN

    def person(self, by: str) -> Sender:
        """Returns the person whose wish this is."""
        return {"owner": ANN, "member": BOB, "newcomer": self.newcomer}[by]

    @property
    def at(self) -> Address:
        if self.case.at_terminal:
            return IN_PROJECT if self.case.place == "project" else AT_DOOR
        if self.case.place == "group":
            return TEAM
        channel = {"second channel": OTHER, "own page": PAGE}.get(self.case.place, "fake")
        return Address(channel, self.asker.user_id)

    @property
    def nobody_may(self) -> bool:
        """Returns whether a press of the asker would count, and nobody presses."""
        member, consent = self.case.who != "owner", self.case.consent
        address = (consent, self.case.act) == ("nobody", "fetch")
        return (member and address) or consent in MAY_APPROVE

    async def go_outside(self) -> None:
        """Starts anew behind lower walls, as where the settings open the network."""
        if self.work_place[0] != OUTSIDE:
            self.work_place[0] = OUTSIDE
            self.scene.walls = walls_of(OUTSIDE)
            await self.scene.crash()

    async def be_away(self) -> None:
        """Starts anew without the channel of the story, and then with it."""
        self.scene.away = self.at.channel
        await self.scene.crash()
        await self.rested()
        if not self.stays_away:
            self.scene.away = ""
            await self.scene.crash()

    async def leave(self) -> None:
        """Closes the terminal where the case has it, and the one that shows a chat too."""
        if self.case.event == "nobody there":
            self.scene.terminal.seated = False
            if self.scene.desk is not None:
                self.scene.desk.left = True
                await self.scene.desk.close()

    async def come_back(self) -> None:
        """Opens the terminals again."""
        await self.scene.come_back(self.at, wake=not self.stays_away)
        if self.scene.desk is not None and not self.stays_away:
            self.scene.desk.left = False
            await self.scene.open_desk()

    async def rested(self) -> None:
        """Waits until every turn has ended or waits for a person, and all is on the screen."""
        still, seen = 0, None
        for _ in range(self.looks):
            await self.settle()
            if self.case.event == "taken over":
                # Processes look for the work of others every 1.5 s. The database takes real time: a
                # clock that runs ahead of it would end what waits for an answer, a hearing say.
                await asyncio.sleep(0.03)
                await self.scene.clock.advance(1.6)
            now = (len(self.model.requests), len(self.ran), str(self.scene.screens))
            still = still + 1 if now == seen and not await self._busy() else 0
            seen = now
            if still >= _STILL:
                break
        else:
            raise AssertionError(f"it never comes to rest: {self.scene.screens}")
        await self.scene.application.parts.way_out.delivery.flushed()
        for shown in self.open_cards():
            if shown.text.startswith("📋"):
                self.plans.add(shown.text)
            self.places.setdefault((shown.address, shown.id), self.work_place[0])
        for shown in self.scene.screens:
            if shown.text.startswith("🔐") and "buttons" in shown.piece.body:
                self.cards.setdefault((shown.address, shown.id), shown.text)

    async def until(self, found: Callable[[], Awaitable[object]]) -> None:
        """Waits until this finds something."""
        for _ in range(_LOOKS):
            await self.settle()
            if await found():
                return
        raise AssertionError("it is never found")

    async def shown_beside(self) -> None:
        """Waits until the terminal beside shows what the platform shows, but not for ever."""
        desk = self.scene.desk
        for _ in range(_LOOKS_BESIDE):
            if desk is None or not desk.is_open or not desk.faults(self.scene.channel):
                return
            await self.settle()

    async def asked(self, before: int) -> bool:
        """Returns whether the model was asked more often than before, or is asked no more."""
        spent = self.case.money == "ends" and not await self._busy()
        return spent or len(self.model.requests) > before

    async def meant(self) -> None:
        """Waits until the index of meaning has as many passages as were kept."""
        await self.scene.clock.advance(2)
        async with asyncio.timeout(PATIENCE):
            while not await self._all_meant():  # a thread opens it, and the clock waits for none
                await asyncio.sleep(0.005)
                await self.scene.clock.advance(0.01)

    async def _all_meant(self) -> bool:
        meant = self.scene.store.meant
        return await meant.begun() is not None and not await meant.count_owed()

    async def routed(self) -> bool:
        """Returns whether every update has found its place."""
        if self.looking is None:
            return not await self.scene.store.inbox.unrouted(1)
        return not _counted(self.looking, _UNROUTED)

    async def settle(self) -> None:
        for _ in range(50):
            await asyncio.sleep(0)
        await self.commands.ended()
        if self.looking is not None:
            await asyncio.sleep(0.005)

    async def _busy(self) -> bool:
        if not await self._finds_by_meaning():
            return True
        if self._all_served and await self.count_owed():
            return True
        if self.looking is None:
            rows = self.scene.store.rows
            done = (TurnState.SETTLED, TurnState.PARKED)
            turns = any(turn.state not in done for turn in rows.turns.values())
            return turns or any(row.state in ("new", "waiting") for row in rows.inbox.values())
        return bool(_counted(self.looking, *_UNDONE))

    @property
    def _all_served(self) -> bool:
        """Returns whether everything that is owed can be shown now."""
        return self.scene.terminal.seated and not (self.scene.away or self.stays_away)

    async def _finds_by_meaning(self) -> bool:
        """Returns whether the index of meaning is open, if there is one; a thread opens it."""
        meaning = self.scene.meaning
        if meaning is None or (await meaning.condition()).ready:
            return True
        await asyncio.sleep(0.005)
        return False

    def recorded(self) -> Records:
        """Returns what the store holds now."""
        if self.looking is None:
            return records_of(self.scene.store.rows)
        return records_in(self.looking)

    async def count_owed(self) -> int:
        if self.looking is None:
            rows = self.scene.store.rows.outbox.values()
            return sum(row.state is DeliveryState.OWED for row in rows)
        return _counted(self.looking, _OWED)

    def open_cards(self) -> list[Shown]:
        return [
            shown
            for shown in self.scene.screens
            if shown.text.startswith(("🔐", "📋")) and "buttons" in shown.piece.body
        ]

    async def press(self, shown: Shown, label: str, by: Sender, *, on_page: bool = False) -> bool:
        """Presses a button of this message, if it has one with this label."""
        rows = shown.piece.body.get("buttons", [])
        for button in (button for row in cast(Any, rows) for button in row):
            if button["label"].startswith(label):
                there = [one for one in self.open_cards() if one.address == shown.address]
                cards = tuple(one.text for one in there)
                around = tuple(self.places.get((one.address, one.id), "") for one in there)
                seen = (shown.text, button["data"], shown.id, shown.address, cards, around)
                known = len(self.pages.fetched), len(self.model.requests)
                pressed = Pressed(button["label"], by.name, *seen, *known)
                self.presses.append(pressed)
                await (self.at_page if on_page else self._pressed)(pressed, by)
                return True
        return False

    async def _pressed(self, pressed: Pressed, by: Sender) -> None:
        """Presses; the owner does so at both sides where the terminal beside shows that card."""
        sides = (False,)
        if by is ANN and self.has_desk and pressed.address == HOME:
            sides = (True, False) if self.case.shown_beside else (False, True)
        shows = self.case.beside == "page" and pressed.address == HOME
        if by is ANN and (shows or self.case.beside == "pages of all"):
            # The page shows the rows of the chat, whether its platform is served or not.
            await self.at_page(pressed, by)
        for desk in sides:
            await self.again(pressed, by, desk=desk)

    async def at_page(self, pressed: Pressed, by: Sender) -> None:
        """Presses on the page of a person, whose list of cards names the card's chat."""
        card = pressed.data, by, pressed.address, pressed.message
        with suppress(AssertionError):
            await self.scene.pressed_on_page(*card)

    @property
    def has_desk(self) -> bool:
        """Returns whether a terminal beside is open now."""
        return self.scene.desk is not None and self.scene.desk.is_open

    async def again(self, pressed: Pressed, by: Sender, *, desk: bool = False) -> None:
        """Presses what was pressed, as a double tap or a stale screen does."""
        card = pressed.data, by, pressed.message, pressed.address
        if pressed.address.channel == PAGE:
            await self.at_page(pressed, by)
            return
        with suppress(AssertionError):
            await self.scene.pressed(*card, desk=desk)

    async def switched(self) -> Searches:
        """Returns what is kept of the searches of providers."""
        return searches_of(await self.scene.store.consents.given())

    async def strangers_at_desk(self) -> Sequence[str]:
        """Returns what the terminal beside shows and what is no message of its chat."""
        desk, store = self.scene.desk, self.scene.store
        if desk is None:
            return ()
        chat = await store.chats.at(HOME, private=True)
        told = desk.told.items()
        return [line.text for id, line in told if await store.outbox.key_of(chat.id, id) is None]


def _counted(connection: Connection, *queries: str) -> int:
    return sum(connection.exec_driver_sql(query).scalar_one() for query in queries)


@contextmanager
def _looking_at(url: str | None) -> Iterator[Connection | None]:
    """Yields a connection that keeps nobody else from writing."""
    if url is None:
        yield None
        return
    engine = create_engine(url, poolclass=NullPool, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        yield connection


def _tools(ran: list[Ran], at: list[str], commands: Commands) -> Sequence[ScenarioTool]:
    """Returns tools that change something; `at` holds the place where all of them work.

    One of them runs a command in a real sandbox, on a machine that has one.
    """

    def changing(name: str, effect: Effect) -> ScenarioTool:
        def act(given: Any, place: Any) -> ToolOutput:
            around = {} if place.skill is None else place.skill.environment
            key = around.get("KEY", "")
            ran.append(Ran(name, str(given["what"]), key, at[0]))
            # Whatever knows a secret may print it.
            return ToolOutput(f"done {given['what']} {key}".rstrip())

        return PlacedTool(tool(name, effect, Replay.ONCE).spec, act, at=at)

    run = changing("run", Effect.WRITE)
    return (
        changing("write", Effect.WRITE),
        CommandTool(run.spec, run.act, at=at, commands=commands, told=_into(ran)),
        changing("burn", Effect.DANGER),
    )


def _into(ran: list[Ran]) -> Callable[[Found], None]:
    return lambda found: ran.append(Ran("run", *found))


class _News(FakePageReader):
    """A reader for which each page holds other words."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        super().__init__("")
        self._texts = texts

    async def read_page(self, data: bytes, address: str, charset: str) -> Reading:
        return DocumentText(self._texts.get(address, ""))


@asynccontextmanager
async def staged(
    case: Case,
    store: Store | None = None,
    url: str | None = None,
    odd: Callable[[Tool], Tool] = lambda tool: tool,
    plant: Callable[[Story], None] = lambda _: None,
    second: Second | None = None,
) -> AsyncGenerator[Story]:
    """Sets the stage of a story, with everything that a model can be talked into.

    `odd` changes each tool and `plant` the stage, to plant a fault.
    """
    model, pages, ran = Talked(), FakePages(), list[Ran]()
    keys = skill("keys", variables=(Variable("KEY", KEY, secret=True),))
    reader = _News({wish.page: wish.foreign_words for wish in wishes_of(case)})
    at = [INSIDE if case.walls == "sandbox" else BARE]
    commands = Commands()
    own = {ANTHROPIC: OwnSearch(PRICE)} if case.act == "search" else {}
    web = web_tools(pages, reader, None, own)
    tools = [*web, *_tools(ran, at, commands), submitting()]
    scene = TwoChannels(model, [*map(odd, tools)], FakeSkills(keys))
    scene.walls = walls_of(at[0])
    if store is not None:
        scene.store = cast(MemoryStore, store)
    scene.second = second
    if case.sight == "recalled by meaning":
        scene.find_by_meaning()
    if case.money == "ends":
        scene.bound(day="0.03" if case.later == "nothing" else "0.05")
        model.costly = True
    story = Story(case, scene, model, pages)
    story.ran, story.commands, story.work_place = ran, commands, at
    model.obeys_memory = case.sight in ("recalled", "recalled by meaning")
    if case.act == "search":
        model.provider = ANTHROPIC
        scene.searches = own
    if case.act == "secret" and case.walls == "sandbox":
        await commands.open()
    _let_hear(story)
    plant(story)
    scene.application = scene.composed()
    people = ((ANN, Role.OWNER), (BOB, Role.MEMBER))
    with commands, _looking_at(url) as story.looking:
        async with running(scene, people):
            await _let_meet(story)
            if case.beside == "terminal":
                scene.desk = scene.desk or Desk(HOME)
                scene.desk.before = frozenset(shown.id for shown in scene.screens)
                await scene.open_desk()
            yield story


async def _let_meet(story: Story) -> None:
    scene = story.scene
    await scene.link(ANN, OTHER, TERMINAL, PAGE)
    await scene.link(BOB, OTHER, PAGE)
    # An owner who never wrote could not be asked about a member's plan.
    await scene.store.chats.at(HOME, private=True)
    if story.case.who == "newcomer":
        await _let_in(story)


async def _let_in(story: Story) -> None:
    """Lets somebody in who has a browser alone, as an owner does in their private chat."""
    scene = story.scene
    await scene.told(HOME, ANN, "/allow page Cleo", reply_to=None)
    await story.rested()
    told = next(text for text in scene.channel.texts(HOME) if "Cleo can use me" in text)
    account = told[told.index("(web:") + 1 : told.index(")")]
    story.newcomer = Sender(PAGE, account.partition(":")[2], "Cleo")


def _let_hear(story: Story) -> None:
    """Has every process hear the words of a voice from its start: any may be the one to do it."""
    spoken = {wish.hook: wish.words for wish in story.wishes if wish.way == "voice"}
    if spoken:
        sounds = {name: name.encode() for name in spoken}
        story.scene.files.stored.update(sounds)
        heard = {sounds[name]: words for name, words in spoken.items()}
        story.scene.hearing = FakeHearing(heard)
