"""Cards of a turn that was set aside: they stay, and are decided later."""

from bot.domain.consent.approval import ApprovalState
from bot.domain.tools.tool import Code
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.transcript import LateResultBody
from bot.flow.approvals.desk import WAITS
from tests.fakes.model import call, calls, says
from tests.scenarios.stage import stage
from tests.scenarios.test_approvals import write
from tests.scenarios.tools import (
    closing,
    writing,
)
from tests.words import (
    APPROVED,
    CARD_STOPPED,
    DENIED,
    DENIED_ALONE,
    NOT_DECIDED,
)


async def test_stop_ends_a_card_that_was_set_aside() -> None:
    tool = writing()
    async with stage(calls(write()), says("Four."), tools=[tool]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say("what is two and two?")
        await scene.settled(2)
        await scene.say("/stop")
        await scene.shows("Closed 1 waiting card. It does not run.")
        assert f"{CARD_STOPPED} · Do write x" in scene.texts
        assert (scene.cards, tool.ran) == ([], [])


async def test_a_card_that_is_shown_again_tells_the_time_that_is_left() -> None:
    tool = writing()
    async with stage(calls(write()), tools=[tool]) as scene:
        await scene.say("write x")
        await scene.parked()
        assert NOT_DECIDED in scene.cards[0].text
        await scene.clock.advance(20 * 3600)
        await scene.say("/approvals")
        await scene.shows("1 card is waiting for a decision.")
        (again,) = scene.cards
        assert "No answer in 4 h: it does not run" in again.text


async def test_a_denial_says_that_the_work_goes_on_only_where_it_does() -> None:
    script = calls(write()), says("Without it."), calls(write()), says("Four.")
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        assert await scene.press("Deny") == DENIED_ALONE
        await scene.settled(1)
        await scene.say("write x again")
        await scene.parked()
        await scene.say("what is two and two?")
        await scene.settled(3)
        assert await scene.press("Deny") == DENIED


async def test_a_message_sets_the_waiting_turn_aside_and_a_late_approval_continues() -> None:
    tool = writing()
    script = calls(write()), says("Something else."), says("Written after all.")
    async with stage(*script, tools=[tool]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say("how is the weather?")
        await scene.settled(2)
        assert scene.turns[0].stop_reason is StopReason.SET_ASIDE
        assert scene.results[0].code is Code.AWAITING_DECISION
        assert len(scene.cards) == 1
        await scene.crash()
        await scene.press("Approve")
        await scene.settled(3)
        assert len(tool.ran) == 1
        assert scene.texts[-1] == "Written after all."
        late = next(b for b in scene.bodies if isinstance(b, LateResultBody))
        assert late.decision.startswith('approved by "Ann"')
        assert "wrote x" in str(scene.model.requests[-1].messages[-1])


async def test_cards_set_aside_run_in_call_order_and_say_that_they_wait() -> None:
    tool = writing()
    wished = calls(write("a", "1"), write("b", "2"), write("c", "3"))
    script = wished, says("Something else."), says("One."), says("Two."), says("Three.")
    async with stage(*script, tools=[tool]) as scene:
        await scene.say("write three")
        await scene.parked()
        await scene.say("how is the weather?")
        await scene.settled(2)
        for card in (2, 1):
            told = await scene.press("Approve", card=card)
            assert told == f"Approved. {WAITS} {card} card{'s' * (card > 1)} left."
            await scene.clock.advance(60)
        assert await scene.press("Approve", card=0) == APPROVED
        await scene.settled(5)
        assert [a["what"] for a in tool.ran] == ["1", "2", "3"]


async def test_a_late_denial_is_told_at_the_next_opening_without_a_turn_of_its_own() -> None:
    script = calls(write()), says("Something else."), says("As you wish.")
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say("never mind")
        await scene.settled(2)
        await scene.press("Deny")
        await scene.say("go on")
        await scene.settled(3)
        assert 'denied by "Ann"; it did not run' in str(scene.model.requests[-1].messages[-1])


async def test_a_fresh_conversation_does_not_hear_of_the_cards_of_the_one_before() -> None:
    script = calls(write()), says("Something else."), says("Hello."), says("Again.")
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say("never mind")
        await scene.settled(2)
        await scene.say("/new")
        await scene.say("good morning")
        await scene.settled(3)
        await scene.say("and again")
        await scene.settled(4)
        assert not any(isinstance(body, LateResultBody) for body in scene.bodies)
        assert "write x" not in str(scene.model.requests[-1].messages)


async def test_a_late_press_names_the_age_of_the_card_and_what_ran_since() -> None:
    tool = writing()
    script = calls(write("a", "1")), calls(write("b", "2")), says("two"), says("one")
    async with stage(*script, tools=[tool]) as scene:
        await scene.say("write 1")
        await scene.parked()
        await scene.say("write 2")
        await scene.until(lambda: len(scene.cards) == 2)
        await scene.parked()
        await scene.press("Approve", card=1)
        await scene.settled(2)
        await scene.clock.advance(3600)
        told = await scene.press("Approve", card=0)
        assert "1 h old" in told
        assert "write 2" in told
        await scene.settled(3)


async def test_a_conversation_that_is_closed_takes_its_cards_along() -> None:
    closes = calls(call("c", "close"))
    script = calls(write()), closes, says("Bye."), says("- we said bye")
    async with stage(*script, tools=[writing(), closing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say("we are done")
        await scene.settled(2)
        assert scene.approvals[0].state is ApprovalState.CANCELLED
        await scene.application.parts.way_out.delivery.flushed()
        assert scene.cards == []
