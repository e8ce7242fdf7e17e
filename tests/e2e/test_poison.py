"""A turn that kills the process as soon as it begins is found out, and the others go on."""

import os
import signal

import pytest

from tests.e2e.steward import Steward, words_in
from tests.standins.bot_api import Person
from tests.standins.messages_api import Gate, ReceivedRequest, Reply, text
from tests.words import STOPPED

HELD_BACK = "SELECT 1 FROM turn WHERE held_back"
FAILED = "I failed 3 times at “poison”"


def answered(steward: Steward, person: Person) -> list[str]:
    return [message.text for message in steward.telegram.screen(person.id).from_bot]


# Discord brings nothing that was said before the first session, and Bob writes on Telegram.
@pytest.mark.telegrams_own
async def test_a_turn_that_kills_the_process_at_once_rests_and_others_are_answered(
    steward: Steward,
) -> None:
    def reply(request: ReceivedRequest) -> Reply:
        words = words_in(request)
        if "poison" in words and "And you?" not in words:
            os.kill(steward.pid, signal.SIGKILL)
        return text("Well.")

    bob = steward.telegram.person(43, "Bob")
    steward.telegram.private_chat(bob)
    steward.model.script.rule(reply)
    # Long enough that Bob is answered while the poisoned turn rests, on a busy machine too.
    steward.settings |= {"STEWARD_ALLOWED": "telegram:43", "STEWARD_COUNTED_AFTER_SECONDS": "4"}
    steward.say("poison")
    deaths = 0
    while not steward.showing(FAILED):
        await steward.start()
        if deaths == 3:
            steward.telegram.say(bob, "How are you?")
            await steward.until(lambda: "Well." in answered(steward, bob))
        await steward.eventually(lambda: steward.showing(FAILED) or not steward.running)
        deaths += not steward.running
        assert deaths <= 6
    assert deaths == 6
    steward.say("And you?")
    await steward.sees("Well.")
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
