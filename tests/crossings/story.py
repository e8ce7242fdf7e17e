"""A story: a wish comes on its way, people press or do not, and all comes to rest."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

from sqlalchemy import Connection, NullPool, create_engine, text

from bot.adapters.sql.store import Store
from bot.adapters.terminal.update import NAME as TERMINAL
from bot.adapters.terminal.update import address_in
from bot.adapters.tools.web import web_tools
from bot.bootstrap.named_rules import NamedRules
from bot.domain.assignments.hook import OWNER, Hook
from bot.domain.assignments.task import Allowed
from bot.domain.change import AddRule, Change, KeepPassage, SaveTask
from bot.domain.consent.approval import Rule
from bot.domain.consent.own_search import OwnSearch, Searches, searches_of
from bot.domain.memory.passage import Passage
from bot.domain.money.provider import ANTHROPIC
from bot.domain.talk.message import Address, Attachment
from bot.domain.talk.person import Role, Sender
from bot.domain.tools.run_place import BARE, walls_of
from bot.domain.tools.tool import Effect, ExactRule, Replay, ToolOutput, canonical
from bot.domain.tools.variable import Variable
from bot.domain.turn.turn import TurnState
from bot.ports.outbox import DeliveryState
from bot.ports.tool import Tool
from tests.crossings import talked
from tests.crossings.beside import Desk
from tests.crossings.case import Case
from tests.crossings.commands import INSIDE, OUTSIDE, Commands, CommandTool, Found, PlacedTool
from tests.crossings.talked import Talked
from tests.crossings.two_channels import AT_DOOR, IN_PROJECT, OTHER, PROJECT, Second, TwoChannels
from tests.fakes.channel import Shown
from tests.fakes.hearing import FakeHearing
from tests.fakes.skills import FakeSkills
from tests.fakes.store import MemoryStore
from tests.fakes.web import FakePageReader, FakePages
from tests.patience import PATIENCE
from tests.scenarios.stage import ANN, BOB, HOME, running
from tests.scenarios.team import EVE, TEAM
from tests.scenarios.test_skills import skill
from tests.scenarios.tools import ScenarioTool, submitting, tool

ACTS = {
    "write": "write",
    "pair": "write",
    "secret": "run",
    "danger": "burn",
    "fetch": "fetch",
    "search": "search",
}
PRICE = "$10 for 1,000 searches"
NOT_NOW = "❌ Not now"
KEY = "s3cret-of-the-skill"
OTHERS = "words-of-somebody-else"
"""What stands in the memory of another person than the one who asks."""
_VOICE = Attachment("voice", "voice.ogg", 4, "V", seconds=30, recorded=True)
_QUESTION = "What is in the gerbil mail?"
_BEFORE, _MEANT = (
    "Salary, holiday, physician, wife, birthday?",
    "Gehalt, Ferien, Arzt, Frau, geboren?",
)
"""The same question in words of which none is the same."""
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
_STILL = 4
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
        self.covered: list[str] = []
        """The cards that were approved by such a rule, without a look."""
        self.owed = 0
        """Messages that were on no screen when all had come to rest."""
        self.kept = Searches()
        """The searches of providers that were switched on or off in the end."""
        self.strangers: Sequence[str] = ()
        """What the terminal beside showed and was no message of its chat."""

    @property
    def asker(self) -> Sender:
        return ANN if self.case.who == "owner" else BOB

    @property
    def at(self) -> Address:
        if self.case.at_terminal:
            return IN_PROJECT if self.case.place == "project" else AT_DOOR
        if self.case.place == "group":
            return TEAM
        channel = OTHER if self.case.place == "second channel" else "fake"
        return Address(channel, self.asker.user_id)

    @property
    def nobody_may(self) -> bool:
        """Returns whether a press of the asker would count, and nobody is to press."""
        return (self.case.consent, self.case.who, self.case.act) == ("nobody", "member", "fetch")

    @property
    def wanted(self) -> list[str]:
        """Returns what the model is talked into, one for each call."""
        return ["first", "second"] if self.case.act == "pair" else ["first"]

    @property
    def orders(self) -> str:
        return " ".join(talked.order(ACTS[self.case.act], what) for what in self.wanted)

    def words(self) -> str:
        """Returns the words of the wish, as the person says them."""
        foreign = self.case.sight in ("page", "recalled", "recalled by meaning")
        words = _QUESTION if foreign else self.orders
        if self.case.sight == "recalled by meaning":
            words = _MEANT
        if self.case.act == "secret" and not foreign:
            words = talked.with_keys(words)
        if self.case.sight == "page":
            words = talked.looking(words)
        elif self.case.through == "errand" and not foreign:
            words = talked.sent_out(words)
        return words

    def foreign_words(self) -> str:
        """Returns the words of somebody else, which the model obeys as well."""
        words = talked.with_keys(self.orders) if self.case.act == "secret" else self.orders
        if self.case.through == "errand":
            words = talked.sent_out(words)
        return words

    async def go_outside(self) -> None:
        """Starts anew behind lower walls, as where the settings open the network."""
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
            await self._settle()
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
            self.places.setdefault((shown.address, shown.id), self.work_place[0])
        for shown in self.scene.screens:
            if shown.text.startswith("🔐") and "buttons" in shown.piece.body:
                self.cards.setdefault((shown.address, shown.id), shown.text)

    async def until(self, found: Callable[[], Awaitable[object]]) -> None:
        """Waits until this finds something."""
        for _ in range(_LOOKS):
            await self._settle()
            if await found():
                return
        raise AssertionError("it is never found")

    async def shown_beside(self) -> None:
        """Waits until the terminal beside shows what the platform shows, but not for ever."""
        desk = self.scene.desk
        for _ in range(_LOOKS_BESIDE):
            if desk is None or not desk.is_open or not desk.faults(self.scene.channel):
                return
            await self._settle()

    async def asked(self, before: int = 0) -> bool:
        """Returns whether the model was asked more often than before."""
        return len(self.model.requests) > before

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

    async def _settle(self) -> None:
        for _ in range(50):
            await asyncio.sleep(0)
        await self.commands.ended()
        if self.looking is not None:
            await asyncio.sleep(0.005)

    async def _busy(self) -> bool:
        if not await self._finds_by_meaning():
            return True
        if self.looking is None:
            rows = self.scene.store.rows
            done = (TurnState.SETTLED, TurnState.PARKED)
            turns = any(turn.state not in done for turn in rows.turns.values())
            return turns or any(row.state in ("new", "waiting") for row in rows.inbox.values())
        return bool(_counted(self.looking, *_UNDONE))

    async def _finds_by_meaning(self) -> bool:
        """Returns whether the index of meaning is open, if there is one; a thread opens it."""
        meaning = self.scene.meaning
        if meaning is None or (await meaning.condition()).ready:
            return True
        await asyncio.sleep(0.005)
        return False

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

    async def press(self, shown: Shown, label: str, by: Sender) -> bool:
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
                await self._pressed(pressed, by)
                return True
        return False

    async def _pressed(self, pressed: Pressed, by: Sender) -> None:
        """Presses; the owner does so at both sides where the terminal beside shows that card."""
        sides = (False,)
        if by is ANN and self.has_desk and pressed.address == HOME:
            sides = (True, False) if self.case.at_desk else (False, True)
        if by is ANN and self.case.beside == "page" and pressed.address == HOME:
            # The page shows the rows of the chat, whether its platform is served or not.
            with suppress(AssertionError):
                await self.scene.pressed_on_page(pressed.data, pressed.message)
        for desk in sides:
            await self.again(pressed, by, desk=desk)

    @property
    def has_desk(self) -> bool:
        """Returns whether a terminal beside is open now."""
        return self.scene.desk is not None and self.scene.desk.is_open

    async def again(self, pressed: Pressed, by: Sender, *, desk: bool = False) -> None:
        """Presses what was pressed, as a double tap or a stale screen does."""
        card = pressed.data, by, pressed.message, pressed.address
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
    return sum(connection.execute(text(query)).scalar_one() for query in queries)


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
            ran.append(Ran(name, str(given["what"]), around.get("KEY", ""), at[0]))
            return ToolOutput(f"done {given['what']}")

        return PlacedTool(tool(name, effect, Replay.ONCE).spec, act, at=at)

    run = changing("run", Effect.WRITE)
    return (
        changing("write", Effect.WRITE),
        CommandTool(run.spec, run.act, at=at, commands=commands, told=_into(ran)),
        changing("burn", Effect.DANGER),
    )


def _into(ran: list[Ran]) -> Callable[[Found], None]:
    return lambda found: ran.append(Ran("run", *found))


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
    reader = FakePageReader("")
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
    if case.event == "budget":
        scene.bound(day="0.03")
        model.costly = True
    story = Story(case, scene, model, pages)
    story.ran, story.commands, story.work_place = ran, commands, at
    if case.act == "search":
        model.provider = ANTHROPIC
        scene.searches = own
    if case.act == "secret" and case.walls == "sandbox":
        await commands.open()
    plant(story)
    scene.application = scene.composed()
    reader.text = story.foreign_words()
    people = ((ANN, Role.OWNER), (BOB, Role.MEMBER))
    with commands, _looking_at(url) as story.looking:
        async with running(scene, people):
            await scene.link(ANN, OTHER, TERMINAL)
            await scene.link(BOB, OTHER)
            # An owner who never wrote could not be asked about a member's plan.
            await scene.store.chats.at(HOME, private=True)
            if case.beside == "terminal":
                scene.desk = scene.desk or Desk(HOME)
                await scene.open_desk()
            yield story


async def play(story: Story) -> None:
    """Plays the story to its end."""
    case = story.case
    await _remember(story)
    await _agree(story)
    if case.event == "taken over":
        await story.scene.begin_beside()
        await story.rested()
    await _ORIGINS[case.origin](story)
    await story.rested()
    if case.event == "nobody there":
        await story.come_back()
        await story.rested()
    if case.event == "stop":
        await _say(story, "/stop")
        await story.rested()
    if case.event == "restart":
        await story.scene.crash()
        await story.rested()
    if story.scene.beside is not None:
        await story.scene.hand_over()
        await story.rested()
    if case.event == "channel away":
        await story.be_away()
        await story.rested()
    if case.event == "lower walls" and not case.is_run:
        await story.go_outside()
        await story.rested()
    await _decide(story)
    if case.origin in ("retry", "undo"):
        await _take_back(story)
        await story.rested()
        await _decide(story)
    story.owed = await story.count_owed()
    story.kept = await story.switched()
    await story.shown_beside()
    story.strangers = await story.strangers_at_desk()


async def _take_back(story: Story) -> None:
    if story.case.origin == "undo":
        await _say(story, "what is there?")
        await story.rested()
        await _say(story, "/undo")
        await story.rested()
    await _say(story, "/retry")


async def _decide(story: Story) -> None:
    """Lets people press as the case has it, until nobody has anything left to press."""
    for _ in range(6):
        before = len(story.presses)
        for shown in story.open_cards():
            await _press(story, shown)
            if story.case.event == "restart after the press":
                await story.scene.crash()
            await story.rested()
        if story.case.event == "pressed twice":
            for pressed in list(story.presses):
                await story.again(pressed, ANN if pressed.by == "Ann" else BOB)
                await story.rested()
        if len(story.presses) == before:
            return


async def _press(story: Story, shown: Shown) -> None:
    """Presses as the case has it; a stranger and the asker without a right try it first."""
    current = story.scene.at(shown.address).screen.get(shown.id)
    if current is None or any(one.card == (shown.address, shown.id) for one in story.presses):
        return
    plan = shown.text.startswith("📋")
    others = (EVE,) if story.nobody_may else (EVE, BOB)
    for other in () if story.case.at_terminal else others:
        await story.press(current, "✅", other)
    match story.case.consent:
        case "no" if not plan:
            await story.press(current, "❌", ANN)
        case "press" if not plan:
            await story.press(current, "✅", ANN)
        case "approve all" if not plan:
            if not await story.press(current, "✅ Approve all", ANN):
                await story.press(current, "✅", ANN)
        case "yes to rule" if not plan and await _is_covered(story, current):
            story.covered.append(current.text)
            await story.press(current, "✅", ANN)
        case "plan" if plan:
            await story.press(current, "✅ Approve", ANN)
        case "kept call" if "MAKE A TASK" in current.text or "in 20m" in current.text:
            await story.press(current, "✅ Approve", ANN)


async def _is_covered(story: Story, card: Shown) -> bool:
    """Returns whether the rule covers a card that the question of the case names."""
    buttons = [button for row in cast(Any, card.piece.body["buttons"]) for button in row]
    data = next(one["data"] for one in buttons if one["label"].startswith("✅"))
    store, owner = cast(Store, story.scene.store), replace(ANN, channel=TERMINAL)
    return await story.named_rules(store, frozenset(), story.at, owner).cover(data, ["first"])


async def _say(story: Story, words: str, **how: Any) -> str:
    if story.case.at_page and not any(how.values()):
        await story.scene.written(words)
        return ""
    if story.case.at_desk and story.has_desk and not any(how.values()):
        await story.scene.typed(words)
        return ""
    return await story.scene.told(
        story.at, story.asker, words, reply_to=how.pop("reply_to", None), **how
    )


async def _remember(story: Story) -> None:
    """Gives both people a past; what was foreign then is foreign now."""
    scene, by_meaning = story.scene, story.case.sight == "recalled by meaning"
    for sender, told in ((story.asker, story.foreign_words()), (_other(story), OTHERS)):
        person = await scene.store.people.by_sender(sender)
        assert person is not None
        whose = await scene.store.people.by_sender(story.asker if story.leaks else sender)
        passage = Passage(
            id=f"past-{person.id}",
            whose=f"p{whose.id if whose else 0}",
            at=scene.clock.now(),
            question=_BEFORE if by_meaning else _QUESTION,
            answer=told if by_meaning else f"The gerbil mail says: {told}",
            person=person.id,
            speaker=sender.name,
            untrusted="a forward from Eve",
        )
        own = story.case.sight in ("recalled", "recalled by meaning") and not story.leaks
        if own or sender is not story.asker:
            await scene.application.parts.way_out.journal.commit(Change((KeepPassage(passage),)))
            await story.until(partial(scene.store.words.search, passage.question, passage.whose, 1))
            if by_meaning:
                await story.meant()
    await story.rested()


def _other(story: Story) -> Sender:
    return BOB if story.asker is ANN else ANN


async def _agree(story: Story) -> None:
    """Makes the standing rules of the case: exactly these calls, for the asker in one chat."""
    if story.case.consent not in ("rule", "yes to rule"):
        return
    store = story.scene.store
    chat = await store.chats.at(_ruled_place(story), private=story.case.place != "group")
    person = await store.people.by_sender(story.asker)
    assert person is not None
    for what in story.wanted:
        name = talked.TOOLS.get(ACTS[story.case.act], ACTS[story.case.act])
        given = talked.arguments(ACTS[story.case.act], what)
        exact, now = ExactRule(canonical(given)), story.scene.clock.now()
        rule = Rule(0, person.id, chat.id, name, exact, what, now)
        await store.journal.commit(Change((AddRule(rule),)))


def _ruled_place(story: Story) -> Address:
    """Returns the chat that the rule belongs to.

    A rule that a question names is of another terminal in the same folder. About the home there is
    none, and in a project none that counts by itself: those rules are of another folder.
    """
    match story.case:
        case Case(place="project", consent="yes to rule"):
            return address_in(PROJECT, "local-2")
        case Case(place="door", consent="yes to rule"):
            return IN_PROJECT
        case Case(place="project"):
            return AT_DOOR
        case _:
            return story.at


async def _message(story: Story) -> None:
    forward = "Eve" if story.case.sight == "forward" else None
    if story.case.event not in ("taken over", "nobody there"):
        await _say(story, story.words(), forwarded_from=forward)
        return
    # The process dies, or the terminal is closed, while the model is being asked.
    before = len(story.model.requests)
    story.model.go_on.clear()
    await _say(story, story.words(), forwarded_from=forward)
    await story.until(partial(story.asked, before))
    await story.leave()
    if story.scene.beside is not None:
        await story.scene.hand_over()
    story.model.go_on.set()


async def _voice(story: Story) -> None:
    scene = story.scene
    scene.files.stored["V"] = b"OggS"
    scene.hearing = FakeHearing({b"OggS": story.words()})
    await scene.crash()
    await story.rested()
    await _say(story, "", attachments=[_VOICE])


async def _edit(story: Story) -> None:
    """Edits a message that waits while another one is answered."""
    story.model.go_on.clear()
    await _say(story, "one moment")
    await story.until(story.asked)
    sent = await _say(story, "something else")
    await story.until(story.routed)
    await _say(story, story.words(), edited=True, message_id=sent)
    await story.until(story.routed)
    story.model.go_on.set()


async def _reply(story: Story) -> None:
    await _say(story, "hello")
    await story.rested()
    answer = next(one for one in story.scene.screens if one.address == story.at)
    forward = "Eve" if story.case.sight == "forward" else None
    await _say(story, story.words(), reply_to=answer, forwarded_from=forward)


async def _branch(story: Story) -> None:
    await _say(story, "hello")
    await story.rested()
    await _say(story, "/branch Another way")
    await story.rested()
    await _message(story)


async def _task(story: Story) -> None:
    if story.case.consent == "kept call":
        await _say(story, talked.kept(story.words()))
        await story.rested()
        await _decide(story)
    else:
        await _say(story, f"/schedule in 20m | {story.words()}")
        await story.rested()
    if story.case.allowed == "readonly":
        await _bind(story)
    await _later(story, 1_200)


async def _later(story: Story, seconds: float) -> None:
    """Lets time pass until the model is asked: a real store may not be looked at in time."""
    await story.leave()
    if story.case.event == "lower walls":
        await story.go_outside()
    before = len(story.model.requests)
    await story.scene.clock.advance(seconds)
    for _ in range(20):
        await story.rested()
        if len(story.model.requests) > before:
            return
        await story.scene.clock.advance(60)


async def _bind(story: Story) -> None:
    """Lets the runs of the task only read."""
    for task in await story.scene.store.scheduled.of_chat((await _chat(story)), 10):
        bound = replace(task, allowed=Allowed.READONLY)
        await story.scene.store.journal.commit(Change((SaveTask(bound.changed(), task.version),)))


async def _chat(story: Story) -> int:
    return (await story.scene.store.chats.at(story.at, private=True)).id


async def _goal(story: Story) -> None:
    await _say(story, f"/goal {story.words()}")
    await story.rested()
    for shown in list(story.scene.screens):
        await story.press(shown, "▶️ Start", story.asker)
    await story.rested()
    await _later(story, 1)


async def _hook(story: Story) -> None:
    hook = Hook("build", OWNER, OWNER, story.words(), "HOOK_SECRET", "a-secret-of-some-length")
    story.scene.hooks.known["build"] = replace(hook, allowed=Allowed(story.case.allowed))
    await _say(story, "hello")
    await story.rested()
    await story.scene.call_hook("build", {"log": "dry"}, key="k1")


async def _plan(story: Story) -> None:
    await _say(story, f"/plan {story.words()}")
    await story.leave()


_ORIGINS: dict[str, Callable[[Story], Any]] = {
    "message": _message,
    "voice": _voice,
    "edit": _edit,
    "reply": _reply,
    "retry": _message,
    "undo": _message,
    "branch": _branch,
    "task": _task,
    "goal": _goal,
    "hook": _hook,
    "plan": _plan,
}
