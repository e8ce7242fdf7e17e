"""What a model may answer, and what its person and its next request see of it."""

import pytest

from tests.e2e.steward import Steward, results_in, words_in
from tests.standins.messages_api import (
    Reply,
    calls,
    dropped,
    empty,
    failure,
    text,
    thinking,
    tool,
)
from tests.words import CONNECTION_BROKE, EMPTY_ANSWERS, GO_ON, NO_TOOL_RAN, NOT_LET_IN, RETRY, STOP

_FLOWS_OWN = pytest.mark.flows_own("what a model says is judged in the turn")

LOOK = calls(tool("list_files", {"path": "."}))


@_FLOWS_OWN
async def test_calls_that_cannot_run_are_told_why_and_the_turn_goes_on(steward: Steward) -> None:
    (steward.workspace / "a.txt").write_text("alpha\n")
    steward.script(
        thinking("Try.")
        + calls(
            tool("read_file", pieces=['{"path": "a.tx']),
            tool("raed_file", {"path": "a.txt"}),
            tool("read_file", {"path": 3}),
            tool("read_file", {"path": "../../secret"}),
            tool("read_file", {"path": "a.txt"}),
        ),
        calls(tool("write_file", pieces=['{"path": "a.txt", "content": "rm'])).stopping(
            "max_tokens"
        ),
        thinking("Same id.")
        + calls(tool("current_time", id="toolu_same"), tool("current_time", id="toolu_same")),
        calls(tool("read_file", {"path": "a.txt"}, id="toolu_same")),
        thinking("Enough.") + text("Only one worked."),
    )
    await steward.start()
    steward.say("Try everything")
    await steward.sees("Only one worked.")
    malformed, unknown, wrong_type, outside, good = results_in(steward.model.requests[1]).values()
    assert "not a JSON object" in malformed
    assert "Did you mean read_file?" in unknown
    assert "path" in wrong_type
    assert "may not contain “..”" in outside
    assert "alpha" in good
    (cut,) = results_in(steward.model.requests[2]).values()
    assert "The reply was cut inside its calls" in cut
    assert len(results_in(steward.model.requests[3])) == 2
    assert len({call for call, _, _ in steward.records.results}) == len(steward.records.results)
    assert (steward.workspace / "a.txt").read_text() == "alpha\n"
    assert steward.cards == []


@_FLOWS_OWN
async def test_empty_blank_paused_cut_and_refused_replies_each_have_their_end(
    steward: Steward,
) -> None:
    steward.script(empty(), text(" \n"), text("After two nudges."))
    steward.script(empty(), empty(), empty())
    steward.script(text("Wait").stopping("pause_turn"), text("for it."))
    steward.script(text("To be contin").stopping("max_tokens"))
    steward.script(text("I beg").stopping("refusal", category="cyber"))
    steward.script(text("What is this?").stopping("a_new_reason"), thinking("Ok.") + text("End."))
    await steward.start()
    for said, seen in (
        ("One", "After two nudges."),
        ("Two", EMPTY_ANSWERS),
        ("Three", "for it."),
        ("Four", "The answer was cut at the model's length limit."),
        ("Five", "The model refused to answer this."),
        ("Six", "What is this?"),
        ("Seven", "End."),
    ):
        steward.say(said)
        await steward.sees(seen)
    assert "I beg" not in str(steward.model.requests[-1].body)


FAULTS = {
    "an unknown key": (failure(401, "invalid x-api-key"), NOT_LET_IN),
    "a missing right": (failure(403, "not for you"), "does not allow this account"),
    "no credit": (failure(400, "Your credit balance is too low.."), "has no credit left."),
    "an unknown model": (failure(404, "model: none"), "There is no model"),
    "too many requests": (failure(429, "Slow down", retry_after=0), "accepts no more requests"),
    "a fault of the server": (failure(500, "Oh dear"), "The model's provider has a fault"),
    "an overloaded server": (failure(529, "Overloaded"), "is overloaded"),
    "a dropped connection": (dropped(), CONNECTION_BROKE),
    "a stream that breaks": (text("Half").dropped(after=3), CONNECTION_BROKE),
    "a stream that fails": (text("Half").failing(after=2), "is overloaded"),
}
ODD = ("x-api-key", "credit balance", "Slow down", "Oh dear", "Overloaded", "Error", "..", "{")


@_FLOWS_OWN
async def test_every_fault_of_the_model_is_told_and_the_chat_goes_on(steward: Steward) -> None:
    await steward.start(STEWARD_MODEL_RETRIES=1, STEWARD_REST_MINUTES="none")
    for number, (fault, words) in enumerate(FAULTS.values(), start=1):
        twice = isinstance(fault, Reply) and (
            fault.refusal is None or fault.refusal.status in (429, 500, 529)
        )
        steward.script(*[fault] * (1 + twice))
        steward.say(f"Question {number}")
        told = await steward.sees(NO_TOOL_RAN, times=number)
        assert words in told.text
        assert not any(odd in told.text for odd in ODD), told.text
        assert [b.text for row in told.buttons for b in row] == [RETRY]
    assert len([message for message in steward.shown if message.buttons]) == 1
    (half, *_) = steward.showing("the model had written")
    assert "Half" in half.text
    steward.script(thinking("Well again.") + text("Here I am."))
    steward.say("Are you well?")
    await steward.sees("Here I am.")
    assert not [message for message in steward.shown if message.buttons]
    assert "Half" not in str(steward.model.requests[-1].body)


@_FLOWS_OWN
async def test_a_fault_that_passes_is_not_told(steward: Steward) -> None:
    steward.script(failure(529), dropped(), text("Half").dropped(after=3), text("Whole."))
    await steward.start()
    steward.say("Hello")
    await steward.sees("Whole.")
    assert [message.text for message in steward.shown] == ["Whole."]
    bodies = [request.body for request in steward.model.requests]
    assert all(body == bodies[0] for body in bodies)


@_FLOWS_OWN
async def test_a_request_refused_for_its_form_is_sent_once_more_without_thinking(
    steward: Steward,
) -> None:
    steward.script(thinking("One.") + LOOK, failure(400, "messages.1: something is wrong"))
    steward.script(text("Mended."), failure(400, "messages.1: wrong"), failure(400, "still wrong"))
    await steward.start()
    steward.say("Look")
    await steward.sees("Mended.")
    assert "thinking" in str(steward.model.requests[1].body["messages"])
    assert "thinking" not in str(steward.model.requests[2].body["messages"])
    steward.say("And now?")
    await steward.sees("does not accept this conversation")
    assert len(steward.model.requests) == 5


@_FLOWS_OWN
async def test_a_prompt_that_is_too_long_is_cut_and_asked_again(steward: Steward) -> None:
    steward.script(thinking("Hi.") + text("Hello."), failure(400, "prompt is too long: 9 > 8"))
    steward.script(text("- they said hello"), thinking("Ok.") + text("Now it fits."))
    await steward.start()
    steward.say("Hello")
    await steward.sees("Hello.")
    steward.say("Tell me more")
    await steward.sees("Now it fits.")
    assert "- they said hello" in str(steward.model.requests[3].body["messages"])


@_FLOWS_OWN
async def test_after_its_rounds_a_turn_is_wrapped_up_without_calls(steward: Steward) -> None:
    steward.script(thinking("1.") + LOOK, LOOK, thinking("So far.") + text("Half is done."))
    steward.script(LOOK, LOOK, LOOK, text("Fresh."))
    await steward.start(STEWARD_SOFT_ROUNDS=2, STEWARD_REPEAT_CALLS=9)
    steward.say("Work for ever")
    told = await steward.sees("Half is done.")
    assert "I stopped after 3 rounds" in told.text
    wrapping = steward.model.requests[2]
    assert wrapping.body["tool_choice"] == {"type": "none"}
    assert "Answer now with what you have" in words_in(wrapping)
    steward.say("Once more")
    await steward.sees("I stopped after 3 rounds without reaching the end.")
    assert steward.records.results[-1][1:] == ("skipped", "limit")
    steward.say("And?")
    await steward.sees("Fresh.")
    assert steward.records.stop_reasons == ["max_rounds", "max_rounds", "final_answer"]


async def test_a_call_repeated_for_the_third_time_asks_whether_to_go_on(steward: Steward) -> None:
    steward.script(*[LOOK] * 6, text("Never."))
    await steward.start()
    steward.say("Look again and again")
    card = await steward.card()
    assert "twice with the same result" in card.text
    assert len(steward.model.requests) == 3
    steward.press(card, GO_ON)
    card = await steward.card(about="5 times with the same result")
    assert len(steward.model.requests) == 6
    steward.press(card, STOP)
    await steward.sees("I stopped, as I was repeating the same call with the same result.")
    assert steward.records.stop_reasons == ["repeat_guard"]
    steward.say("Say something else")
    await steward.sees("Never.")


@_FLOWS_OWN
async def test_the_same_error_brings_a_hint_and_then_the_end(steward: Steward) -> None:
    gone = [calls(tool("read_file", {"path": "gone.txt", "offset": n})) for n in (1, 2, 3)]
    steward.script(*gone)
    await steward.start()
    steward.say("Read what is not yours")
    told = await steward.sees("failed 3 times with the same error:")
    assert told.text.startswith("I stopped: Read gone.txt failed 3 times with the same error:")
    hinted = next(iter(results_in(steward.model.requests[2]).values()))
    assert "Do not repeat it as it is" in hinted
    assert steward.records.stop_reasons == ["tool_failure_policy"]


@pytest.mark.parametrize("killed", [False, True], ids=["at once", "after a restart"])
async def test_a_question_waits_for_its_answer(steward: Steward, killed: bool) -> None:
    question = {"message": "Which **colour**?", "is_question": True}
    steward.script(thinking("Ask.") + calls(tool("send_message", question)))
    steward.script(thinking("Blue.") + text("Blue it is."))
    await steward.start()
    steward.say("Paint it")
    await steward.sees("Which colour?")
    await steward.recorded()
    if killed:
        await steward.restart()
    steward.say("Blue")
    await steward.sees("Blue it is.")
    assert len(steward.showing("Which colour?")) == 1
    assert steward.records.stop_reasons == ["waiting_for_user", "final_answer"]


@_FLOWS_OWN
async def test_a_closed_conversation_is_summed_up_and_can_be_looked_up(steward: Steward) -> None:
    steward.script(calls(tool("end_conversation", {"reason": "goodbye"})), text("Farewell!"))
    steward.script(text("- Ann said goodbye"))
    steward.script(thinking("Before.") + calls(tool("get_conversation")), text("You left."))
    await steward.start()
    steward.say("Goodbye")
    await steward.sees("Farewell!")
    steward.say("What was before?")
    await steward.sees("You left.")
    assert len(steward.model.requests[3].body["messages"]) == 1
    (listed,) = results_in(steward.model.requests[4]).values()
    assert "- Ann said goodbye" in listed


@_FLOWS_OWN
async def test_twelve_turns_with_tools_come_from_the_cache_for_nine_tenths(
    steward: Steward,
) -> None:
    (steward.workspace / "notes.txt").write_text("A line of notes.\n" * 20)
    read = calls(tool("read_file", {"path": "notes.txt"}))
    await steward.start()
    for turn in range(12):
        steward.script(thinking(f"Turn {turn}.") + read, thinking("So.") + text(f"Answer {turn}."))
        steward.say(f"Question {turn}: " + "words of my message " * 100)
        await steward.sees(f"Answer {turn}.")
    assert steward.model.usage_totals.cached_share >= 0.9
    assert steward.model.requests[0].size <= 20_000


@_FLOWS_OWN
async def test_another_model_takes_over_in_the_middle_of_a_turn_when_one_is_refused(
    steward: Steward,
) -> None:
    steward.script(
        thinking("Hm.") + calls(tool("list_files")), failure(403), text("From the other one.")
    )
    await steward.start(STEWARD_FALLBACK_MODELS="anthropic/claude-haiku-5-5")
    steward.say("What is here?")
    await steward.sees("From the other one.")
    asked = [request.body["model"] for request in steward.model.requests]
    assert asked == ["claude-sonnet-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"]
    assert steward.records.stop_reasons == ["final_answer"]
