"""What the messages of people show while the bot is busy with them."""

from bot.domain.talk.message import Sign
from tests.fakes.model import Gate, call, calls, says
from tests.scenarios.stage import BOB, Stage, stage
from tests.scenarios.team import group
from tests.scenarios.tools import looking, writing

QUEUED, WORKING, DONE, NONE = Sign.QUEUED, Sign.WORKING, Sign.DONE, Sign.NONE


def signs(scene: Stage, message: str) -> list[Sign]:
    return [sign for _, sign, on in scene.channel.signs if on == message]


async def test_a_message_that_waits_shows_how_far_it_is() -> None:
    gate, next_gate = Gate(), Gate()
    async with stage(gate, says("one"), next_gate, says("two")) as scene:
        first = await scene.say("1")
        await gate.reached()
        waiting = await scene.say("2")
        await scene.until(lambda: signs(scene, waiting) == [QUEUED])
        gate.open()
        await next_gate.reached()
        await scene.until(lambda: signs(scene, waiting) == [QUEUED, WORKING])
        next_gate.open()
        await scene.settled(2)
        await scene.until(lambda: signs(scene, waiting) == [QUEUED, WORKING, DONE])
        assert signs(scene, first) == []


async def test_dropped_messages_show_nothing_any_more() -> None:
    gate = Gate()
    async with stage(gate) as scene:
        await scene.say("1")
        await gate.reached()
        waiting = await scene.say("2")
        await scene.until(lambda: signs(scene, waiting) == [QUEUED])
        await scene.say("/stop all")
        await scene.until(lambda: signs(scene, waiting) == [QUEUED, NONE])


async def test_what_is_revoked_in_any_chat_shows_nothing_any_more_even_in_another_life() -> None:
    gate, next_gate = Gate(), Gate()
    async with group(gate, next_gate) as team:
        scene = team.scene
        await team.ask("1", BOB)
        await gate.reached()
        waiting = await team.ask("2", BOB)
        await scene.until(lambda: signs(scene, waiting) == [QUEUED])
        await scene.clock.advance(1)
        await scene.crash()
        await next_gate.reached()
        await scene.say("/revoke 2")
        await scene.shows("1 waiting message")
        await scene.until(lambda: signs(scene, waiting) == [QUEUED, NONE])


async def test_a_turn_that_takes_long_says_so_on_its_message() -> None:
    gate = Gate()
    async with stage(gate, says("At last.")) as scene:
        scene.channel.instant = False
        asked = await scene.say("1")
        await gate.reached()
        await scene.clock.advance(4.7)
        assert signs(scene, asked) == []
        await scene.clock.advance(0.2)
        await scene.until(lambda: signs(scene, asked) == [WORKING])
        gate.open()
        await scene.settled()
        await scene.until(lambda: signs(scene, asked) == [WORKING, DONE])


async def test_a_message_that_joins_a_turn_is_done_with_it() -> None:
    gate = Gate()
    script = calls(call("a", "look")), says("Done.")
    async with stage(gate, *script, tools=[looking()]) as scene:
        await scene.say("/queue steer")
        await scene.shows("joins what I am doing")
        await scene.say("look")
        await gate.reached()
        joined = await scene.say("and hurry")
        await scene.until(lambda: signs(scene, joined) == [QUEUED])
        gate.open()
        await scene.settled()
        await scene.until(lambda: signs(scene, joined)[-1:] == [DONE])


async def test_a_turn_that_was_set_aside_takes_its_reaction_back() -> None:
    gate = Gate()
    script = gate, says("One."), calls(call("a", "write", {"what": "x"})), says("Two.")
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("1")
        await gate.reached()
        waiting = await scene.say("write")
        await scene.until(lambda: signs(scene, waiting) == [QUEUED])
        gate.open()
        await scene.parked()
        await scene.say("never mind")
        await scene.shows("Two.")
        await scene.until(lambda: signs(scene, waiting) == [QUEUED, WORKING, NONE])


async def test_the_next_life_ends_what_this_one_began_to_show() -> None:
    gate = Gate()
    async with stage(gate, gate, says("One."), says("Two.")) as scene:
        await scene.say("1")
        await gate.reached()
        waiting = await scene.say("2")
        await scene.until(lambda: signs(scene, waiting) == [QUEUED])
        await scene.clock.advance(1)
        await scene.crash()
        gate.open()
        await scene.settled(2)
        await scene.until(lambda: signs(scene, waiting)[-1:] == [DONE])
