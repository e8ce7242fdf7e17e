"""How an answer grows in a group: in one silent message that the answer itself replaces."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

from bot.domain.money.model import ModelProfile
from bot.domain.talk.errors import ChannelUnreachable
from bot.domain.talk.limits import Limits
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.view import ModelEvent, ModelRequest, TextDelta
from tests.fakes.channel import Shown
from tests.fakes.model import PROFILE, Listing, call, calls, says
from tests.scenarios.stage import Stage, running
from tests.scenarios.team import PEOPLE, TEAM, Group
from tests.scenarios.tools import ScenarioTool, writing


class SlowModel(Listing):
    """Says word after word when it is told to, and then the whole."""

    def __init__(self, *replies: object) -> None:
        self.requests: list[ModelRequest] = []
        self.words: asyncio.Queue[str | None] = asyncio.Queue()
        self.replies = [says("The whole answer."), *replies]

    def profile(self, name: str) -> ModelProfile:
        return replace(PROFILE, name=name)

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        self.requests.append(request)
        while (word := await self.words.get()) is not None:
            yield TextDelta(word)
        yield self.replies.pop(0)


@asynccontextmanager
async def team(model: SlowModel, *tools: ScenarioTool) -> AsyncGenerator[tuple[Stage, Group]]:
    scene = Stage(model, tools, Limits())
    scene.channel.instant = False
    async with running(scene, PEOPLE):
        yield scene, Group(scene)


def on_screen(scene: Stage) -> list[Shown]:
    return [shown for shown in scene.channel.screen.values() if shown.address == TEAM]


async def grows(scene: Stage, model: SlowModel) -> Shown:
    """Lets the answer begin and time pass; returns the message that shows it."""
    await scene.until(lambda: model.requests)
    model.words.put_nowait("So ")
    await scene.clock.advance(0.4)
    model.words.put_nowait("far.")
    await scene.clock.advance(4.5)
    return await scene.until(lambda: on_screen(scene)[0] if on_screen(scene) else None)


async def test_a_quick_answer_is_one_message() -> None:
    model = SlowModel()
    async with team(model) as (scene, group):
        model.words.put_nowait("The ")
        model.words.put_nowait(None)
        await group.ask("quick")
        await scene.settled()
        assert group.texts == ["The whole answer."]
        assert scene.channel.sent_drafts == []


async def test_a_slow_answer_grows_in_one_message_and_then_takes_its_place() -> None:
    model = SlowModel()
    async with team(model) as (scene, group):
        asked = await group.ask("slow")
        shown = await grows(scene, model)
        assert (shown.text, shown.piece.body["reply_to"]) == ("So far.", asked)
        model.words.put_nowait(" And on.")
        await scene.clock.advance(5.0)
        await scene.until(lambda: group.texts == ["So far. And on."])
        model.words.put_nowait(None)
        await scene.settled()
        await scene.until(lambda: group.texts == ["The whole answer."])
        [answer] = on_screen(scene)
        assert answer.piece.body["reply_to"] == asked
        assert answer.id != shown.id
        assert not [r for r in scene.store.rows.outbox.values() if r.state.value == "owed"]


async def test_killed_while_it_grows_the_next_life_leaves_the_answer_alone() -> None:
    model = SlowModel()
    async with team(model) as (scene, group):
        await group.ask("slow")
        await grows(scene, model)
        await scene.crash()
        await scene.until(lambda: len(model.requests) == 2)
        await scene.until(lambda: group.texts == [])
        model.words.put_nowait(None)
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.FINAL_ANSWER
        assert group.texts == ["The whole answer."]


async def test_it_gives_way_to_what_is_said_meanwhile_and_comes_again_below() -> None:
    model = SlowModel()
    async with team(model) as (scene, group):
        await group.ask("slow")
        await grows(scene, model)
        await group.ask("/queue")
        await scene.until(lambda: len(group.texts) == 1 and "/queue interrupt" in group.texts[0])
        for words in (" And on.", " And on."):
            model.words.put_nowait(words)
            await scene.clock.advance(5.0)
        await scene.until(lambda: group.texts[1:] == ["So far. And on. And on."])
        model.words.put_nowait(None)
        await scene.settled()
        await scene.until(lambda: group.texts[1:] == ["The whole answer."])


async def test_it_does_not_stand_beside_a_card() -> None:
    model = SlowModel()
    model.replies.insert(0, calls(call("a", "write", {"what": "x"})))
    async with team(model, writing()) as (scene, group):
        await group.ask("slow")
        await grows(scene, model)
        model.words.put_nowait(None)
        await scene.parked()
        await scene.until(lambda: len(on_screen(scene)) == 1 and scene.cards)


async def test_one_that_comes_later_than_the_answer_is_taken_away_all_the_same() -> None:
    model = SlowModel()
    async with team(model) as (scene, group):
        scene.channel.draft_answers.clear()
        await group.ask("slow")
        await grows(scene, model)
        model.words.put_nowait(None)
        await scene.settled()
        assert group.texts == ["So far.", "The whole answer."]
        scene.channel.draft_answers.set()
        await scene.until(lambda: group.texts == ["The whole answer."])


async def test_a_bad_way_costs_the_growing_and_not_the_answer() -> None:
    model = SlowModel()
    async with team(model) as (scene, group):
        scene.channel.fail_next(ChannelUnreachable("down", maybe_done=False))
        await group.ask("slow")
        await scene.until(lambda: model.requests)
        model.words.put_nowait("So far.")
        await scene.clock.advance(0.4)
        await scene.clock.advance(6)
        assert group.texts == []
        model.words.put_nowait(None)
        await scene.settled()
        assert group.texts == ["The whole answer."]
