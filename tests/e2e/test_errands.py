"""Errands in the running program: side by side, with cards, over deaths, each answered once."""

import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping

import pytest

from tests.e2e.errand import Errand
from tests.e2e.steward import Steward, results_in
from tests.standins.messages_api import Gate, ReceivedRequest, Reply, calls, text, thinking, tool
from tests.words import APPROVE, DENY, FOR_ERRAND

_FLOWS_OWN = pytest.mark.flows_own("errands are turns that no platform sees")

Answer = Callable[[ReceivedRequest], Reply]
DONE = "First result.; It ran.; Third result."


def said(request: ReceivedRequest) -> str:
    return json.dumps(request.body["messages"])


def sent_out(*tasks: str) -> Reply:
    errands = (tool("delegate", {"task": f"task {task}"}) for task in tasks)
    return thinking("I give that to others.") + calls(*errands)


def family(*tasks: str, **errands: Answer) -> Answer:
    """Answers for a turn that sends errands out, and for each of them by its task."""

    def respond(request: ReceivedRequest) -> Reply:
        words = said(request)
        if "[Errand]" in words:
            return next(answer for task, answer in errands.items() if f"task {task}" in words)(
                request
            )
        if "[Late result]" in words:
            return text("So late.")
        if "and hello" in str(request.body["messages"][-1]):
            return text("Hello.")
        found = results_in(request)
        return text("; ".join(sorted(map(plain, found.values())))) if found else sent_out(*tasks)

    return respond


def plain(result: str) -> str:
    """Returns a result without its block: without a sandbox a command's output is foreign."""
    return re.sub(r"</?quoted_data[^>]*>", "", result).strip()


def then(words: str, gate: Gate | None = None) -> Answer:
    """Answers at once, or once it is let go."""
    return lambda _: text(words) if gate is None else text(words).held(gate)


def runs(command: str, words: str = "It ran.") -> Answer:
    def respond(request: ReceivedRequest) -> Reply:
        found = results_in(request)
        if not found:
            return thinking("Run it.") + calls(tool("run_command", {"command": command}))
        (result,) = found.values()
        return text(words if "denied" not in result else "It was denied.")

    return respond


def three(errand: Errand) -> Mapping[str, Answer]:
    return {
        "one": then("First result."),
        "two": runs(errand.command),
        "three": then("Third result."),
    }


def states(steward: Steward) -> list[tuple[str, bool]]:
    rows = steward.records.rows("SELECT state, taken FROM errand ORDER BY created_at, id")
    return [(state, bool(taken)) for state, taken in rows]


def answered_once(steward: Steward, errands: int = 3) -> None:
    """Every errand is done and taken, and its call has exactly one result."""
    assert states(steward) == [("done", True)] * errands
    results = [r for r in steward.records.bodies("result") if r["result"]["tool"] == "delegate"]
    assert len({r["result"]["call_id"] for r in results}) == len(results) == errands


@pytest.mark.shared
@pytest.mark.commands
async def test_three_work_side_by_side_and_the_card_of_one_names_it(steward: Steward) -> None:
    with Errand(steward.workspace) as errand:
        steward.model.script.rule(family("one", "two", "three", **three(errand)))
        await steward.start()
        steward.say("Do three things")
        card = await steward.card()
        assert FOR_ERRAND in card.text
        await steward.sees("Helpers: 2 of 3 done")
        steward.say("/status")
        status = await steward.sees("waiting for your decision, 1 round, 1 call")
        assert "Helper “task two”" in status.text
        steward.press(card, APPROVE)
        await errand.begun()
        errand.release()
        await steward.sees(DONE)
        await steward.sees("✓ Helpers: 3 of 3 done")
        assert errand.runs == 1
    answered_once(steward)


@_FLOWS_OWN
async def test_a_denied_card_is_the_errands_own_affair(steward: Steward) -> None:
    with Errand(steward.workspace) as errand:
        steward.model.script.rule(family("one", "two", "three", **three(errand)))
        await steward.start()
        steward.say("Do three things")
        steward.press(await steward.card(), DENY)
        await steward.sees("First result.; It was denied.; Third result.")
        assert errand.runs == 0
    answered_once(steward)


@pytest.mark.shared
@_FLOWS_OWN
async def test_stop_ends_both(steward: Steward) -> None:
    gate = Gate()
    with Errand(steward.workspace) as errand:
        held = then("Never said.", gate)
        steward.model.script.rule(family("one", "two", one=held, two=runs(errand.command)))
        await steward.start()
        steward.say("Do two things")
        await gate.arrived()
        card = await steward.card()
        steward.say("/stop")
        await steward.sees("⏹ Helpers: 0 of 2 done")
        await steward.until(lambda: not steward.cards)
        await steward.eventually(lambda: states(steward) == [("done", True)] * 2)
        await steward.eventually(lambda: None not in steward.records.stop_reasons)
        assert set(steward.records.stop_reasons) == {"user_cancelled"}
        await steward.answered(steward.press(card, APPROVE))
        assert errand.runs == 0


@pytest.mark.commands
async def test_an_old_button_counts_after_a_restart(steward: Steward) -> None:
    with Errand(steward.workspace) as errand:
        steward.model.script.rule(family("one", "two", "three", **three(errand)))
        await steward.start()
        steward.say("Do three things")
        card = await steward.card()
        await steward.sees("Helpers: 2 of 3 done")
        await steward.recorded()
        await steward.restart()
        steward.press(card, APPROVE)
        await errand.begun()
        errand.release()
        await steward.sees(DONE)
        assert errand.runs == 1
    answered_once(steward)


@_FLOWS_OWN
async def test_a_death_while_errands_are_sent_out_sends_each_out_once(steward: Steward) -> None:
    tasks = {"one": then("First result."), "two": then("Second result.")}
    steward.model.script.rule(family("one", "two", **tasks))
    await steward.start(STEWARD_LOG_LEVEL="DEBUG")
    steward.say("Do two things")
    steward.foreseen.append("message is not modified")  # the line may be on the screen already
    await steward.eventually(lambda: "step SendOut" in steward.output)
    await steward.restart()
    await steward.sees("First result.; Second result.")
    answered_once(steward, 2)


@_FLOWS_OWN
async def test_a_death_while_an_errand_works_asks_its_model_again(steward: Steward) -> None:
    cut = Gate()
    again = iter([text("Cut off.").held(cut), text("First result.")])
    second = then("Second result.")
    steward.model.script.rule(family("one", "two", one=lambda _: next(again), two=second))
    await steward.start()
    steward.say("Do two things")
    await cut.arrived()
    await steward.sees("Helpers: 1 of 2 done")
    await steward.recorded()
    await steward.restart()
    await steward.sees("First result.; Second result.")
    answered_once(steward, 2)


@_FLOWS_OWN
async def test_a_death_at_the_end_of_an_errand_hands_its_result_in_once(steward: Steward) -> None:
    saying = Gate()
    words = ["Heard to the end.", "Said again."]
    replies = iter([text(words[0]).held(saying, after=1), text(words[1])])
    steward.model.script.rule(family("one", one=lambda _: next(replies)))
    await steward.start(STEWARD_LOG_LEVEL="DEBUG")
    steward.say("Do one thing")
    await saying.arrived()
    with steward.records.locked():
        saying.release()
        await steward.eventually(lambda: "step Finish" in steward.output)
        await steward.kill()
    await steward.start()
    await steward.sees(words[1])
    answered_once(steward, 1)


@_FLOWS_OWN
async def test_a_death_before_the_parent_wakes_loses_no_result(steward: Steward) -> None:
    final = Gate()
    held = iter([text("Cut.").held(final), text("The whole: First result.")])
    base = family("one", one=then("First result."))

    def respond(request: ReceivedRequest) -> Reply:
        returns = "[Errand]" not in said(request) and results_in(request)
        return next(held) if returns else base(request)

    steward.model.script.rule(respond)
    await steward.start()
    steward.say("Do one thing")
    await final.arrived()
    await steward.recorded()
    await steward.restart()
    await steward.sees("The whole: First result.")
    answered_once(steward, 1)


@_FLOWS_OWN
@pytest.mark.commands
async def test_a_command_of_an_errand_that_was_cut_is_never_run_again(steward: Steward) -> None:
    with Errand(steward.workspace) as errand:
        steward.model.script.rule(family("two", two=runs(errand.command, "I looked: it ran once.")))
        await steward.start()
        steward.say("Run it")
        steward.press(await steward.card(), APPROVE)
        await errand.begun()
        await steward.recorded()
        await steward.restart()
        await steward.sees("I looked: it ran once.")
        assert errand.runs == 1
    answered_once(steward, 1)


@_FLOWS_OWN
@pytest.mark.commands
async def test_a_new_message_goes_first_and_the_result_comes_late(steward: Steward) -> None:
    with Errand(steward.workspace) as errand:
        steward.model.script.rule(family("two", two=runs(errand.command)))
        await steward.start()
        steward.say("Run it")
        card = await steward.card()
        await steward.eventually(lambda: ("waiting", False) in states(steward))
        steward.say("and hello")
        await steward.sees("Hello.")
        await steward.restart()
        steward.press(card, APPROVE)
        await errand.begun()
        errand.release()
        await steward.sees("So late.")
        assert errand.runs == 1
    (late,) = steward.records.bodies("late_result")
    assert (late["tool"], late["text"]) == ("delegate", "It ran.")
    assert states(steward) == [("done", True)]


@_FLOWS_OWN
async def test_a_setting_bounds_errands_and_takes_the_tool_away(steward: Steward) -> None:
    steward.model.script.rule(family("one", "two", one=then("First result."), two=then("None.")))
    await steward.start(STEWARD_ERRANDS=1)
    steward.say("Do two things")
    await steward.sees("First result.; Not sent out: a turn may send out 1 errand.")
    answered = len(steward.model.requests)
    await steward.recorded()
    await steward.restart(STEWARD_ERRANDS=0)
    steward.script(text("Alone, then."))
    steward.say("Do two things")
    request = await steward.asked(answered + 1)
    assert "delegate" not in {offered["name"] for offered in request.body["tools"]}
    await steward.sees("Alone, then.")


@_FLOWS_OWN
async def test_an_export_has_what_errands_were_told_and_answered(steward: Steward) -> None:
    held = {name: then(f"Result {name}.") for name in ("one", "two")}
    steward.model.script.rule(family("one", "two", **held))
    await steward.start()
    steward.say("Do two things")
    await steward.sees("✓ Helpers: 2 of 2 done")
    await steward.eventually(lambda: steward.records.rows("SELECT count(*) FROM passage") != [(0,)])
    steward.say("/export")
    sent = await steward.until(
        lambda: next((one.file for one in steward.shown if one.file is not None), None)
    )
    with zipfile.ZipFile(io.BytesIO(sent.data)) as archive:
        lines = [json.loads(line) for line in archive.read("steward.jsonl").splitlines()]
    told = [line for line in lines if line["chat"].startswith("errand:")]
    assert sorted(line["kind"] for line in told) == ["answer", "answer", "errand", "errand"]
    assert {line["by"] for line in told} == {"Steward"}
    assert "Result one." in {line["text"] for line in told}
