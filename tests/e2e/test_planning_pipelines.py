"""A pipeline that collects a plan, in the real process: stopped and killed between its stages."""

import pytest

from tests.e2e.planning import (
    edits_may_repeat,
    files,
    recorded,
    said,
    states,
    steps,
    submit,
    write,
)
from tests.e2e.skills import handed_over, pipeline, turns, use
from tests.e2e.steward import Steward
from tests.standins.messages_api import Gate
from tests.words import APPROVE, STOPPED

pytestmark = pytest.mark.flows_own("plans and pipelines are the turn's own")


async def test_killed_at_each_boundary_of_its_stages_there_is_one_card_and_one_run_of_each_step(
    steward: Steward,
) -> None:
    edits_may_repeat(steward)
    pipeline(steward)
    first, handing, second, submitting = Gate(), Gate(), Gate(), Gate()
    steward.script(use("facts"), write("one.md"), said("lost").held(first))
    steward.script(said("lost").held(handing, after=1), said("The facts."))
    steward.script(said("lost").held(second), write("two.md"))
    steward.script(submit().held(submitting, after=1), submit())
    steward.script(write("one.md"), write("two.md"))
    steward.model.script.rule(lambda _: said("Both."))
    await steward.start(STEWARD_LOG_LEVEL="DEBUG")
    steward.say("/plan two files")
    await first.arrived()
    assert steps(steward) == ["open"]
    await steward.restart()
    await handing.arrived()
    with steward.records.locked():
        handing.release()
        await steward.eventually(lambda: "step TransitionSkill" in steward.output)
        await steward.kill()
    assert handed_over(steward) == []
    await steward.start()
    await second.arrived()
    assert handed_over(steward) == ["facts"]
    await steward.restart()
    await submitting.arrived()
    with steward.records.locked():
        submitting.release()
        await steward.kill()
    assert states(steward) == ["collecting"]
    await steward.start()
    card = await steward.card()
    assert "📋 Two files · 2 steps" in card.text
    assert handed_over(steward) == ["facts"]
    assert steps(steward) == ["open", "open"]
    steward.press(card, APPROVE)
    await steward.sees("2 of 2 steps done")
    assert len(steward.showing("📋 Two files")) == 1
    assert recorded(steward, "plan.ready") == 1
    assert files(steward) == {"one.md", "two.md"}


async def test_a_word_in_the_middle_of_a_stage_starts_no_further_one_and_makes_no_card(
    steward: Steward,
) -> None:
    pipeline(steward)
    await steward.start()
    steward.say("/skill facts")
    await steward.sees("is on from your next message")
    words = ("/plan off", "/plan cancel", "/new", "/stop")
    for times, word in enumerate(words, 1):
        never = Gate()
        steward.script(write("one.md"), said("The facts."), said("never").held(never))
        steward.say("/plan one file")
        await never.arrived()
        steward.say(word)
        await never.abandoned()
        # A fresh start says so itself, and of no stop.
        await steward.sees(STOPPED, times=times - words[:times].count("/new"))
    await steward.sees("Plan mode is off.", times=2)
    await steward.sees("A fresh start.")
    # A stop is about the turn: the collecting goes on with the next message.
    assert states(steward) == ["cancelled", "cancelled", "cancelled", "collecting"]
    assert turns(steward) == [("user_cancelled", "story", 1)] * 4
    steward.script(said("No more facts."), submit("One file"))
    steward.say("That is all")
    assert "1. Create one.md" in (await steward.card()).text
    assert len(steward.showing("📋")) == 1
    assert files(steward) == set()
