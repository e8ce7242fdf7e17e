"""A press on the page for a card that no screen shows: its platform holds or refuses it."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from bot.domain.assignments.errand import DELEGATE
from bot.domain.change import Change, LinkAccount
from bot.domain.consent.approval import ApprovalState
from bot.domain.talk.errors import ContentRefused
from bot.domain.talk.limits import Limits
from bot.domain.talk.message import Address, Piece
from bot.domain.talk.session import PAGE
from bot.domain.tools.tool import Code
from bot.domain.turn.turn import TurnState
from bot.domain.turn.view import ModelReply, ModelRequest
from bot.flow.world import World
from bot.ports.card_page import WaitingCard
from bot.ports.outbox import DeliveryState
from tests.crossings.paged import Page
from tests.fakes.channel import FakeChannel
from tests.fakes.model import RuledModel, ScriptedModel, call, calls, says
from tests.scenarios.stage import ANN, HOME, RecordingModel, Stage, running
from tests.scenarios.test_errands import errand, results_in, words_of
from tests.scenarios.test_goals import begun
from tests.scenarios.test_inspection import pages, person
from tests.scenarios.tools import ScenarioTool, burning, writing
from tests.words import APPROVED, DECIDED_ALREADY, NOT_SHOWN

SHORT, LONG = "x", "x" * 4_000
"""What is written: the long one stands on no card as a whole, and brings a document."""


class HoldingChannel(FakeChannel):
    """A platform that holds cards back until `way` is open, and refuses them if it `refuses`."""

    def __init__(self) -> None:
        super().__init__()
        self.way = asyncio.Event()
        self.refuses = False
        self.held = "🔐"
        """The words in a card that is held back."""

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        told = str(piece.body["text"])
        if told.startswith("🔐") and self.held in told:
            await self.way.wait()
            if self.refuses:
                raise ContentRefused("the platform does not like it")
        return await super().send(to, piece, once=once)


class PagedStage(Stage):
    """A stage with such a platform and with a page, on which Ann is signed in."""

    def __init__(
        self, what: str, *tools: ScenarioTool, model: RecordingModel | None = None
    ) -> None:
        self.page = Page(HOME, ANN)
        super().__init__(model or RuledModel(_model(what)), tools, Limits())
        self.holding = self.channel = HoldingChannel()
        self.hooks.add("build", "Look at {{log}} and say why.")
        self.application = self.composed()

    def _world(self) -> World:
        world = super()._world()
        served = {**world.channels, PAGE: self.page}
        both = {
            "files": dict.fromkeys(served, self.files),
            "groups": dict.fromkeys(served, self.groups),
        }
        return replace(world, channels=served, **both)

    async def listed(self) -> WaitingCard:
        """Waits until a card is in the list of cards, and returns it."""
        ann, cards = await person(self), pages(self).cards
        await self.until(lambda: self.approvals)
        (card,) = (await cards.cards(ann)).waiting
        return card

    @property
    def on_screen(self) -> int:
        """The number of cards of which it is recorded that they are shown."""
        rows = self.store.rows.outbox.values()
        shown = [row.key for row in rows if row.state is DeliveryState.SHOWN]
        return sum(card.key_in(card.chat) in shown for card in self.approvals)

    async def ended(self) -> None:
        """Waits until every turn has ended and everything owed is on the screen."""
        await self.until(lambda: all(turn.state is TurnState.SETTLED for turn in self.turns))
        await self.application.parts.way_out.delivery.flushed()

    async def press_listed(self, card: WaitingCard, label: str) -> str:
        """Presses a button of a card in the list; returns the private answer."""
        data = next(b.data for row in card.buttons for b in row if label in b.label)
        standing = await pages(self).cards.standing(await person(self), card.chat, card.key)
        at, message = (HOME, "") if standing is None else (standing.address, standing.message_id)
        update = self.page.form(ANN, at, self.clock.now()).press(data, message)
        told = len(self.page.acknowledged)
        await self.application.parts.intake.accept(PAGE, (update,))
        await self.until(lambda: len(self.page.acknowledged) > told)
        return self.page.acknowledged[-1][1]


def _model(what: str) -> Callable[[ModelRequest, int], ModelReply]:
    """Writes something once; a person who says “go” has it written by a helper."""

    def answer(request: ModelRequest, _: int) -> ModelReply:
        if found := results_in(request):
            return says(f"It came to: {found[0].text[:40]}")
        said = words_of(request)
        if "[Errand]" not in said and "go!" in said:
            return calls(errand("d", "write it"))
        return calls(call("w", "write", {"what": what}))

    return answer


async def _by_helper(scene: Stage) -> None:
    await scene.say("go!")


async def _by_goal(scene: Stage) -> None:
    await begun(scene)


async def _by_hook(scene: Stage) -> None:
    await scene.call_hook("build", {"log": "dry"}, key="build-7")


WAYS = [
    pytest.param(_by_helper, id="helper"),
    pytest.param(_by_goal, id="goal"),
    pytest.param(_by_hook, id="hook"),
]
Asks = Callable[[Stage], Awaitable[None]]


@asynccontextmanager
async def unshown(asks: Asks, what: str = SHORT) -> AsyncGenerator[tuple[PagedStage, ScenarioTool]]:
    tool = writing()
    scene = PagedStage(what, tool)
    async with running(scene):
        ann = await person(scene)
        account = LinkAccount(f"{PAGE}:{ANN.user_id}", ann.id)
        await scene.store.journal.commit(Change((account,)))
        await asks(scene)
        yield scene, tool


def written(tool: ScenarioTool) -> Sequence[object]:
    return [arguments["what"] for arguments in tool.ran]


@pytest.mark.parametrize("refuses", [False, True], ids=["shown later", "refused later"])
@pytest.mark.parametrize("what", [SHORT, LONG], ids=["short", "with a document"])
@pytest.mark.parametrize("asks", WAYS)
async def test_a_press_in_the_list_counts_once_though_no_screen_shows_the_card(
    asks: Asks, what: str, *, refuses: bool
) -> None:
    async with unshown(asks, what) as (scene, tool):
        card = await scene.listed()
        assert what in "".join(block.text for block in card.body)
        assert await scene.press_listed(card, "Approve") == APPROVED
        await scene.until(lambda: tool.ran)
        assert DECIDED_ALREADY in await scene.press_listed(card, "Approve")
        assert DECIDED_ALREADY in await scene.press_listed(card, "Deny")
        scene.holding.refuses = refuses
        scene.holding.way.set()
        await scene.ended()
        assert written(tool) == [what]
        assert [one.state for one in scene.approvals] == [ApprovalState.APPROVED]
        assert not [shown for shown in scene.cards if shown.text.startswith("🔐")]


@pytest.mark.parametrize("asks", WAYS)
async def test_a_denial_in_the_list_counts_though_no_screen_shows_the_card(asks: Asks) -> None:
    async with unshown(asks) as (scene, tool):
        card = await scene.listed()
        await scene.press_listed(card, "Deny")
        scene.holding.way.set()
        await scene.ended()
        assert DECIDED_ALREADY in await scene.press_listed(card, "Approve")
        assert written(tool) == []


@pytest.mark.parametrize("asks", WAYS)
async def test_a_press_for_a_card_that_its_platform_refused_does_nothing(asks: Asks) -> None:
    async with unshown(asks) as (scene, tool):
        card = await scene.listed()
        scene.holding.refuses = True
        scene.holding.way.set()
        await scene.ended()
        cards = pages(scene).cards
        assert (await cards.cards(await person(scene))).waiting == ()
        assert await cards.standing(await person(scene), card.chat, card.key) is None
        assert DECIDED_ALREADY in await scene.press_listed(card, "Approve")
        assert written(tool) == []
        (result,) = [one for one in scene.results if one.tool != DELEGATE]
        assert result.code is Code.UNASKABLE
        await scene.shows(f"{NOT_SHOWN} · Do write x · “the platform does not like it”")


async def test_the_button_for_several_cards_says_how_many_a_press_in_the_list_approves() -> None:
    wishes = [call(name, "write", {"what": name}) for name in ("one", "two", "three")]
    tools = [writing(), burning()]
    script = ScriptedModel(calls(*wishes, call("four", "burn")), says("Done."))
    scene = PagedStage(SHORT, *tools, model=script)
    scene.holding.held = "three"
    async with running(scene):
        ann = await person(scene)
        account = LinkAccount(f"{PAGE}:{ANN.user_id}", ann.id)
        await scene.store.journal.commit(Change((account,)))
        await scene.say("go")
        await scene.until(lambda: scene.on_screen == 2)
        first, *others = (await pages(scene).cards.cards(ann)).waiting
        assert [b.label for row in first.buttons for b in row if " of " in b.label] == [
            "✅ Approve 2 of 4"
        ]
        assert not [b for one in others for row in one.buttons for b in row if " of " in b.label]
        assert await scene.press_listed(first, "Approve 2 of 4") == (
            "Approved 2 cards. 2 cards still wait."
        )
        scene.holding.way.set()
        await scene.until(lambda: scene.on_screen == 4)
        for one in (await pages(scene).cards.cards(ann)).waiting:
            assert not [b.label for row in one.buttons for b in row if "Approve all" in b.label]
            await scene.press_listed(one, "Deny")
        await scene.ended()
        assert sorted(map(str, written(tools[0]))) == ["one", "two"]


async def test_the_button_for_several_cards_goes_while_no_screen_shows_any() -> None:
    wishes = [call(name, "write", {"what": name}) for name in ("one", "two")]
    script = ScriptedModel(calls(*wishes), says("Done."))
    scene = PagedStage(SHORT, writing(), model=script)
    async with running(scene):
        await scene.say("go")
        await scene.until(lambda: len(scene.approvals) == 2)
        first, _ = (await pages(scene).cards.cards(await person(scene))).waiting
        assert [b.label for b in first.buttons[0]] == ["✅ Approve"]
        assert len([b for row in first.buttons for b in row if b.label.startswith("✅")]) == 1
        scene.holding.way.set()
        await scene.until(lambda: scene.on_screen == 2)
        first, _ = (await pages(scene).cards.cards(await person(scene))).waiting
        assert [b.label for b in first.buttons[-1]] == ["✅ Approve all 2"]
        await scene.press("Approve all")
        await scene.ended()
