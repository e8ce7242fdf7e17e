"""The model of an answer in the whole program: by a skill's tier, or by one that takes over."""

import os
import signal

import pytest

from tests.e2e.skills import put, use
from tests.e2e.steward import Steward
from tests.standins.messages_api import failure, text

_FLOWS_OWN = pytest.mark.flows_own("models are chosen in the turn")

FIRST, SECOND, DEEP = "claude-sonnet-5-5", "claude-haiku-5-5", "claude-opus-5-5"
FOOTER_ON = "a small line below each answer tells its tool calls"


def asked(steward: Steward) -> list[str]:
    """Returns the names of the models that were asked, in order."""
    return [one.body["model"] for one in steward.model.requests]


@_FLOWS_OWN
async def test_a_skill_has_the_tier_that_it_wishes_until_a_person_chooses_a_model(
    steward: Steward,
) -> None:
    put(steward, "riddles", "model_tier: deep\n")
    steward.script(use("riddles"), text("Solved."))
    await steward.start()
    steward.say("/footer on")
    await steward.sees(FOOTER_ON)
    steward.say("Solve this riddle")
    told = await steward.sees("Solved.")
    assert asked(steward) == [FIRST, DEEP]
    assert "deep, as the skill wishes" in told.text
    await steward.recorded()
    steward.say(f"/model anthropic/{SECOND}")
    await steward.sees("From your next message on")
    steward.script(use("riddles"), text("Solved again."))
    steward.say("Solve another riddle")
    await steward.sees("Solved again.")
    assert asked(steward)[2:] == [SECOND, SECOND]


async def test_a_name_that_the_provider_does_not_have_is_refused_and_the_near_one_offered(
    steward: Steward,
) -> None:
    steward.foreseen.append("404 model: claude-haiku-5-6")
    steward.script(text("Hello."))
    await steward.start()
    steward.say("/model anthropic/claude-haiku-5-6")
    told = await steward.sees("anthropic has no model claude-haiku-5-6, so nothing was changed.")
    steward.press(told, SECOND)
    told = await steward.sees(f"From your next message on: anthropic/{SECOND}.")
    assert "check" not in told.text
    steward.say("Hi")
    await steward.sees("Hello.")
    assert asked(steward) == [SECOND]


@_FLOWS_OWN
async def test_a_model_that_stays_away_is_left_alone_and_its_first_good_call_ends_that(
    steward: Steward,
) -> None:
    steward.module = "tests.e2e.jumping_program"
    steward.foreseen.append("overloaded")
    busy = failure(529, "overloaded")
    steward.script(busy, text("One."), text("Two."), busy, text("Three."), text("Four."))
    await steward.start(STEWARD_FALLBACK_MODELS=f"anthropic/{SECOND}", STEWARD_MODEL_RETRIES=0)
    for words in ("One.", "Two."):
        steward.say(f"Say {words}")
        told = await steward.sees(words)
        assert f"Answered by anthropic/{SECOND}" in told.text
        assert f"anthropic/{FIRST} does not respond" in told.text
    assert asked(steward) == [FIRST, SECOND, SECOND]
    steward.say("/status")
    await steward.sees(f"No answer from anthropic/{FIRST}")
    os.kill(steward.pid, signal.SIGWINCH)
    for words in ("Three.", "Four."):
        steward.say(f"Say {words}")
        await steward.sees(f"{words}\n\n(Answered by")
    assert asked(steward)[3:] == [FIRST, SECOND, SECOND], "one call tried it, and failed"
    os.kill(steward.pid, signal.SIGWINCH)
    steward.script(text("Five."), text("Six."))
    for words in ("Five.", "Six."):
        steward.say(f"Say {words}")
        told = await steward.sees(words)
        assert told.text == words
    assert asked(steward)[6:] == [FIRST, FIRST]
