"""Cards: asked once, decided once, whatever happens in between."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from zoneinfo import ZoneInfo

from bot.domain.consent.approval import ApprovalState
from bot.domain.talk.errors import ChannelUnreachable, RecipientGone
from bot.domain.talk.limits import Limits
from bot.domain.talk.message import Press
from bot.domain.talk.person import Role, Sender
from bot.domain.talk.reach import Level
from bot.domain.tools.tool import Code, Status, ToolCall
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.turn import TurnState
from bot.flow.approvals.desk import WAITS
from bot.flow.commanding.desks import NOT_OURS, NOT_YOURS
from tests.fakes.model import Gate, call, calls, says
from tests.scenarios.stage import ANN, BOB, HOME, stage
from tests.scenarios.tools import (
    looking,
    risky,
    tool,
    writing,
)
from tests.words import (
    APPROVE,
    APPROVED,
    CARD_DENIED,
    CARD_STILL_WAITS,
    DECIDED_ALREADY,
    DENIED,
    DENIED_ALONE,
    MADE_TWICE,
    NOT_IN_TIME,
    NOTHING_TO_DECIDE,
    SHOWN_AGAIN,
    SKIPPED_LATE,
    STOP,
    STOPPED_UNRUN,
)

TEAM = ((ANN, Role.MEMBER), (BOB, Role.MEMBER))


def write(id: str = "w", what: str = "x") -> ToolCall:
    return call(id, "write", {"what": what})


async def test_an_approved_call_runs_once_and_the_card_tells_who_decided() -> None:
    tool = writing()
    async with stage(calls(write()), says("Written."), tools=[tool]) as scene:
        await scene.say("write x")
        await scene.parked()
        assert tool.ran == []
        assert await scene.press("Approve") == APPROVED
        await scene.settled()
        assert len(tool.ran) == 1
        assert scene.texts[0] == "✅ Do write x: done"
        assert scene.texts[1] == "Written."
        assert scene.cards == []


async def test_a_denial_does_not_end_the_turn() -> None:
    tool = writing()
    async with stage(calls(write()), says("Then not."), tools=[tool]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.press("Deny")
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.FINAL_ANSWER
        assert (scene.results[0].code, tool.ran) == (Code.DENIED, [])


async def test_the_card_of_a_call_that_failed_says_so() -> None:
    tool = risky(("x", "x"))
    async with stage(calls(write()), says("It broke."), tools=[tool]) as scene:
        await scene.say("write x")
        await scene.press("Approve")
        await scene.settled()
        assert scene.texts[0] == "✗ Do write x: x broke"


async def test_the_card_of_an_approved_call_that_never_ran_says_so() -> None:
    gate = asyncio.Event()
    tool = writing(gate)
    script = (calls(write("a", "1"), write("b", "2")),)
    async with stage(*script, tools=[tool]) as scene:
        await scene.say("write two")
        await scene.until(lambda: len(scene.cards) == 2)
        await scene.press("Approve", card=1)
        await scene.press("Approve", card=0)
        await tool.started.wait()
        await scene.say("/stop")
        await scene.settled()
        assert scene.texts[0] == "❓ Do write 1: outcome unknown"
        assert scene.texts[1] == STOPPED_UNRUN


async def test_a_card_that_nobody_stopped_is_skipped_with_the_reason() -> None:
    gate = asyncio.Event()
    slow = tool("slow", gate=gate)
    script = calls(call("a", "slow"), call("b", "write", {"what": "x"}))
    limits = Limits(turn_seconds=100)
    async with stage(script, tools=[slow, writing()], limits=limits) as scene:
        await scene.say("go")
        await slow.started.wait()
        await scene.clock.advance(101)
        gate.set()
        await scene.settled()
        assert SKIPPED_LATE in scene.texts


async def test_the_time_on_a_decided_card_is_that_of_the_person() -> None:
    script = calls(call("a", "write", {"what": "x"})), says("Done.")
    async with stage(*script, tools=[writing()]) as scene:
        ann = scene.store.rows.people[1]
        scene.store.rows.people[1] = replace(ann, timezone="Asia/Tokyo")
        await scene.say("go")
        await scene.parked()
        await scene.press(APPROVE)
        await scene.settled()
        assert "✅ Do write x: done · 21:00" in scene.texts


async def test_the_time_on_a_decided_card_is_that_of_the_chat() -> None:
    async with stage(calls(write()), says("No."), tools=[writing()]) as scene:
        chat = await scene.store.chats.at(HOME, private=True)
        scene.store.rows.chats[chat.id] = replace(
            chat, settings=replace(chat.settings, timezone="Asia/Tokyo")
        )
        await scene.say("write x")
        await scene.parked()
        local = scene.clock.now().astimezone(ZoneInfo("Asia/Tokyo"))
        await scene.press("Deny")
        await scene.settled()
        assert scene.texts[0] == f"{CARD_DENIED} · Do write x · {local:%H:%M}"


async def test_a_round_is_counted_on_its_cards() -> None:
    script = calls(write("a", "1"), write("b", "2")), says("Done.")
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("go")
        await scene.until(lambda: len(scene.cards) == 2)
        first, second = (card.text.split("\n\n")[0] for card in scene.cards)
        assert (first, second) == ("🔐 Do write 1 · 1 of 2", "🔐 Do write 2 · 2 of 2")
        assert await scene.press("Deny", card=0) == f"{DENIED} 1 card left."
        assert await scene.press("Deny") == DENIED_ALONE
        await scene.settled()


async def test_open_cards_are_shown_again_with_their_buttons_and_the_old_ones_say_so() -> None:
    tool = writing()
    async with stage(calls(write()), says("Four."), says("Written."), tools=[tool]) as scene:
        await scene.say("/approvals")
        await scene.shows(NOTHING_TO_DECIDE)
        await scene.say("write x")
        await scene.parked()
        await scene.say("what is two and two?")
        await scene.settled(2)
        (old,) = scene.cards
        await scene.say("/approvals")
        await scene.shows("1 card is waiting for a decision.")
        await scene.until(lambda: len(scene.cards) == 1 and scene.cards[0].id != old.id)
        assert scene.channel.screen[old.id].text == SHOWN_AGAIN
        assert await scene.press("Approve") == APPROVED
        await scene.settled(3)
        assert (len(tool.ran), scene.cards) == (1, [])


async def test_stop_ends_the_running_turn_and_counts_the_cards_that_still_wait() -> None:
    gate = Gate()
    async with stage(calls(write()), gate, tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.say("and what is two and two?")
        await gate.reached()
        await scene.say("/stop")
        await scene.shows(CARD_STILL_WAITS)
        await scene.settled(2)
        assert len(scene.cards) == 1


async def test_a_card_says_what_its_asker_said_and_not_what_they_quoted() -> None:
    script = (
        says('<quoted_data from="a quote of Ann">\nA\n</quoted_data>\n\nplease'),
        calls(write()),
        says("No."),
    )
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("hello")
        await scene.settled(1)
        (said,) = scene.channel.screen.values()
        await scene.say("write x", reply_to=said)
        await scene.parked()
        assert "for “write x”" in scene.cards[0].text
        await scene.press("Deny")
        await scene.settled(2)


async def test_reads_run_while_a_card_is_open_and_writes_in_call_order() -> None:
    tool, look = writing(), looking()
    script = calls(write("a", "1"), write("b", "2"), call("c", "look")), says("Done.")
    async with stage(*script, tools=[tool, look]) as scene:
        await scene.say("go")
        await scene.until(lambda: len(scene.cards) == 2)
        await scene.parked()
        assert len(look.ran) == 1
        assert await scene.press("Approve", card=1) == f"Approved. {WAITS} 1 card left."
        await scene.parked()
        assert tool.ran == []
        await scene.press("Approve", card=0)
        await scene.settled()
        assert [a["what"] for a in tool.ran] == ["1", "2"]


async def test_only_the_asker_or_an_owner_may_press() -> None:
    people = (*TEAM, (ANN, Role.MEMBER))
    async with stage(calls(write()), says("Done."), tools=[writing()], people=people) as scene:
        await scene.grant(ANN, Level.CHANGES)
        await scene.say("write x")
        await scene.parked()
        assert await scene.press("Approve", BOB) == NOT_YOURS
        assert scene.approvals[0].state is ApprovalState.OPEN
        await scene.press("Approve", ANN)
        await scene.settled()


async def test_forged_foreign_and_spent_buttons_do_nothing() -> None:
    tool = writing()
    async with stage(calls(write()), says("Done."), tools=[tool]) as scene:
        await scene.say("write x")
        await scene.parked()
        data = scene.cards[0].piece.body["buttons"][0][0]["data"]
        assert await scene.press_data("a:forged:y") == NOT_OURS
        assert await scene.press_data("other bot") == NOT_OURS
        assert await scene.press_data(data.replace(":y", ":zz")) == NOT_OURS
        await scene.press("Approve")
        await scene.settled()
        told = await scene.press_data(data)
        assert told == f"{DECIDED_ALREADY}: approved by you, less than a minute ago."
        assert len(tool.ran) == 1


async def test_an_open_card_outlives_a_crash_and_its_button_works() -> None:
    tool = writing()
    async with stage(calls(write()), says("Written."), tools=[tool]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.crash()
        await scene.press("Approve")
        await scene.settled()
        assert len(tool.ran) == 1
        assert scene.texts[-1] == "Written."


async def test_a_card_expires_with_its_turn_and_without_a_model_call() -> None:
    async with stage(calls(write()), tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.clock.advance(25 * 3600)
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.EXPIRED
        assert scene.results[0].code is Code.EXPIRED
        assert scene.texts[0] == NOT_IN_TIME
        assert "Nobody decided in time" in scene.texts[1]


async def test_a_card_that_cannot_be_shown_blocks_its_call() -> None:
    async with stage(calls(write()), says("Nobody can be asked."), tools=[writing()]) as scene:
        scene.channel.fail_next(RecipientGone("blocked"))
        await scene.say("write x")
        await scene.settled()
        assert (scene.results[0].status, scene.results[0].code) == (
            Status.BLOCKED,
            Code.UNASKABLE,
        )


async def test_an_equal_call_gets_no_second_card() -> None:
    script = calls(write("a"), write("b")), says("Done.")
    tool = writing()
    async with stage(*script, tools=[tool]) as scene:
        await scene.say("go")
        await scene.parked()
        assert len(scene.cards) == 1
        await scene.press("Approve")
        await scene.settled()
        codes = {r.call_id: r.code for r in scene.results}
        assert codes == {"a": None, "b": Code.AWAITING_DECISION}


async def test_the_third_identical_call_asks_whether_to_go_on() -> None:
    look = looking()
    script = [calls(call(f"c{n}", "look")) for n in range(6)]
    async with stage(*script, tools=[look]) as scene:
        await scene.say("go")
        await scene.parked()
        assert len(look.ran) == 2
        assert MADE_TWICE in scene.cards[0].text
        assert await scene.press("Go on") == "Going on."
        await scene.until(lambda: len(look.ran) == 5)
        await scene.parked()
        assert await scene.press(STOP) == "Stopped."
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.REPEAT_GUARD
        assert len(look.ran) == 5
        assert "⏹ Stopped · look" in scene.texts
        scene.assert_whole()


async def test_a_press_on_stop_ends_the_turn_and_every_card() -> None:
    script = (calls(write("a", "1"), write("b", "2")),)
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("go")
        await scene.until(lambda: len(scene.cards) == 2)
        await scene.press("Stop")
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.USER_CANCELLED
        assert {a.state for a in scene.approvals} == {ApprovalState.CANCELLED}
        scene.assert_whole()


async def test_more_calls_than_a_round_may_have_are_skipped() -> None:
    look = looking()
    script = calls(*(call(f"c{n}", "look", {"n": n}) for n in range(4))), says("Done.")
    async with stage(*script, tools=[look], limits=Limits(calls_per_round=2)) as scene:
        await scene.say("go")
        await scene.settled()
        assert [r.code for r in scene.results].count(Code.LIMIT) == 2
        assert len(look.ran) == 2


async def test_a_waiting_turn_holds_no_task() -> None:
    async with stage(calls(write()), tools=[writing()]) as scene:
        await scene.say("go")
        turn = await scene.parked()
        assert turn.state is TurnState.PARKED
        await scene.until(lambda: not _working())


async def test_every_decision_is_on_record() -> None:
    async with stage(calls(write()), says("Written."), tools=[writing()]) as scene:
        await scene.say("write x")
        await scene.parked()
        await scene.clock.advance(60)
        await scene.press("Approve")
        await scene.settled()
        actions = [a.action for a in scene.store.rows.audit]
        told = ["program.started", "card.opened", "card.decided", "call.ran", "turn.ended"]
        assert actions == told
        assert scene.approvals[0].expires_at - scene.approvals[0].created_at == timedelta(hours=24)


def _working() -> list[str]:
    names = (task.get_name() for task in asyncio.all_tasks())
    return [name for name in names if name.startswith(("lane", "live"))]


async def test_a_card_too_long_for_a_message_brings_a_document_and_runs_only_with_it() -> None:
    tool = writing()
    script = calls(write(what="x" * 5_000)), says("Written.")
    async with stage(*script, tools=[tool]) as scene:
        scene.channel.fail_next(ChannelUnreachable("away", maybe_done=False))
        await scene.say("write much")
        await scene.until(lambda: scene.clock.sleepers > 1)
        assert scene.cards == []
        await scene.clock.advance(5)
        await scene.parked()
        assert "is in the document card.txt" in scene.cards[0].text
        assert any("file" in s.piece.body for s in scene.channel.screen.values())
        await scene.press("Approve")
        await scene.settled()
        assert len(tool.ran) == 1


async def test_a_clock_set_back_or_on_ends_no_turn_and_the_card_keeps_to_what_it_says() -> None:
    write = writing()
    async with stage(calls(call("a", "write", {"what": "x"})), says("Done."), tools=[write]) as s:
        await s.say("write x")
        await s.parked()
        s.clock.set_wall(-3600)
        await s.clock.advance(61)
        s.clock.set_wall(7200)
        await s.clock.advance(61)
        assert [a.state for a in s.approvals] == [ApprovalState.OPEN]
        await s.press("Approve")
        turn = await s.settled()
        assert turn.stop_reason is StopReason.FINAL_ANSWER


async def test_presses_of_strangers_that_nobody_answers_hold_no_message_up() -> None:
    async with stage(says("Here.")) as scene:
        scene.channel.acknowledging.clear()
        strangers = [Sender("fake", str(n), "Eve") for n in range(100, 120)]
        presses = [Press(HOME, eve, "x:y:z", "h", "1") for eve in strangers]
        updates = [scene.channel.update(press) for press in presses]
        await scene.application.parts.intake.accept("fake", updates)
        await scene.say("hello")
        await scene.settled()
        assert scene.channel.acknowledged == []
        scene.channel.acknowledging.set()
