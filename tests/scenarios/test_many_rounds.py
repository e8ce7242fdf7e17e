"""A turn of many rounds tells how far it is, in one silent message that leaves with it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from bot.domain.talk.limits import Limits
from bot.domain.talk.person import Role
from bot.domain.turn.outcome import StopReason
from tests.fakes.channel import FakeChannel
from tests.fakes.model import Gate, ModelReply, ScriptedModel, Step, call, calls, says
from tests.scenarios.stage import ANN, Stage, running, stage
from tests.scenarios.tools import ScenarioTool, looking, writing
from tests.words import GO_ON, STILL_AT_IT, STOP, TELLS_ROUNDS


def looks(count: int, since: int = 0) -> list[ModelReply]:
    return [calls(call(f"l{n}", "look", {"n": n})) for n in range(since, since + count)]


@asynccontextmanager
async def rated(*script: Step, tools: tuple[ScenarioTool, ...]) -> AsyncGenerator[Stage]:
    """A stage with a channel that has rates, as platforms have."""
    scene = Stage(ScriptedModel(*script), tools, Limits())
    scene.channel = FakeChannel(instant=False)
    scene.application = scene.composed()
    async with running(scene, ((ANN, Role.OWNER),)):
        yield scene


def told(scene: Stage) -> list[str]:
    return [text for text in scene.texts if text.startswith(TELLS_ROUNDS)]


async def test_forty_rounds_of_work_end_with_an_answer() -> None:
    async with stage(*looks(40), says("All fixed."), tools=[looking()]) as scene:
        await scene.say("run the tests and fix what fails")
        turn = await scene.settled()
        assert (turn.stop_reason, turn.rounds) == (StopReason.FINAL_ANSWER, 41)


async def test_the_last_bound_asks_for_a_wrap_up_and_go_on_goes_on() -> None:
    script = *looks(60), says("Half of it."), *looks(1, 60), says("All of it.")
    async with stage(*script, tools=[looking()]) as scene:
        await scene.say("look at everything")
        turn = await scene.settled()
        assert (turn.stop_reason, scene.labels) == (StopReason.MAX_ROUNDS, [GO_ON])
        await scene.press(GO_ON)
        turn = await scene.settled(2)
        assert (turn.stop_reason, scene.texts[-1]) == (StopReason.FINAL_ANSWER, "All of it.")


async def test_each_ten_rounds_change_one_silent_message() -> None:
    first, second = Gate(), Gate()
    script = *looks(10), first, *looks(10, 10), second, says("Done.")
    async with stage(*script, tools=[looking()]) as scene:
        await scene.say("go")
        await first.reached()
        await scene.shows(f"{TELLS_ROUNDS} 10 rounds")
        (line,) = (one for one in scene.channel.screen.values() if TELLS_ROUNDS in one.text)
        assert line.piece.body["silent"]
        first.open()
        await second.reached()
        await scene.shows(f"{TELLS_ROUNDS} 20 rounds")
        assert (len(told(scene)), scene.channel.screen[line.id].edits) == (1, 1)
        second.open()
        await scene.settled()
        await scene.until(lambda: scene.texts == ["Done."])


async def test_nine_rounds_are_not_told() -> None:
    gate = Gate()
    async with stage(*looks(9), gate, says("Done."), tools=[looking()]) as scene:
        await scene.say("go")
        await gate.reached()
        await scene.application.parts.way_out.delivery.flushed()
        assert told(scene) == []
        gate.open()
        await scene.settled()


async def test_where_the_offer_to_stop_stands_it_tells_the_rounds_and_keeps_its_button() -> None:
    first, second = Gate(), Gate()
    script = first, *looks(10), second, says("Done.")
    async with rated(*script, tools=(looking(),)) as scene:
        await scene.say("go")
        await first.reached()
        await scene.clock.advance(11)
        await scene.shows(STILL_AT_IT)
        first.open()
        await second.reached()
        await scene.shows(f"{TELLS_ROUNDS} 10 rounds")
        assert (len(told(scene)), scene.labels) == (1, [STOP])
        second.open()
        await scene.settled()
        await scene.until(lambda: scene.texts == ["Done."])


async def test_it_leaves_while_a_card_waits_and_comes_back_below() -> None:
    gate, last = Gate(), Gate()
    write = calls(call("w", "write", {"what": "x"}))
    script = *looks(10), gate, write, *looks(9, 10), last, says("Done.")
    async with stage(*script, tools=[looking(), writing()]) as scene:
        await scene.say("go")
        await gate.reached()
        await scene.shows(f"{TELLS_ROUNDS} 10 rounds")
        gate.open()
        await scene.parked()
        await scene.until(lambda: told(scene) == [])
        await scene.press("✅ Approve")
        await last.reached()
        await scene.shows(f"{TELLS_ROUNDS} 20 rounds")
        last.open()
        await scene.settled()
        await scene.until(lambda: told(scene) == [])


async def test_after_a_death_the_same_message_is_changed_and_taken_away() -> None:
    first, second = Gate(), Gate()
    script = *looks(10), first, *looks(10, 10), second, says("Done.")
    async with stage(*script, tools=[looking()]) as scene:
        await scene.say("go")
        await first.reached()
        await scene.shows(f"{TELLS_ROUNDS} 10 rounds")
        await scene.crash()
        first.open()
        await second.reached()
        await scene.shows(f"{TELLS_ROUNDS} 20 rounds")
        assert len(told(scene)) == 1
        second.open()
        await scene.settled()
        await scene.until(lambda: told(scene) == [])
