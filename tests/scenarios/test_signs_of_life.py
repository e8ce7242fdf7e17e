"""Signs of life behind the real rates: none holds an answer, and one is there soon after a press.

The gate's own clock tells what waited: it moves only where a test moves it.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from bot.domain.talk.errors import FloodWait
from bot.domain.talk.limits import Limits, SendRates
from bot.domain.talk.message import Address, InboundMessage, Piece, Sign
from bot.domain.talk.person import Role
from bot.ports.channel import NEW_DRAFT, DraftPlace, Links
from tests.fakes.channel import FakeChannel
from tests.fakes.clock import FakeClock
from tests.fakes.model import ScriptedModel, Step, call, calls, says
from tests.scenarios.stage import ANN, HOME, RecordingModel, Stage, running
from tests.scenarios.team import PEOPLE, Group
from tests.scenarios.test_group_answers import SlowModel
from tests.scenarios.tools import ScenarioTool, tool, writing


@dataclass(slots=True)
class WatchedChannel(FakeChannel):
    """Notes when it was told what: the second, the kind, and the words."""

    clock: FakeClock = field(default_factory=FakeClock)
    told: list[tuple[float, str, str]] = field(default_factory=list[tuple[float, str, str]])
    typing_refused: int = 0
    """The next signs that find no room."""

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        self._note("draft" if piece.body.get("passing") else "send", str(piece.body["text"]))
        return await FakeChannel.send(self, to, piece, once=once)

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None:
        self._note("edit", "" if piece is None else str(piece.body["text"]))
        await FakeChannel.edit(self, to, message_id, piece)

    async def draft(
        self, to: Address, text: str, links: Links = (), place: DraftPlace = NEW_DRAFT
    ) -> str | None:
        if not to.chat.startswith("-"):
            self._note("draft", text)
        return await FakeChannel.draft(self, to, text, links, place)

    async def sign(self, to: Address, sign: Sign, message_id: str | None = None) -> None:
        if self.typing_refused:
            self.typing_refused -= 1
            raise FloodWait(0.2)
        await FakeChannel.sign(self, to, sign, message_id)
        self._note("sign", sign.value)

    def _note(self, kind: str, text: str) -> None:
        self.told.append((round(self.clock.steady(), 3), kind, text))

    def at(self, kind: str, since: float = 0.0) -> list[float]:
        return [when for when, what, _ in self.told if what == kind and when >= since]


@asynccontextmanager
async def behind_the_gate(
    model: RecordingModel, *tools: ScenarioTool
) -> AsyncGenerator[tuple[Stage, WatchedChannel]]:
    scene = Stage(model, tools, Limits())
    watched = WatchedChannel(instant=False, gated=True, clock=scene.clock)
    scene.channel, scene.rates = watched, SendRates()
    scene.application = scene.composed()
    async with running(scene, ((ANN, Role.OWNER),)):
        yield scene, watched


async def passes(scene: Stage, seconds: float, step: float = 0.1) -> None:
    """Lets time pass in small steps, as it does."""
    for _ in range(round(seconds / step)):
        await scene.clock.advance(step)


async def test_an_answer_is_never_held_by_its_own_draft() -> None:
    model = SlowModel()
    async with behind_the_gate(model) as (scene, channel):
        await scene.say("hello")
        await scene.until(lambda: model.requests)
        model.words.put_nowait("So far")
        await passes(scene, 0.5)
        assert channel.at("draft") == [0.4]
        model.words.put_nowait(None)
        await scene.settled()
        assert channel.told[-1] == (0.5, "send", "The whole answer.")


async def test_a_round_of_cards_and_the_words_above_them_are_never_held_by_a_draft() -> None:
    model = SlowModel(calls(call("a", "write", {"what": "x"}), text="I write it."))
    model.replies.reverse()
    async with behind_the_gate(model, writing()) as (scene, channel):
        await scene.say("take a note")
        await scene.until(lambda: model.requests)
        model.words.put_nowait("I write")
        await passes(scene, 0.5)
        assert channel.at("draft") == [0.4]
        model.words.put_nowait(None)
        await scene.parked()
        assert channel.at("send") == [0.5, 0.5]


async def test_after_a_press_typing_is_shown_at_once_and_a_draft_within_a_second() -> None:
    held = asyncio.Event()
    write = replace(writing(), gate=held)
    script: list[Step] = [calls(call("a", "write", {"what": "x"})), says("Done.")]
    async with behind_the_gate(ScriptedModel(*script), write) as (scene, channel):
        await scene.say("take a note")
        await scene.parked()
        await passes(scene, 60)
        pressed = round(scene.clock.steady(), 3)
        await scene.press("Approve")
        await write.started.wait()
        await passes(scene, 0.1)
        assert channel.at("edit", pressed)[0] == pressed
        assert channel.at("sign", pressed)[0] == pressed
        await passes(scene, 1.9)
        first = channel.at("draft", pressed)[0]
        assert first <= pressed + 1.5
        assert channel.told[-1][2].startswith("⏳ ")
        held.set()
        await scene.settled()
        assert "Done." in [text for _, kind, text in channel.told if kind == "send"]


async def test_a_long_tool_tells_its_time_again_and_again() -> None:
    held = asyncio.Event()
    slow = tool("look", gate=held)
    script = (calls(call("a", "look"), text="I look."), says("Done."))
    async with behind_the_gate(ScriptedModel(*script), slow) as (scene, channel):
        await scene.say("look")
        await slow.started.wait()
        await passes(scene, 13)
        drafts = [text for _, kind, text in channel.told if kind == "draft"]
        assert drafts[0] == "I look.\n\n⏳ look"
        assert [d.rpartition(", ")[2] for d in drafts if d.endswith(" s")] == ["5 s", "10 s"]
        held.set()
        await scene.settled()


async def test_typing_that_found_no_room_comes_within_a_second() -> None:
    model = SlowModel()
    async with behind_the_gate(model) as (scene, channel):
        channel.typing_refused = 1
        await scene.say("hello")
        await scene.until(lambda: model.requests)
        await passes(scene, 2)
        assert 0 < channel.at("sign")[0] <= 1.4
        model.words.put_nowait(None)
        await scene.settled()


async def test_a_growing_message_of_a_group_that_was_dropped_is_shown_by_the_next_try() -> None:
    model = SlowModel()
    scene = Stage(model, (), Limits())
    watched = WatchedChannel(instant=False, gated=True, clock=scene.clock)
    scene.channel, scene.rates = watched, SendRates()
    scene.application = scene.composed()
    async with running(scene, PEOPLE):
        group = Group(scene)
        await group.ask("slow")
        await scene.until(lambda: model.requests)
        model.words.put_nowait("So far.")
        await passes(scene, 4.7)
        await group.ask("/queue")
        await passes(scene, 5.5)
        assert "So far." in group.texts
        model.words.put_nowait(None)
        await scene.settled()


async def test_a_message_that_may_go_on_shows_typing_while_it_waits_for_the_rest() -> None:
    async with behind_the_gate(ScriptedModel(says("I see."))) as (scene, channel):
        now = scene.clock.now()
        news = InboundMessage(HOME, ANN, "m1", "News", now, forwarded_from="Bob", number=1)
        await scene.application.parts.intake.accept("fake", (channel.update(news),))
        await passes(scene, 1.0)
        assert scene.model.requests == []
        assert channel.at("sign") == [0.4]
        await passes(scene, 1.0)
        await scene.settled()
