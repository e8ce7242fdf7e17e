"""Death at every write of a turn: nothing lost, nothing twice, nothing left open."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest

from bot.domain.budget import Limits
from bot.domain.exchange import ModelProfile
from bot.domain.message import RawUpdate
from bot.domain.tool import Code
from bot.domain.transcript import ReplyBody
from bot.domain.turn import TurnState
from bot.domain.view import ModelEvent, ModelReply, ModelRequest, ResultPart
from bot.ports.outbox import DeliveryState
from tests.fakes.model import PROFILE, call, calls, says
from tests.scenarios.dying import Fate
from tests.scenarios.stage import Stage, running
from tests.scenarios.tools import looking, sending, writing

MOST_WRITES = 40


class RuleModel:
    """Answers by what the newest message holds, so that it may be asked any number of times."""

    def __init__(self) -> None:
        self.requests: list[ModelRequest] = []

    def profile(self, name: str) -> ModelProfile:
        return replace(PROFILE, name=name)

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        self.requests.append(request)
        yield _by_rule(request)


def _by_rule(request: ModelRequest) -> ModelReply:
    newest = request.messages[-1].parts
    results = [p for p in newest if isinstance(p, ResultPart)]
    if "second" in str(newest[-1]):
        return says("Second answer.")
    if len(results) == 2:
        return calls(call("s", "send", {"what": "A note."}))
    if results:
        return says("First answer.")
    return calls(call("r", "look"), call("w", "write", {"what": "x"}))


class Life:
    """A person with their platform: what was not confirmed comes again, cards are pressed."""

    def __init__(self, scene: Stage, fate: Fate) -> None:
        self._scene = scene
        self._fate = fate
        self._reborn = False
        self._pressed = False

    async def accept(self, update: RawUpdate) -> None:
        """Hands an update over until it was taken, over a death if need be."""
        taken = asyncio.create_task(self._accept(update))
        died = asyncio.create_task(self._fate.died.wait())
        await asyncio.wait({taken, died}, return_when=asyncio.FIRST_COMPLETED)
        died.cancel()
        if not taken.done():
            taken.cancel()
            await self._be_reborn()
            await self._accept(update)

    async def _accept(self, update: RawUpdate) -> None:
        await self._scene.application.intake.accept("fake", (update,))

    async def _be_reborn(self) -> None:
        if self._fate.died.is_set() and not self._reborn:
            self._reborn = True
            await self._scene.crash()

    async def until_quiet(self, answer: str) -> None:
        """Presses what there is to press until this answer is on the screen and all is settled."""
        for _ in range(20_000):
            if self._quiet(answer):
                return
            await self._be_reborn()
            if self._scene.cards and not self._pressed:
                self._pressed = True
                await self.accept(self._press())
            await asyncio.sleep(0)
        raise AssertionError(f"{answer!r} never came; the screen shows {self._scene.texts}")

    def _press(self) -> RawUpdate:
        card = self._scene.cards[0]
        data = card.piece.body["buttons"][0][0]["data"]
        return self._scene.press_update(data, card.id)

    def _quiet(self, answer: str) -> bool:
        rows = self._scene.store.rows
        settled = all(t.state is TurnState.SETTLED for t in self._scene.turns)
        owed = [r for r in rows.outbox.values() if r.state is DeliveryState.OWED]
        return answer in self._scene.texts and settled and not owed


async def _play(at: int | None, *, after: bool) -> tuple[Stage, Fate, int]:
    fate, tool = Fate(at, after), writing()
    tools = [looking(), tool, sending()]
    async with running(Stage(RuleModel(), tools, Limits(), fate)) as scene:
        life = Life(scene, fate)
        await life.accept(scene.message("first message"))
        await life.until_quiet("First answer.")
        await life.accept(scene.message("second message"))
        await life.until_quiet("Second answer.")
    return scene, fate, len(tool.ran)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", range(1, MOST_WRITES))
async def test_a_death_at_any_write_loses_nothing_and_repeats_nothing(at: int, after: bool) -> None:
    scene, fate, ran = await _play(at, after=after)
    if not fate.died.is_set():
        assert at > 15, "the scenario makes more writes than this"
        return
    _assert_sound(scene, ran)


def _assert_sound(scene: Stage, ran: int) -> None:
    scene.assert_whole()
    unknown = [r for r in scene.results if r.code is Code.OUTCOME_UNKNOWN]
    assert ran == 1 or (ran == 0 and unknown), "the write ran, or its end is called unknown"
    for text in ("A note.", "First answer.", "Second answer."):
        assert 1 <= scene.texts.count(text) <= 2, "shown, and at most one copy more"
    copies = sum(scene.texts.count(t) - 1 for t in ("A note.", "First answer.", "Second answer."))
    assert copies <= 1
    called = [c.id for b in scene.bodies if isinstance(b, ReplyBody) for c in b.calls]
    assert sorted(called) == ["r", "s", "w"], "no round was made twice"


async def test_a_life_without_a_death_is_the_measure() -> None:
    scene, fate, ran = await _play(None, after=False)
    assert ran == 1
    assert 15 < fate.writes < MOST_WRITES
    _assert_sound(scene, ran)
    assert scene.texts[-1] == "Second answer."
