"""How often the phone sounds: once when a task needs the person, and once when it is done."""

import json

import pytest

from tests.e2e.planning import offering, said, submit, write
from tests.e2e.steward import Steward, results_in
from tests.e2e.test_goals import begun, update
from tests.e2e.test_hooks import Caller, caller, started
from tests.e2e.test_schedules import HOUR, runs_are
from tests.e2e.test_ways_on import REFUSED
from tests.e2e.times import Times
from tests.standins.messages_api import Gate, ReceivedRequest, Reply, calls, text, tool
from tests.words import APPROVE, APPROVE_ALL, NOT_LET_IN, PLAN_ENDED, RETRY

__all__ = ["caller"]

DAY = 24 * HOUR
_FLOWS_OWN = pytest.mark.flows_own("which message sounds is decided before a platform sends it")


def sounds(steward: Steward) -> list[str]:
    """Returns the first line of each message that sounded, in the order of the screen."""
    return [one.text.strip().splitlines()[0] for one in steward.shown if not one.silent]


async def settled(steward: Steward, turns: int = 1) -> None:
    """Waits until so many turns have ended, and everything owed is on the screen."""
    await steward.eventually(lambda: sum(map(bool, steward.records.stop_reasons)) >= turns)
    await steward.recorded()


def worded(words: str, *names: str) -> Reply:
    """Returns a reply that says something and wants to write files."""
    wanted = (tool("write_file", {"path": name, "content": name}) for name in names)
    return text(words) + calls(*wanted)


async def test_an_answer_sounds_once(steward: Steward) -> None:
    steward.script(text("Hello."))
    await steward.start()
    steward.say("Hi")
    await settled(steward)
    assert sounds(steward) == ["Hello."]


async def test_a_card_and_the_answer_sound_and_not_the_words_above_it(steward: Steward) -> None:
    steward.script(worded("I write it.", "one.md"), text("Done."))
    await steward.start()
    steward.say("Write it")
    steward.press(await steward.card(), APPROVE)
    await settled(steward)
    assert steward.showing("I write it.")[0].silent
    card, answer = sounds(steward)
    assert (card, answer) == ("✅ one.md created", "Done.")


async def test_of_three_cards_of_a_round_the_first_sounds(steward: Steward) -> None:
    steward.script(worded("Three files.", "one.md", "two.md", "three.md"), text("Done."))
    await steward.start()
    steward.say("Write them")
    card = await offering(steward, APPROVE_ALL)
    await steward.sees("3 of 3")
    await steward.recorded()
    assert len(sounds(steward)) == 1
    steward.press(card, APPROVE_ALL)
    await settled(steward)
    assert len(sounds(steward)) == 2


@_FLOWS_OWN
async def test_a_death_between_the_cards_of_a_round_adds_no_sound(steward: Steward) -> None:
    steward.script(worded("Two files.", "one.md", "two.md"))
    await steward.start()
    held = steward.way.hold_message()
    steward.say("Write them")
    await held.arrived()
    await steward.restart()
    held.release()
    await steward.sees("2 of 2")
    await steward.recorded()
    assert len(sounds(steward)) == 1


@_FLOWS_OWN
async def test_cards_in_three_rounds_sound_once_each(steward: Steward) -> None:
    names = ["one.md", "two.md", "three.md"]
    steward.script(*(worded(f"Now {name}.", name) for name in names), text("Done."))
    await steward.start()
    steward.say("Write them")
    for name in names:
        await steward.sees(f"Create {name}")
        steward.press(await steward.card(), APPROVE)
        await steward.eventually(lambda name=name: (steward.workspace / name).exists())
    await settled(steward)
    assert len(sounds(steward)) == 4


@_FLOWS_OWN
async def test_a_plan_sounds_with_its_card_and_with_its_end(steward: Steward) -> None:
    steward.script(
        write("one.md", "two.md"),
        text("I hand it in.") + submit(),
        write("one.md"),
        write("two.md"),
        said("Both are there."),
    )
    await steward.start()
    steward.say("/plan two files")
    card = await steward.card()
    await settled(steward)
    assert len(sounds(steward)) == 1
    steward.press(card, APPROVE)
    await steward.sees(PLAN_ENDED)
    await settled(steward, 2)
    assert len(sounds(steward)) == 2
    assert sounds(steward)[-1] == "Both are there."


@_FLOWS_OWN
async def test_a_plan_with_words_beside_its_card_sounds_once(steward: Steward) -> None:
    steward.script(write("one.md"), text("That would be my plan."))
    await steward.start()
    steward.say("/plan one file")
    await steward.card()
    await settled(steward)
    assert [one[:1] for one in sounds(steward)] == ["📋"]


@_FLOWS_OWN
async def test_a_goal_sounds_when_it_asks_and_when_it_is_reached(
    steward: Steward, times: Times
) -> None:
    steward.script(update(milestone="The club took me."), text("Done for today."))
    await begun(steward)
    await runs_are(steward, "done")
    before = len(sounds(steward))
    steward.script(update(state="stuck", question="Which harbour?"), text("Asked."))
    times.move(DAY)
    question = await steward.sees("❓ Which harbour?")
    await runs_are(steward, "done", "done")
    steward.script(update(state="done", milestone="You sail."), text("Bye."))
    steward.say("Porto", reply_to=question)
    await steward.sees("🏁 Goal reached.")
    await runs_are(steward, "done", "done", "done")
    await steward.recorded()
    heard = [one for one in sounds(steward)[before:] if one[:1] in "❓🏁🎯"]
    assert [one[:1] for one in heard] == ["❓", "🏁"]


@_FLOWS_OWN
async def test_a_run_of_a_task_sounds_with_its_card_and_its_answer(
    steward: Steward, times: Times
) -> None:
    steward.script(worded("I write it.", "one.md"), text("Sunny."))
    await steward.start()
    steward.say("/schedule every 2h | The weather, please")
    await steward.sees("⏰ Scheduled.")
    await steward.recorded()
    before = len(sounds(steward))
    times.move(2 * HOUR)
    steward.press(await steward.card(), APPROVE)
    await runs_are(steward, "done")
    await steward.recorded()
    assert len(sounds(steward)) == before + 2


@_FLOWS_OWN
async def test_a_call_of_a_hook_sounds_with_its_answer(steward: Steward, caller: Caller) -> None:
    steward.script(text("The garden had no water."))
    await started(steward)
    await caller.post()
    await steward.sees("The garden had no water.")
    await settled(steward)
    assert len(sounds(steward)) == 1


@_FLOWS_OWN
async def test_two_helpers_with_a_card_each_sound_once_until_somebody_answers(
    steward: Steward,
) -> None:
    gate = Gate()
    steward.model.script.rule(lambda request: _helped(request, gate))
    await steward.start()
    steward.say("Do two things")
    await steward.sees("Create one.md")
    gate.release()
    await steward.sees("Create two.md")
    await steward.recorded()
    assert len(sounds(steward)) == 1
    for name in ("one.md", "two.md"):
        card = next(one for one in steward.cards if name in one.text)
        steward.press(card, APPROVE)
    await steward.sees("All done.")
    await settled(steward)
    assert len(sounds(steward)) == 2


def _helped(request: ReceivedRequest, gate: Gate) -> Reply:
    words, found = json.dumps(request.body["messages"]), results_in(request)
    if "[Errand]" in words:
        name = "one.md" if "task one" in words else "two.md"
        if found:
            return text("Written.")
        wanted = calls(tool("write_file", {"path": name, "content": name}))
        return wanted if name == "one.md" else wanted.held(gate)
    if found:
        return text("All done.")
    return calls(*(tool("delegate", {"task": f"task {one}"}) for one in ("one", "two")))


@_FLOWS_OWN
async def test_a_failure_with_try_again_sounds_once_and_its_answer_once(steward: Steward) -> None:
    steward.script(REFUSED)
    await steward.start()
    steward.say("What is new?")
    told = await steward.sees(NOT_LET_IN)
    await settled(steward)
    assert len(sounds(steward)) == 1
    steward.script(text("Much is new."))
    steward.press(told, RETRY)
    await settled(steward, 2)
    assert sounds(steward)[1:] == ["Much is new."]
