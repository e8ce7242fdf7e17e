"""Talking: from a message to its answer."""

import asyncio
import base64
from dataclasses import replace
from typing import Any

import pytest

from bot.domain.money.model import FinishReason
from bot.domain.money.trouble import Trouble
from bot.domain.talk.errors import ModelDenied, ModelOverloaded, PromptTooLong, RequestInvalid
from bot.domain.talk.limits import Limits
from bot.domain.talk.message import InboundMessage
from bot.domain.talk.person import Sender
from bot.domain.tools.tool import Code, Status
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.transcript import AskerBody, ReplyBody, ResultBody
from bot.domain.turn.turn import TurnState
from tests.fakes.clock import pass_in_the_loop
from tests.fakes.model import Gate, broken_call, call, calls, nothing, says
from tests.scenarios.stage import BOB, HOME, stage
from tests.scenarios.tools import asking, closing, failing, looking, sending, tool, writing
from tests.words import DEAD_LINK, EMPTY_ANSWERS, NOT_LET_IN, PRIVATE, RETRY, SAME_ERROR, SOONER


async def test_a_message_is_answered_and_the_log_holds_both() -> None:
    async with stage(says("Hello Ann.")) as scene:
        await scene.say("hello")
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.FINAL_ANSWER
        assert scene.texts == ["Hello Ann."]
        assert [type(b) for b in scene.bodies] == [AskerBody, ReplyBody]


async def test_a_tool_runs_once_and_its_result_stands_between_call_and_answer() -> None:
    look = looking()
    async with stage(calls(call("a", "look")), says("I see."), tools=[look]) as scene:
        await scene.say("look around")
        await scene.settled()
        assert len(look.ran) == 1
        assert [type(b) for b in scene.bodies] == [AskerBody, ReplyBody, ResultBody, ReplyBody]
        assert scene.texts == ["I see."]


async def test_reads_of_one_round_run_side_by_side() -> None:
    both = asyncio.Event()
    first, second = tool("first", gate=both), tool("second", gate=both)
    script = calls(call("a", "first"), call("b", "second")), says("Done.")
    async with stage(*script, tools=[first, second]) as scene:
        await scene.say("both")
        await first.started.wait()
        await second.started.wait()
        both.set()
        await scene.settled()
        scene.assert_whole()


async def test_messages_of_a_chat_are_answered_in_order() -> None:
    gate = Gate()
    async with stage(gate, says("one"), says("two"), says("three")) as scene:
        for text in ("1", "2", "3"):
            await scene.say(text)
        await gate.reached()
        gate.open()
        await scene.settled(3)
        assert scene.texts == ["one", "two", "three"]


async def test_an_edit_changes_a_message_that_waits() -> None:
    gate = Gate()
    async with stage(gate, says("one"), says("two")) as scene:
        await scene.say("first")
        await gate.reached()
        waiting = await scene.say("secnd")
        await scene.say("second", message_id=waiting, edited=True)
        await scene.routed()
        gate.open()
        await scene.settled(2)
        asked = [b.text for b in scene.bodies if isinstance(b, AskerBody)]
        assert asked == ["first", "second"]


async def test_an_unknown_tool_is_answered_with_the_list_of_tools() -> None:
    script = calls(call("a", "lok")), says("Sorry.")
    async with stage(*script, tools=[looking()]) as scene:
        await scene.say("go")
        await scene.settled()
        result = scene.results[0]
        assert (result.status, result.code) == (Status.INVALID, Code.UNKNOWN_TOOL)
        assert "Did you mean look" in result.text


async def test_a_name_with_leaked_tokens_finds_its_tool() -> None:
    look = looking()
    script = calls(call("a", "look<|channel|>json")), says("I see.")
    async with stage(*script, tools=[look]) as scene:
        await scene.say("go")
        await scene.settled()
        assert len(look.ran) == 1


async def test_malformed_arguments_never_run() -> None:
    look = looking()
    broken = broken_call("a", "look", '{"x": ', "unexpected end")
    async with stage(calls(broken), says("Sorry."), tools=[look]) as scene:
        await scene.say("go")
        await scene.settled()
        assert (scene.results[0].status, look.ran) == (Status.INVALID, [])


async def test_a_reply_cut_inside_its_calls_runs_none_of_them() -> None:
    look = looking()
    cut = calls(call("a", "look"), finish=FinishReason.LENGTH)
    async with stage(cut, says("Again."), tools=[look]) as scene:
        await scene.say("go")
        await scene.settled()
        assert (scene.results[0].code, look.ran) == (Code.CUT, [])


async def test_a_reply_that_says_it_is_finished_is_final_with_calls_in_it() -> None:
    look = looking()
    finished = calls(call("a", "look"), text="All done.", finish=FinishReason.END)
    async with stage(finished, tools=[look]) as scene:
        await scene.say("go")
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.FINAL_ANSWER
        assert (scene.results[0].code, look.ran) == (Code.FINISHED, [])
        assert scene.texts == ["All done."]


async def test_empty_replies_are_asked_again_twice_and_then_told() -> None:
    async with stage(nothing(), nothing(), nothing()) as scene:
        await scene.say("go")
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.MODEL_FAILURE
        assert EMPTY_ANSWERS in scene.texts[0]


async def test_an_empty_reply_can_recover() -> None:
    async with stage(nothing(), says("Here I am.")) as scene:
        await scene.say("go")
        await scene.settled()
        assert scene.texts == ["Here I am."]


async def test_a_refusal_is_told_and_its_words_are_not() -> None:
    async with stage(says("I start to", FinishReason.REFUSAL), says("Fine.")) as scene:
        await scene.say("something bad")
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.REFUSAL
        assert "refused" in scene.texts[0]
        assert "I start to" not in scene.texts[0]
        await scene.say("something good")
        await scene.settled(2)
        assert "I start to" not in str(scene.model.requests[1].messages)


async def test_a_passing_fault_is_tried_again() -> None:
    async with stage(ModelOverloaded("busy"), says("Hello.")) as scene:
        await scene.say("go")
        await scene.until(lambda: scene.clock.sleepers > 1 or None)
        await scene.clock.advance(2)
        await scene.settled()
        assert scene.texts == ["Hello."]


async def test_nobody_is_kept_waiting_for_an_hour() -> None:
    async with stage(ModelOverloaded("no room until noon", retry_after=3600)) as scene:
        await scene.say("go")
        await scene.shows(f"I try again in 1 minute, {SOONER}.")
        assert [turn.state for turn in scene.turns] == [TurnState.RESTING]


async def test_a_lasting_fault_is_told_in_plain_words() -> None:
    async with stage(ModelDenied("401: {json}", Trouble.KEY, "SOME_API_KEY")) as scene:
        await scene.say("go")
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.MODEL_FAILURE
        assert NOT_LET_IN in scene.texts[0]
        assert "give it a valid key (SOME_API_KEY)" in scene.texts[0]
        assert "json" not in scene.texts[0]


async def test_a_refused_request_is_mended_once_and_never_sent_alike() -> None:
    async with stage(RequestInvalid("messages.1: odd"), RequestInvalid("messages.1: odd")) as scene:
        await scene.say("go")
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.MODEL_FAILURE
        assert "/new" in scene.texts[0]


async def test_a_window_too_small_for_the_past_makes_a_summary_and_goes_on() -> None:
    script = says("one"), PromptTooLong("too long"), says("- summary"), says("two")
    async with stage(*script) as scene:
        await scene.say("first " * 50)
        await scene.settled()
        await scene.say("second")
        turn = await scene.settled(2)
        assert turn.stop_reason is StopReason.FINAL_ANSWER
        assert scene.texts == ["one", "two"]
        assert "- summary" in str(scene.model.requests[-1].messages)
        assert "first first" not in str(scene.model.requests[-1].messages)


async def test_rounds_end_with_a_wrap_up_and_its_words_are_the_answer() -> None:
    script = [calls(call(f"c{n}", "look", {"n": n})) for n in range(3)]
    async with stage(
        *script, says("That is what I have."), tools=[looking()], limits=Limits(soft_rounds=3)
    ) as scene:
        await scene.say("go")
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.MAX_ROUNDS
        assert not scene.model.requests[-1].calls_allowed
        assert scene.texts[-1].startswith("That is what I have.")


async def test_the_same_error_gets_advice_and_then_an_end() -> None:
    script = [calls(call(f"c{n}", "fail", {"n": n})) for n in range(3)]
    async with stage(*script, tools=[failing()]) as scene:
        await scene.say("go")
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.TOOL_FAILURE_POLICY
        assert "[Hint]" in scene.results[1].text
        assert SAME_ERROR in scene.texts[0]
        assert "It broke" in scene.texts[0]
        assert scene.labels == [RETRY]


async def test_a_question_ends_the_turn_and_survives_a_crash() -> None:
    script = calls(call("a", "ask", {"what": "Which one?"})), says("The red one it is.")
    async with stage(*script, tools=[asking()]) as scene:
        await scene.say("choose")
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.WAITING_FOR_USER
        assert scene.texts == ["Which one?"]
        await scene.crash()
        await scene.say("red")
        await scene.settled(2)
        assert scene.texts[-1] == "The red one it is."


async def test_a_send_is_delivered_once_beside_the_answer() -> None:
    script = calls(call("a", "send", {"what": "A note."})), says("Sent.")
    async with stage(*script, tools=[sending()]) as scene:
        await scene.say("send it")
        await scene.settled()
        assert scene.texts == ["A note.", "Sent."]


async def test_closing_the_conversation_writes_its_summary_and_starts_afresh() -> None:
    script = calls(call("a", "close")), says("Bye."), says("- we said bye"), says("Hello again.")
    async with stage(*script, tools=[closing()]) as scene:
        await scene.say("we are done")
        await scene.settled()
        await scene.say("hello")
        await scene.settled(2)
        assert len(scene.model.requests[-1].messages) == 1
        closed = [c for c in scene.store.rows.conversations.values() if c.closed_at]
        assert "- we said bye" in closed[0].summary


async def test_a_stranger_is_told_once_a_day() -> None:
    async with stage() as scene:
        await scene.say("let me in", BOB)
        await scene.shows(PRIVATE)
        await scene.say("please", BOB)
        await scene.say("/help", BOB)
        await scene.application.parts.way_out.delivery.flushed()
        assert len([text for text in scene.texts if "private assistant" in text]) == 1


async def test_a_write_that_cannot_be_done_shows_no_card() -> None:
    script = calls(call("a", "write", {"impossible": True})), says("I cannot.")
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("go")
        await scene.settled()
        assert (scene.approvals, scene.results[0].status) == ([], Status.FAILED)


async def test_orderly_restarts_are_no_failed_starts() -> None:
    gates = [Gate() for _ in range(6)]
    async with stage(*gates, says("At last.")) as scene:
        await scene.say("go")
        for gate in gates[:5]:
            await gate.reached()
            await scene.crash()
        await gates[5].reached()
        gates[5].open()
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.FINAL_ANSWER


async def test_a_tool_that_never_ends_is_stopped_and_the_turn_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stuck = tool("stuck", gate=asyncio.Event())
    script = calls(call("a", "stuck"), call("b", "look")), says("One of them hung.")
    async with stage(*script, tools=[stuck, looking()]) as scene:
        await scene.say("go")
        await stuck.started.wait()
        await pass_in_the_loop(61, monkeypatch)
        turn = await scene.settled()
        assert turn.stop_reason is StopReason.FINAL_ANSWER
        assert [r.status for r in scene.results] == [Status.TIMEOUT, Status.SUCCESS]
        assert "Stopped after 60 s" in scene.results[0].text
        scene.assert_whole()


async def test_dead_links_are_told_a_few_times_an_hour_and_no_more() -> None:
    async with stage() as scene:
        for _ in range(7):
            await scene.say("/start no-such-code", BOB)
        await scene.routed()
        await scene.until(lambda: len(scene.texts) >= 5)
        assert [DEAD_LINK in text for text in scene.texts] == [True] * 5
        await scene.clock.advance(3601)
        await scene.say("/start no-such-code", BOB)
        await scene.until(lambda: len(scene.texts) >= 6)


async def test_dead_links_of_many_accounts_are_told_thirty_times_an_hour() -> None:
    async with stage() as scene:
        for number in range(40):
            await scene.say("/start no-such-code", Sender("fake", str(100 + number), "Crowd"))
        await scene.routed()
        await scene.application.parts.way_out.delivery.flushed()
        assert len([text for text in scene.texts if DEAD_LINK in text]) == 30


@pytest.mark.parametrize(
    "how",
    [
        {"forwarded_from": "Eve"},
        {"composed": True},
        {"edited": True},
        {"private": False, "addressed": True},
    ],
)
async def test_a_pairing_code_counts_only_where_a_person_typed_it_in_private(
    how: dict[str, Any],
) -> None:
    async with stage(people=()) as scene:
        code = await scene.application.parts.entrance.doorway.pairing_code()
        assert len(base64.urlsafe_b64decode(f"{code}==")) == 128 // 8
        assert code not in str(scene.store.rows)
        typed = InboundMessage(HOME, BOB, "p1", f"/start {code}", scene.clock.now())
        for message in (replace(typed, **how), replace(typed, message_id="p2")):
            assert await scene.store.people.accounts() == []
            update = scene.channel.update(message)
            await scene.application.parts.intake.accept("fake", (update,))
            await scene.routed()
        ((key, owner),) = await scene.store.people.accounts()
        assert (key, owner.is_owner) == (BOB.key, True)
