"""Turns that keep failing rest while others go on, and are tried again until they end."""

from bot.domain.errors import StoreBusy
from bot.domain.outcome import StopReason
from bot.domain.turn import TurnState
from bot.domain.view import ModelReply, ModelRequest, TextPart
from tests.fakes.model import Gate, call, calls, says
from tests.scenarios.stage import BOB, Stage, stage
from tests.scenarios.tools import looking


def failing(_: ModelRequest) -> ModelReply:
    raise RuntimeError("a fault that nobody foresaw")


async def rests(scene: Stage) -> None:
    """Waits until a turn rests and its card is shown."""
    for _ in range(4):
        await scene.clock.advance(5)
    await scene.until(lambda: [t for t in scene.turns if t.state is TurnState.RESTING])
    await scene.application.parts.way_out.delivery.flushed()


async def test_a_turn_that_fails_three_times_rests_and_later_messages_are_answered() -> None:
    async with stage(failing, failing, failing, says("Second answer.")) as scene:
        await scene.say("first")
        await rests(scene)
        assert "I failed 3 times at “first”" in scene.texts[-1]
        await scene.say("second")
        await scene.shows("Second answer.")
        assert [t.state for t in scene.turns] == [TurnState.RESTING, TurnState.SETTLED]


async def test_a_resting_turn_is_tried_again_and_asks_once_more_behind_the_others() -> None:
    async with stage(*[failing] * 3, says("Second answer."), says("First answer.")) as scene:
        await scene.say("first")
        await rests(scene)
        await scene.say("second")
        await scene.shows("Second answer.")
        await scene.clock.advance(60)
        await scene.shows("First answer.")
        await scene.settled(2)
        last = scene.model.requests[-1].messages[-1].parts
        assert "first" in [p.text.split("\n")[0] for p in last if isinstance(p, TextPart)]
        assert scene.cards == []


async def test_the_end_comes_only_after_the_last_rest() -> None:
    async with stage(*[failing] * 7) as scene:
        await scene.say("first")
        for minutes in (1, 5, 15, 60):
            await rests(scene)
            await scene.clock.advance(minutes * 60)
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.INTERNAL_FAILURE
        assert "7 failed starts" in scene.texts[-1]


async def test_try_now_does_not_wait_for_the_time() -> None:
    async with stage(*[failing] * 3, says("At last.")) as scene:
        await scene.say("first")
        await rests(scene)
        assert await scene.press("Try now") == "Trying again."
        await scene.shows("At last.")


async def test_give_up_ends_the_turn_and_only_its_asker_or_an_owner_may() -> None:
    async with stage(*[failing] * 3) as scene:
        await scene.say("first")
        await rests(scene)
        told = await scene.press("Give up", BOB)
        assert told == "Only the one who asked, or an owner, may decide this."
        assert await scene.press("Give up") == "Giving up."
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.USER_CANCELLED
        assert scene.cards == []


async def test_a_rest_outlives_a_restart() -> None:
    async with stage(*[failing] * 3, says("At last.")) as scene:
        await scene.say("first")
        await rests(scene)
        await scene.crash()
        await scene.clock.advance(60)
        await scene.shows("At last.")


async def test_a_press_of_an_older_rest_does_nothing() -> None:
    async with stage(*[failing] * 4) as scene:
        await scene.say("first")
        await rests(scene)
        (card,) = scene.cards
        data = card.piece.body["buttons"][0][0]["data"]
        await scene.clock.advance(60)
        await rests(scene)
        assert await scene.press_data(data) == "This is decided already."


async def test_a_step_counts_only_when_it_has_lived_and_progress_takes_it_back() -> None:
    first, second = Gate(), Gate()
    script = first, calls(call("a", "look")), second, says("Done.")
    async with stage(*script, tools=[looking()]) as scene:
        await scene.say("go")
        await first.reached()
        await scene.clock.advance(2.9)
        assert scene.turns[0].attempts == 0
        await scene.clock.advance(0.2)
        assert scene.turns[0].attempts == 1
        first.open()
        await second.reached()
        assert scene.turns[0].attempts == 0
        second.open()
        await scene.settled()


async def test_a_fault_of_the_store_is_not_the_turns() -> None:
    def busy(_: ModelRequest) -> ModelReply:
        raise StoreBusy("locked")

    async with stage(*[busy] * 4, says("At last.")) as scene:
        await scene.say("go")
        for _ in range(5):
            await scene.clock.advance(10)
        await scene.shows("At last.")
