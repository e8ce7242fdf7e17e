"""Turns that keep failing rest while others go on, and are tried again until they end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from bot.domain.talk.errors import StoreBusy
from bot.domain.tools.tool import Preview
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.turn import TurnState
from bot.domain.turn.view import ModelReply, ModelRequest, TextPart
from bot.flow.log.companion import Companion
from bot.flow.log.work import Work
from bot.ports.tool import Place
from tests.fakes.model import Gate, call, calls, says
from tests.scenarios.stage import BOB, Stage, stage
from tests.scenarios.tools import ScenarioTool, looking, writing
from tests.words import DECIDED_ALREADY, NOT_YOURS, ONE_WAITS_ABOVE, STOPPED


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


async def test_a_rest_that_was_set_by_a_clock_ahead_ends_when_that_is_set_back() -> None:
    async with stage(*[failing] * 3, says("First answer.")) as scene:
        scene.clock.set_wall(7 * 3_600)
        await scene.say("first")
        await rests(scene)
        scene.clock.set_wall(-7 * 3_600)
        await scene.clock.advance(60)
        await scene.shows("First answer.")


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
        assert told == NOT_YOURS
        assert await scene.press("Give up") == "Giving up."
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.USER_CANCELLED
        assert scene.cards == []


async def test_a_stop_of_a_resting_turn_and_a_running_one_is_told_once() -> None:
    gate = Gate()
    write = calls(call("a", "write", {"what": "x"}))
    script = (write, says("Not yet."), *[failing] * 3, gate)
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.until(lambda: scene.cards)
        await scene.say("tell me about Turin")
        await scene.shows("Not yet.")
        await scene.say("first")
        await rests(scene)
        await scene.say("second")
        await gate.reached()
        await scene.say("/stop")
        await scene.settled(4)
        assert [t.state for t in scene.turns][-2:] == [TurnState.SETTLED] * 2
        assert "".join(scene.texts).count(STOPPED) == 1
        assert ONE_WAITS_ABOVE not in scene.texts[-1]


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
        assert DECIDED_ALREADY in await scene.press_data(data)
        later = scene.cards[0].piece.body["buttons"][0]
        assert await scene.press_data(later[1]["data"]) == "Giving up."
        await scene.until(lambda: not scene.cards)
        told = await scene.press_data(later[0]["data"])
        assert told == f"{DECIDED_ALREADY}: given up."


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


class Faulty:
    """Fails at the start of so many loops."""

    faults = 0

    @property
    def answers(self) -> Companion:
        return Companion(started=self.started)

    async def started(self, work: Work) -> Sequence[str]:
        if self.faults:
            self.faults -= 1
            raise RuntimeError("a fault that nobody foresaw")
        return ()


@dataclass(frozen=True, eq=False)
class Changeable(ScenarioTool):
    """Shows on its card the state of a world that may change."""

    world: list[str] = field(default_factory=lambda: ["as it was"])

    async def preview(self, arguments: Mapping[str, Any], place: Place) -> Preview:
        return replace(await super().preview(arguments, place), seen=self.world[0])


def changeable() -> Changeable:
    write = writing()
    return Changeable(write.spec, write.act)


async def approved_and_rested(scene: Stage, faulty: Faulty) -> None:
    """A call is approved, and the turn rests before it could run."""
    await scene.say("go")
    await scene.parked()
    faulty.faults = 3
    await scene.press("Approve")
    await rests(scene)


async def test_what_was_approved_before_a_rest_runs_after_it_once_without_another_card() -> None:
    wish = {"what": "x"}
    script = (
        calls(call("a", "write", wish)),
        calls(call("b", "write", wish)),
        calls(call("c", "write", wish)),
        says("Done."),
    )
    faulty, write = Faulty(), changeable()
    async with stage(*script, tools=[write], companions=[faulty.answers]) as scene:
        await approved_and_rested(scene, faulty)
        assert write.ran == []
        await scene.clock.advance(60)
        await scene.until(lambda: scene.cards)
        assert write.ran == [wish]
        assert [card.call.id for card in scene.approvals] == ["a", "c"]
        await scene.press("Deny")
        await scene.settled()
        assert write.ran == [wish]


async def test_two_equal_calls_after_a_rest_have_one_approval_between_them() -> None:
    wish = {"what": "x"}
    again = calls(call("b", "write", wish), call("c", "write", wish))
    faulty, write = Faulty(), changeable()
    script = calls(call("a", "write", wish)), again, says("Done.")
    async with stage(*script, tools=[write], companions=[faulty.answers]) as scene:
        await approved_and_rested(scene, faulty)
        await scene.clock.advance(60)
        await scene.until(lambda: scene.cards and write.ran)
        await scene.press("Deny")
        await scene.settled()
        assert write.ran == [wish]
        assert [card.call.id for card in scene.approvals] == ["a", "c"]


async def test_an_approval_outlives_a_second_rest_and_the_process() -> None:
    wish = {"what": "x"}
    script = calls(call("a", "write", wish)), calls(call("b", "write", wish)), says("Done.")
    faulty, write = Faulty(), changeable()
    async with stage(*script, tools=[write], companions=[faulty.answers]) as scene:
        await approved_and_rested(scene, faulty)
        faulty.faults = 1
        await scene.clock.advance(60)
        await rests(scene)
        await scene.crash()
        await scene.clock.advance(300)
        await scene.settled()
        assert write.ran == [wish]
        assert len(scene.approvals) == 1


@pytest.mark.parametrize("change", ["arguments", "world"])
async def test_what_the_card_did_not_show_asks_again_after_a_rest(change: str) -> None:
    other = {"what": "y" if change == "arguments" else "x"}
    script = (
        calls(call("a", "write", {"what": "x"})),
        calls(call("b", "write", other)),
        says("As you wish."),
    )
    faulty, write = Faulty(), changeable()
    async with stage(*script, tools=[write], companions=[faulty.answers]) as scene:
        await approved_and_rested(scene, faulty)
        if change == "world":
            write.world[0] = "otherwise"
        await scene.clock.advance(60)
        await scene.press("Deny")
        await scene.settled()
        assert write.ran == []
        assert len(scene.approvals) == 2


async def test_what_was_denied_before_a_rest_asks_again_after_it() -> None:
    wish = {"what": "x"}
    script = calls(call("a", "write", wish)), calls(call("b", "write", wish)), says("As you wish.")
    faulty, write = Faulty(), changeable()
    async with stage(*script, tools=[write], companions=[faulty.answers]) as scene:
        await scene.say("go")
        await scene.parked()
        faulty.faults = 3
        await scene.press("Deny")
        await rests(scene)
        await scene.clock.advance(60)
        await scene.press("Deny")
        await scene.settled()
        assert write.ran == []
