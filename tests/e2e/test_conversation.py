"""Talking: what a person sees of a turn, and what the model is sent."""

import pytest

from tests.e2e.steward import Steward, results_in, words_in
from tests.standins.messages_api import Gate, calls, text, thinking, tool


@pytest.mark.shared
@pytest.mark.telegrams_own("drafts")
async def test_a_draft_grows_while_the_model_writes_and_the_answer_takes_its_place(
    steward: Steward,
) -> None:
    writing = Gate()
    steward.script(text("Half. And whole.").in_pieces(4).held(writing, after=3))
    await steward.start()
    steward.say("Hello")
    draft = await steward.until(lambda: steward.telegram.screen(42).draft)
    assert draft
    assert "Half. And whole.".startswith(draft)
    assert steward.shown == []
    writing.release()
    await steward.sees("Half. And whole.")
    assert steward.telegram.screen(42).drafts == ()
    assert words_in(steward.model.requests[0]).startswith("Hello")
    await steward.recorded()
    await steward.stop()


async def test_a_quick_answer_costs_one_call_of_the_platform(steward: Steward) -> None:
    steward.script(text("Hi."), text("Hi again."))
    await steward.start()
    steward.say("Hello")
    await steward.sees("Hi.")
    await steward.recorded()
    before = len(steward.way.done)
    steward.say("Hello again")
    await steward.sees("Hi again.")
    await steward.recorded()
    assert steward.way.done[before:] == [steward.way.sending]


@pytest.mark.shared
async def test_reads_of_one_reply_run_side_by_side_and_thinking_goes_back_as_it_came(
    steward: Steward,
) -> None:
    (steward.workspace / "a.txt").write_text("alpha\n")
    (steward.workspace / "b.txt").write_text("beta\n")
    looks = calls(tool("read_file", {"path": "a.txt"}), tool("read_file", {"path": "b.txt"}))
    steward.script(thinking("Two files.") + looks, thinking("Easy.") + text("alpha and beta"))
    await steward.start()
    steward.say("What do they say?")
    await steward.sees("alpha and beta")
    results = list(results_in(steward.model.requests[1]).values())
    assert "alpha" in results[0]
    assert "beta" in results[1]
    assert steward.records.stop_reasons == ["final_answer"]
