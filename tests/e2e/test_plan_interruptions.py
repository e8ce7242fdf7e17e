"""Words and presses that meet a plan at work, in the real process: each step runs once."""

from typing import Any

import pytest

from tests.e2e.errand import Errand
from tests.e2e.planning import (
    edits_may_repeat,
    files,
    offering,
    recorded,
    said,
    states,
    steps,
    write,
)
from tests.e2e.steward import Steward
from tests.standins.bot_api import ShownMessage
from tests.standins.messages_api import Gate, Reply, calls, failure, thinking, tool
from tests.words import (
    APPROVE,
    CANCEL,
    CHANGE,
    DANGEROUS_STEP,
    DECIDED_ALREADY,
    PLAN_OF_ONE_DONE,
    PLAN_STOPPED,
    RESUME,
)

_FLOWS_OWN = pytest.mark.flows_own("a plan's progress is rows of the store")


def grave(errand: Errand) -> Reply:
    """The errand as a command that asks again, with a sandbox and without one."""
    command = f"{errand.command}; sudo -n true || true"
    return thinking("Run it.") + calls(tool("run_command", {"command": command}))


async def begun(steward: Steward, errand: Errand) -> ShownMessage:
    """Have the errand planned, approved and begun; the card as it asked for that."""
    steward.script(grave(errand), said("The plan."), grave(errand))
    steward.say("/plan run my errand")
    card = await offering(steward, CHANGE)
    steward.press(card, APPROVE)
    again = await steward.until(
        lambda: next(
            (c for c in steward.cards if c.id != card.id and DANGEROUS_STEP in c.text),
            None,
        )
    )
    steward.press(again, APPROVE)
    await errand.begun()
    return card


@_FLOWS_OWN
async def test_a_word_in_the_middle_of_a_step_ends_its_plan_and_it_ran_once(
    steward: Steward,
) -> None:
    await steward.start()
    for times, word in enumerate(("/stop", "/new", "/plan cancel"), 1):
        with Errand(steward.workspace, word.split()[-1].strip("/")) as errand:
            await begun(steward, errand)
            steward.say(word)
            await steward.sees(PLAN_STOPPED, times=times)
            assert (errand.runs, errand.ends) == (1, 0)
    assert states(steward) == ["partly_done"] * 3
    assert steps(steward) == ["failed"] * 3
    assert [code for _, _, code in steward.records.results if code] == ["outcome_unknown"] * 3


@_FLOWS_OWN
async def test_what_would_change_a_plan_does_not_while_a_step_runs(steward: Steward) -> None:
    await steward.start()
    with Errand(steward.workspace) as errand:
        card = await begun(steward, errand)
        presses = [steward.press(card, label) for label in (APPROVE, CANCEL)]
        for press in presses:
            assert await steward.notified(press) == f"{DECIDED_ALREADY}: approved by Ann."
        for word in ("/plan off", "/plan done", "/plan resume", "/plan another errand"):
            steward.say(word)
        await steward.sees("/plan cancel ends it.")
        await steward.sees("There is nothing to resume")
        await steward.sees("Its steps are under way.")
        await steward.recorded()
        steward.say("run it twice", reply_to=card)
        steward.script(said("It ran."), said("Once is enough."))
        errand.release()
        await steward.sees(PLAN_OF_ONE_DONE)
        await steward.sees("Once is enough.")
        assert (errand.runs, errand.ends) == (1, 1)
    assert states(steward) == ["done"]
    assert recorded(steward, "plan.ready") == recorded(steward, "plan.approved") == 1


async def resumed(steward: Steward, *doors: str) -> list[Any]:
    """Come through these doors at once; the presses."""
    card = await offering(steward, RESUME)
    await steward.recorded()
    await steward.way.listened()
    # Nothing is taken in while nobody can write, so that all of it comes in one go.
    with steward.records.locked():
        presses: list[Any] = []
        for door in doors:
            if door == "press":
                presses.append(steward.press(card, RESUME))
            else:
                steward.say(door)
        await steward.way.delivered()
    return presses


async def test_resumed_from_several_doors_at_once_it_goes_on_once(steward: Steward) -> None:
    edits_may_repeat(steward)
    once, twice = Gate(), Gate()
    steward.script(write("one.md"), said("The plan."), failure(401))
    steward.script(failure(401).held(once), write("one.md").held(twice), said("Done."))
    await steward.start()
    steward.say("/plan one file")
    steward.press(await offering(steward, CHANGE), APPROVE)
    late = f"{DECIDED_ALREADY}: approved by Ann."
    for press in await resumed(steward, "/plan resume", "press", "press"):
        assert await steward.notified(press) == late
    await once.arrived()
    once.release()
    first, second = await resumed(steward, "press", "/plan resume", "press")
    await steward.counted(first, "Going on.")
    assert await steward.notified(second) == late
    await steward.sees("There is nothing to resume")
    await twice.arrived()
    twice.release()
    await steward.sees("Done.")
    assert files(steward) == {"one.md"}
    assert recorded(steward, "plan.resumed") == 2
    failed = ["model_failure", "model_failure"]
    assert steward.records.stop_reasons == ["plan_ready", *failed, "final_answer"]
