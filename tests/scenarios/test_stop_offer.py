"""[⏹ Stop] under a long turn: it comes late, stops this turn, and leaves with it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from bot.domain.talk.limits import Limits
from bot.domain.talk.person import Role
from bot.domain.turn.outcome import StopReason
from tests.fakes.channel import FakeChannel
from tests.fakes.model import Gate, ScriptedModel, Step, call, calls, says
from tests.scenarios.stage import ANN, BOB, HOME, Stage, running
from tests.scenarios.team import TEAM
from tests.scenarios.test_group_answers import SlowModel, grows, team
from tests.scenarios.tools import ScenarioTool, writing
from tests.words import ALREADY_OVER, ASKERS_ONLY, STILL_AT_IT, STOP

PEOPLE = ((ANN, Role.OWNER), (BOB, Role.MEMBER))


@asynccontextmanager
async def slow(*script: Step, tools: tuple[ScenarioTool, ...] = ()) -> AsyncGenerator[Stage]:
    scene = Stage(ScriptedModel(*script), tools, Limits())
    scene.channel = FakeChannel(instant=False)
    scene.application = scene.composed()
    async with running(scene, PEOPLE):
        yield scene


async def long(scene: Stage) -> None:
    """Lets the time pass after which the button comes."""
    await scene.clock.advance(11)
    await scene.shows(STILL_AT_IT)


async def test_it_comes_after_a_while_and_leaves_with_the_answer() -> None:
    gate = Gate()
    async with slow(gate, says("Done.")) as scene:
        await scene.say("Work")
        await gate.reached()
        await scene.clock.advance(9)
        assert STILL_AT_IT not in scene.texts
        await long(scene)
        gate.open()
        await scene.settled()
        assert scene.texts == ["Done."]


async def test_a_press_stops_the_turn_and_later_presses_say_that_it_is_over() -> None:
    gate = Gate()
    async with slow(gate, says("Never.")) as scene:
        await scene.say("Work")
        await gate.reached()
        await long(scene)
        data = next(one for one in scene.channel.screen.values() if one.text == STILL_AT_IT)
        pressed = data.piece.body["buttons"][0][0]["data"]
        assert await scene.press(STOP) == ""
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.USER_CANCELLED
        assert STILL_AT_IT not in scene.texts
        assert await scene.press_data(pressed) == ALREADY_OVER
        assert await scene.press_data(pressed) == ALREADY_OVER


async def test_only_the_one_who_asked_and_owners_may_press() -> None:
    gate = Gate()
    async with slow(gate, says("Done.")) as scene:
        await scene.say("Work")
        await gate.reached()
        await long(scene)
        assert await scene.press(STOP, BOB) == ASKERS_ONLY
        gate.open()
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.FINAL_ANSWER


async def test_it_leaves_while_a_card_waits() -> None:
    gate = Gate()
    script = (gate, calls(call("a", "write", {"what": "x"})), says("Written."))
    async with slow(*script, tools=(writing(),)) as scene:
        await scene.say("Work")
        await gate.reached()
        await long(scene)
        gate.open()
        await scene.parked()
        await scene.until(lambda: STILL_AT_IT not in scene.texts)


async def test_a_restart_keeps_it_and_the_next_life_takes_it_away() -> None:
    gate = Gate()
    async with slow(gate, says("Lost."), says("Done.")) as scene:
        await scene.say("Work")
        await gate.reached()
        await long(scene)
        await scene.crash()
        await scene.start()
        gate.open()
        await scene.settled()
        assert STILL_AT_IT not in scene.texts
        assert HOME in [shown.address for shown in scene.channel.screen.values()]


async def test_in_a_group_it_stands_below_the_growing_message_and_goes_with_it() -> None:
    model = SlowModel()
    async with team(model) as (scene, group):
        await group.ask("slow")
        await grows(scene, model)
        await scene.clock.advance(6)
        await scene.until(lambda: buttons(scene) == [("So far.", STOP)])
        model.words.put_nowait(" And on.")
        await scene.clock.advance(5)
        await scene.until(lambda: buttons(scene) == [("So far. And on.", STOP)])
        assert group.texts == ["So far. And on."]
        (data,) = (one.piece.body["buttons"][0][0]["data"] for one in scene.channel.screen.values())
        assert await scene.press_data(data, at=TEAM) == ""
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.USER_CANCELLED
        await scene.until(lambda: buttons(scene) == [])
        assert STILL_AT_IT not in group.texts


def buttons(scene: Stage) -> list[tuple[str, str]]:
    """The messages with a button, each with the label of its first one."""
    shown = [one for one in scene.channel.screen.values() if one.piece.body.get("buttons")]
    return [(one.text, one.piece.body["buttons"][0][0]["label"]) for one in shown]


async def test_a_copy_that_a_death_left_behind_goes_when_it_is_pressed() -> None:
    gate = Gate()
    async with slow(gate, says("Done.")) as scene:
        await scene.say("Work")
        await gate.reached()
        await long(scene)
        (shown,) = scene.cards
        copy = await scene.channel.send(HOME, shown.piece)
        gate.open()
        await scene.settled()
        data = shown.piece.body["buttons"][0][0]["data"]
        assert await scene.press_data(data, message_id=copy) == ALREADY_OVER
        await scene.until(lambda: copy not in scene.channel.screen)
