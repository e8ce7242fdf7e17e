"""A turn that kills the process as soon as it begins is found out, and the others go on."""

import os
import signal

import pytest

from tests.e2e.steward import Steward, words_in
from tests.standins.messages_api import Gate, ReceivedRequest, Reply, calls, failure, text, tool
from tests.words import APPROVE, OVERLOADED, STOPPED

_FLOWS_OWN = pytest.mark.flows_own("rests and trials are rows of the store")

HELD_BACK = "SELECT 1 FROM turn WHERE held_back"
FAILED = "I failed 3 times at “poison”"


@_FLOWS_OWN
async def test_a_turn_that_kills_the_process_at_once_rests_and_others_are_answered(
    steward: Steward,
) -> None:
    def reply(request: ReceivedRequest) -> Reply:
        words = words_in(request)
        if "poison" in words and "And you?" not in words:
            os.kill(steward.pid, signal.SIGKILL)
        return text("Well.")

    bob = steward.person(43, "Bob")
    steward.model.script.rule(reply)
    # Long enough that Bob is answered while the poisoned turn rests, on a busy machine too.
    steward.settings |= {
        "STEWARD_ALLOWED": steward.account(bob),
        "STEWARD_COUNTED_AFTER_SECONDS": "4",
    }
    await steward.start()
    steward.say("Hello")
    await steward.sees("Well.")
    await steward.recorded()
    await steward.kill()
    steward.say("poison")
    deaths = 0
    while not steward.showing(FAILED):
        await steward.start()
        if deaths == 3:
            steward.say("How are you?", by=bob)
            await steward.sees("Well.", at=bob)
        await steward.eventually(lambda: steward.showing(FAILED) or not steward.running)
        deaths += not steward.running
        assert deaths <= 6
    assert deaths == 6
    steward.say("And you?")
    await steward.sees("Well.", times=2)
    steward.press(steward.showing(FAILED)[0], "⏹ Give up")
    await steward.eventually(lambda: "user_cancelled" in steward.records.stop_reasons)


async def under_way_at_three_deaths(steward: Steward, replies: int) -> Gate:
    """A turn whose model has not replied when the process dies, three times; then it waits."""
    thinking = Gate()
    steward.script(*[text("At last.").held(thinking)] * replies)
    # So long that the time never comes.
    steward.settings["STEWARD_COUNTED_AFTER_SECONDS"] = "3600"
    for life in (1, 2, 3):
        await steward.start()
        if life == 1:
            steward.say("go")
        await steward.asked(life)
        await steward.kill()
    await steward.start()
    await steward.eventually(lambda: steward.records.rows(HELD_BACK))
    assert len(steward.model.requests) == 3
    return thinking


@_FLOWS_OWN
async def test_a_death_while_a_turn_waits_for_its_trial_proves_that_it_is_not_the_cause(
    steward: Steward,
) -> None:
    thinking = await under_way_at_three_deaths(steward, replies=4)
    await steward.restart()
    await steward.asked(4)
    thinking.release()
    await steward.sees("At last.")


async def test_a_turn_that_waits_for_its_trial_can_be_stopped(steward: Steward) -> None:
    await under_way_at_three_deaths(steward, replies=3)
    steward.say("/stop")
    await steward.sees(STOPPED)
    assert steward.records.stop_reasons == ["user_cancelled"]


@_FLOWS_OWN
@pytest.mark.parametrize("how", ["/stop", "⏹ Give up"])
async def test_the_end_of_a_resting_message_leaves_the_calls_of_an_open_card_whole(
    steward: Steward, how: str
) -> None:
    write = calls(tool("write_file", {"path": "a.md", "content": "one"}))
    steward.script(failure(529), write)
    await steward.start(STEWARD_MODEL_RETRIES=0)
    steward.say("first")
    resting = await steward.sees(OVERLOADED)
    steward.say("write it down")
    await steward.until(lambda: [card for card in steward.cards if APPROVE in card.labels])
    if how == "/stop":
        steward.say(how)
    else:
        steward.press(resting, how)
    await steward.sees("⏹ Given up.")
    await steward.eventually(lambda: steward.records.stop_reasons)
    # The stand-in refuses a conversation in which a call has no result right behind it.
    steward.script(text("Here I am."))
    steward.say("And now?")
    await steward.sees("Here I am.")
