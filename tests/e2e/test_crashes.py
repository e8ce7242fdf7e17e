"""SIGKILL at every kind of step boundary: the next life of the program goes on as if nothing was.

Each test stops the world at one place, kills the process there and starts it again. What is left
behind (calls without their one result, updates nobody took, messages nobody saw, requests the
strict model refuses) is judged for all of them when the test ends.
"""

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.dying_intake_program import DEATH_FILE
from tests.e2e.errand import Errand
from tests.e2e.steward import Steward, results_in, words_in
from tests.standins.messages_api import Gate, Reply, calls, failure, text, thinking, tool
from tests.words import APPROVE, APPROVED, DECIDED_ALREADY, STOPPED, SUMMARISED

_FLOWS_OWN = pytest.mark.flows_own("the boundary lies between model and tools")


def run(*commands: str) -> Reply:
    """A reply that thinks and wants to run these commands."""
    called = (tool("run_command", {"command": command}) for command in commands)
    return thinking("Let me run that.") + calls(*called)


def final(words: str) -> Reply:
    return thinking("That is it.") + text(words)


def only_result(steward: Steward, request: int) -> str:
    """The one tool result in the last message of the request with this number."""
    (result,) = results_in(steward.model.requests[request - 1]).values()
    return result


def dying_at_arrivals(steward: Steward) -> Path:
    """Has the program die once where an update arrives; the file that is returned says when."""
    fate = steward.folder / "dies"
    steward.settings[DEATH_FILE] = str(fate)
    steward.module = "tests.e2e.dying_intake_program"
    return fate


async def test_a_message_that_was_fetched_but_not_stored_comes_again(steward: Steward) -> None:
    steward.script(final("Good morning."), final("Hello, Ann."))
    await steward.start()
    steward.say("Good morning")
    await steward.sees("Good morning.")
    await steward.recorded()
    await steward.way.listened()
    with steward.records.locked():
        steward.say("Hello")
        await steward.way.delivered()
        await steward.kill()
    await steward.start()
    await steward.sees("Hello, Ann.")
    assert len(steward.shown) == 2


@pytest.mark.telegrams_own("updates are confirmed")
async def test_an_update_that_was_stored_but_not_confirmed_is_answered_once(
    steward: Steward,
) -> None:
    lost = Gate()
    steward.script(final("lost").held(lost), final("Hello, Ann."))
    await steward.start()
    await steward.until(lambda: steward.telegram.updates.polling)
    confirming = steward.telegram.hold("getUpdates")
    said = steward.say("Hello")
    await confirming.arrived()
    await lost.arrived()
    await steward.restart()
    await steward.sees("Hello, Ann.")
    steward.script(final("Once more."))
    steward.say("Again")
    await steward.sees("Once more.")
    assert steward.telegram.updates.confirmed > said.id
    assert len(steward.shown) == 2
    assert len(steward.records.stop_reasons) == 2


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_a_death_where_a_message_is_stored_answers_it_once(
    steward: Steward, moment: str
) -> None:
    fate = dying_at_arrivals(steward)
    steward.script(final("Hello, Ann."), final("And again."))
    await steward.start()
    steward.say("Hello")
    await steward.sees("Hello, Ann.")
    await steward.recorded()
    await steward.way.listened()
    fate.write_text(moment)
    steward.say("Again")
    await steward.ended()
    await steward.start()
    await steward.sees("And again.")
    steward.script(final("Once more."))
    steward.say("Once more")
    await steward.sees("Once more.")
    assert [shown.text for shown in steward.shown] == ["Hello, Ann.", "And again.", "Once more."]
    assert len(steward.records.stop_reasons) == 3


@pytest.mark.commands
@pytest.mark.parametrize("moment", ["before", "after"])
async def test_a_death_where_a_press_is_stored_runs_its_call_once(
    steward: Steward, moment: str
) -> None:
    fate = dying_at_arrivals(steward)
    steward.script(run("echo ran >> ran.txt"), final("Settled."))
    await steward.start()
    steward.say("Run it")
    card = await steward.card()
    await steward.recorded()
    await steward.way.listened()
    fate.write_text(moment)
    press = steward.press(card, APPROVE)
    await steward.ended()
    await steward.start()
    if moment == "before":
        steward.way.press_again_if_lost(press)
    await steward.sees("Settled.")
    assert (steward.workspace / "ran.txt").read_text() == "ran\n"


@_FLOWS_OWN
@pytest.mark.parametrize("after", [None, 1, 4], ids=["before the first byte", "begun", "mid-text"])
async def test_a_model_call_that_was_cut_is_made_again(steward: Steward, after: int | None) -> None:
    cut = Gate()
    steward.script(final("Half an answer").in_pieces(5).held(cut, after=after), final("Whole."))
    await steward.start()
    steward.say("Hello")
    await cut.arrived()
    await steward.restart()
    await steward.sees("Whole.")
    assert [message.text for message in steward.shown] == ["Whole."]
    assert steward.model.requests[0].body == steward.model.requests[1].body


@_FLOWS_OWN
async def test_a_reply_that_was_heard_but_not_stored_is_asked_for_again(
    steward: Steward,
) -> None:
    saying = Gate()
    steward.script(final("Heard to the end.").held(saying, after=1), final("Said again."))
    await steward.start(STEWARD_LOG_LEVEL="DEBUG")
    steward.say("Hello")
    await saying.arrived()
    with steward.records.locked():
        saying.release()
        await steward.eventually(lambda: "step Finish" in steward.output)
        await steward.kill()
    await steward.start()
    await steward.sees("Said again.")
    assert len(steward.shown) == 1


@_FLOWS_OWN
async def test_a_model_call_in_its_back_off_is_made_again(steward: Steward) -> None:
    steward.script(failure(429, retry_after=600), final("Patience."))
    await steward.start()
    steward.say("Hello")
    await steward.eventually(lambda: "again in 600" in steward.output)
    await steward.restart()
    await steward.sees("Patience.")


@_FLOWS_OWN
async def test_a_read_that_was_cut_is_run_again(steward: Steward) -> None:
    # A long search: the kill comes while it is at it.
    (steward.workspace / "long.txt").write_text("nothing of interest\n" * 1_500_000 + "needle\n")
    steward.script(thinking("Search.") + calls(tool("search_files", {"query": "needle"})))
    steward.script(final("Found it."))
    await steward.start()
    steward.say("Find the needle")
    await steward.eventually(lambda: steward.records.there and steward.records.open_calls)
    await steward.kill()
    assert len(steward.records.open_calls) == 1
    (steward.workspace / "long.txt").write_text("needle\n")
    await steward.start()
    await steward.sees("Found it.")
    assert "long.txt:1: needle" in only_result(steward, 2)


@_FLOWS_OWN
async def test_a_command_that_was_cut_is_never_run_again(steward: Steward) -> None:
    with Errand(steward.workspace) as errand:
        steward.script(run(errand.command), final("I looked: it ran once."))
        await steward.start()
        steward.say("Run my errand")
        steward.press(await steward.card(), APPROVE)
        await errand.begun()
        await steward.recorded()
        await steward.restart()
        await steward.sees("I looked: it ran once.")
        assert "It may have happened" in only_result(steward, 2)
        assert errand.runs == 1
    assert steward.records.results[0][1:] == ("failed", "outcome_unknown")


@_FLOWS_OWN
async def test_a_command_that_ended_without_a_stored_result_is_never_run_again(
    steward: Steward,
) -> None:
    with Errand(steward.workspace) as errand:
        steward.script(run(errand.command), final("I looked: it has ended."))
        await steward.start()
        steward.say("Run my errand")
        steward.press(await steward.card(), APPROVE)
        await errand.begun()
        with steward.records.locked():
            errand.release()
            await steward.eventually(lambda: errand.ends)
            await steward.kill()
        await steward.start()
        await steward.sees("I looked: it has ended.")
        assert "It may have happened" in only_result(steward, 2)
        assert (errand.runs, errand.ends) == (1, 1)


@_FLOWS_OWN
async def test_the_second_of_two_changes_was_cut_and_the_first_keeps_its_result(
    steward: Steward,
) -> None:
    with ExitStack() as stack:
        first, second = (
            stack.enter_context(Errand(steward.workspace, name)) for name in ("first", "second")
        )
        steward.script(run(first.command, second.command), final("One and a half."))
        await steward.start()
        steward.say("Run both")
        await steward.card(2)
        await steward.recorded()
        for card in steward.cards:
            steward.press(card, APPROVE)
        await first.begun()
        first.release()
        await second.begun()
        await steward.restart()
        await steward.sees("One and a half.")
        assert (first.runs, second.runs) == (1, 1)
    codes = [(status, code) for _, status, code in steward.records.results]
    assert codes == [("success", None), ("failed", "outcome_unknown")]


@_FLOWS_OWN
async def test_between_two_changes_the_open_card_of_the_second_still_works(
    steward: Steward,
) -> None:
    with ExitStack() as stack:
        first, second = (
            stack.enter_context(Errand(steward.workspace, name)) for name in ("first", "second")
        )
        steward.script(run(first.command, second.command), final("Both ran."))
        await steward.start()
        steward.say("Run both")
        await steward.card(2)
        await steward.recorded()
        steward.press(steward.cards[0], APPROVE)
        await first.begun()
        first.release()
        await steward.eventually(lambda: len(steward.records.results) == 1)
        await steward.recorded()
        await steward.restart()
        (card,) = steward.cards
        steward.press(card, APPROVE)
        await second.begun()
        second.release()
        await steward.sees("Both ran.")
        assert (first.runs, second.runs) == (1, 1)


@_FLOWS_OWN
async def test_an_approval_that_waits_for_an_earlier_card_is_kept(steward: Steward) -> None:
    with ExitStack() as stack:
        first, second = (
            stack.enter_context(Errand(steward.workspace, name)) for name in ("first", "second")
        )
        steward.script(run(first.command, second.command), final("In order."))
        await steward.start()
        steward.say("Run both")
        await steward.card(2)
        await steward.recorded()
        press = steward.press(steward.cards[1], APPROVE)
        assert "It runs when the cards before it" in await steward.notified(press)
        await steward.recorded()
        await steward.restart()
        assert second.runs == 0
        (card,) = steward.cards
        steward.press(card, APPROVE)
        await first.begun()
        first.release()
        await second.begun()
        second.release()
        await steward.sees("In order.")
        assert (first.runs, second.runs) == (1, 1)


async def test_a_card_that_was_owed_is_shown_once_and_works(steward: Steward) -> None:
    with Errand(steward.workspace) as errand:
        sending = steward.way.hold_message()
        steward.script(run(errand.command), final("It ran."))
        await steward.start()
        steward.say("Run my errand")
        await sending.arrived()
        await steward.restart()
        steward.press(await steward.card(), APPROVE)
        await errand.begun()
        errand.release()
        await steward.sees("It ran.")
        assert errand.runs == 1
    assert len(steward.showing("errand.txt")) == 1


async def test_a_card_that_was_shown_but_not_recorded_stands_once_and_runs_its_call_once(
    steward: Steward,
) -> None:
    with Errand(steward.workspace) as errand:
        sending = steward.way.hold_message(after_work=True)
        steward.script(run(errand.command), final("It ran."))
        await steward.start()
        steward.say("Run my errand")
        await sending.arrived()
        await steward.restart()
        await steward.recorded()
        (card,) = steward.cards
        steward.press(card, APPROVE)
        await errand.begun()
        errand.release()
        await steward.sees("It ran.")
        assert errand.runs == 1
        await steward.until(lambda: not steward.cards)
    assert len(steward.showing("errand.txt")) == 1


async def test_an_open_card_still_works_and_runs_its_call_once(steward: Steward) -> None:
    with Errand(steward.workspace) as errand:
        steward.script(run(errand.command), final("It ran."))
        await steward.start()
        steward.say("Run my errand")
        card = await steward.card()
        await steward.recorded()
        await steward.restart()
        presses = [steward.press(card, APPROVE) for _ in range(3)]
        await errand.begun()
        errand.release()
        await steward.sees("It ran.")
        await steward.counted(presses[0], APPROVED)
        for press in presses[1:]:
            assert DECIDED_ALREADY in await steward.notified(press)
        assert errand.runs == 1


async def test_a_press_that_was_fetched_but_not_stored_is_no_loss(steward: Steward) -> None:
    with Errand(steward.workspace) as errand:
        steward.script(run(errand.command), final("It ran."))
        await steward.start()
        steward.say("Run my errand")
        card = await steward.card()
        await steward.recorded()
        await steward.way.listened()
        with steward.records.locked():
            press = steward.press(card, APPROVE)
            await steward.way.delivered()
            await steward.kill()
        assert errand.runs == 0
        await steward.start()
        steward.way.press_again_if_lost(press)
        await errand.begun()
        errand.release()
        await steward.sees("It ran.")
        assert errand.runs == 1


@pytest.mark.telegrams_own("updates are confirmed")
async def test_a_press_that_was_stored_but_not_confirmed_runs_its_call_at_most_once(
    steward: Steward,
) -> None:
    steward.script(run("echo ran >> ran.txt"))
    # The program that is killed may have asked before, on a busy machine.
    steward.model.script.rule(lambda _: final("Settled."))
    await steward.start()
    steward.say("Run it")
    card = await steward.card()
    await steward.recorded()
    await steward.until(lambda: steward.telegram.updates.polling)
    confirming = steward.telegram.hold("getUpdates")
    steward.press(card, APPROVE)
    await confirming.arrived()
    await steward.restart()
    await steward.sees("Settled.")
    ran = steward.workspace / "ran.txt"
    status = steward.records.results[0][1]
    assert (ran.read_text() if ran.exists() else "") in ("", "ran\n")
    assert status == "failed" or ran.exists()


@_FLOWS_OWN
@pytest.mark.commands
async def test_a_card_set_aside_before_still_runs_its_call_and_tells_the_model(
    steward: Steward,
) -> None:
    with Errand(steward.workspace) as errand:
        steward.script(run(errand.command), final("Four."), final("The errand is done, too."))
        await steward.start()
        steward.say("Run my errand")
        card = await steward.card()
        steward.say("What is two and two?")
        await steward.sees("Four.")
        await steward.recorded()
        await steward.restart()
        steward.press(card, APPROVE)
        await errand.begun()
        errand.release()
        await steward.sees("The errand is done, too.")
        assert errand.runs == 1
    late = words_in(steward.model.requests[2])
    assert "[Late result] run_command" in late
    assert 'approved by "Ann"' in late
    assert "let go" in late


@_FLOWS_OWN
@pytest.mark.commands
async def test_a_late_call_that_was_cut_is_never_run_again(steward: Steward) -> None:
    with Errand(steward.workspace) as errand:
        steward.script(run(errand.command), final("Four."), final("I do not know."))
        await steward.start()
        steward.say("Run my errand")
        card = await steward.card()
        steward.say("What is two and two?")
        await steward.sees("Four.")
        steward.press(card, APPROVE)
        await errand.begun()
        await steward.recorded()
        await steward.restart()
        await steward.sees("I do not know.")
        assert errand.runs == 1
    late = words_in(steward.model.requests[2])
    assert "[Late result] run_command" in late
    assert "may have happened" in late


async def test_an_answer_that_was_owed_is_sent_once(steward: Steward) -> None:
    sending = steward.way.hold_message()
    steward.script(final("Here you are."))
    await steward.start()
    steward.say("Hello")
    await sending.arrived()
    await steward.restart()
    await steward.sees("Here you are.")
    await steward.recorded()
    assert len(steward.showing("Here you are.")) == 1


async def test_an_answer_that_was_sent_but_not_recorded_stands_once(
    steward: Steward,
) -> None:
    sending = steward.way.hold_message(after_work=True)
    steward.script(final("Here you are."), final("And again."))
    await steward.start()
    steward.say("Hello")
    await sending.arrived()
    await steward.restart()
    steward.say("Hello again")
    await steward.sees("And again.")
    assert len(steward.showing("Here you are.")) == 1
    assert len(steward.model.requests) == 2


@_FLOWS_OWN
async def test_a_queued_message_is_answered_after_the_one_before_it(steward: Steward) -> None:
    cut = Gate()
    steward.script(final("lost").held(cut), final("One."), final("Two."))
    await steward.start()
    steward.say("First")
    await cut.arrived()
    second = steward.say("Second")
    await steward.until(lambda: second.reactions)
    await steward.restart()
    await steward.sees("Two.")
    assert [message.text for message in steward.shown] == ["One.", "Two."]
    assert words_in(steward.model.requests[2]).startswith("Second")


@_FLOWS_OWN
async def test_a_steering_message_that_joined_stays_in_its_turn(steward: Steward) -> None:
    looking, cut = Gate(), Gate()
    look = thinking("Look.") + calls(tool("list_files"))
    steward.script(look.held(looking), final("lost").held(cut), final("In French."))
    await steward.start()
    steward.say("/queue steer")
    await steward.sees("joins what I am doing")
    steward.say("List my files")
    await looking.arrived()
    late = steward.say("in French, please")
    await steward.until(lambda: late.reactions)
    looking.release()
    await cut.arrived()
    await steward.restart()
    await steward.sees("In French.")
    assert "in French, please" in words_in(steward.model.requests[2])
    assert steward.records.stop_reasons == ["final_answer"]


@_FLOWS_OWN
async def test_all_chats_that_were_at_work_go_on(steward: Steward) -> None:
    people = [steward.person(number, f"P{number}") for number in (71, 72, 73)]
    cuts = [Gate() for _ in people]
    steward.script(*(final("lost").held(cut) for cut in cuts), *[final("Here.")] * len(people))
    await steward.start(STEWARD_ALLOWED=",".join(map(steward.account, people)))
    for person in people:
        steward.say("Hello", by=person)
    for cut in cuts:
        await cut.arrived()
    await steward.restart()
    for person in people:
        await steward.sees("Here.", at=person)
    assert [[shown.text for shown in steward.screen(one)] for one in people] == [["Here."]] * 3


async def test_a_stop_that_was_asked_for_is_carried_out_and_told(steward: Steward) -> None:
    cut = Gate()
    telling = steward.way.hold_message()
    steward.script(final("never").held(cut), final("Fresh."))
    await steward.start()
    steward.say("Think for long")
    await cut.arrived()
    steward.say("/stop")
    await telling.arrived()
    await steward.restart()
    await steward.sees(STOPPED)
    steward.say("Something new")
    await steward.sees("Fresh.")
    assert steward.records.stop_reasons == ["user_cancelled", "final_answer"]


@_FLOWS_OWN
async def test_a_compaction_that_was_cut_is_done_again(steward: Steward) -> None:
    cut = Gate()
    steward.script(final("One."), text("lost").held(cut), text("- Ann said hello"))
    steward.script(final("Two."))
    await steward.start()
    steward.say("Hello")
    await steward.sees("One.")
    steward.say("/compact")
    await cut.arrived()
    await steward.restart()
    await steward.sees(SUMMARISED)
    steward.say("And now?")
    await steward.sees("Two.")
    assert "- Ann said hello" in words_in(steward.model.requests[3])
    assert len(steward.records.bodies("summary")) == 1


@_FLOWS_OWN
async def test_a_conversation_whose_summary_was_cut_is_closed_once(steward: Steward) -> None:
    cut = Gate()
    steward.script(calls(tool("end_conversation")), final("Farewell!"), text("lost").held(cut))
    steward.script(text("- Ann said goodbye"), final("Who are you?"))
    await steward.start()
    steward.say("Goodbye")
    await cut.arrived()
    await steward.restart()
    await steward.sees("Farewell!")
    steward.say("Hello")
    await steward.sees("Who are you?")
    assert len(steward.showing("Farewell!")) == 1
    assert steward.records.rows("SELECT summary FROM conversation ORDER BY opened_at") == [
        ("- Ann said goodbye",),
        ("",),
    ]


async def test_a_message_of_a_tool_that_was_owed_is_sent_once(steward: Steward) -> None:
    sending = steward.way.hold_message()
    cut = Gate()
    news = calls(tool("send_message", {"message": "Still at it."}))
    steward.script(thinking("Tell them.") + news, final("lost").held(cut), final("Done."))
    await steward.start()
    steward.say("Take your time")
    await sending.arrived()
    await cut.arrived()
    await steward.restart()
    await steward.sees("Done.")
    await steward.recorded()
    assert [message.text for message in steward.shown] == ["Still at it.", "Done."]


@_FLOWS_OWN
async def test_twice_at_the_same_boundary_is_like_once(steward: Steward) -> None:
    steward.script(final("Here you are."))
    sending = steward.way.hold_message()
    await steward.start()
    steward.say("Hello")
    await sending.arrived()
    again = steward.way.hold_message()
    await steward.restart()
    await again.arrived()
    await steward.restart()
    await steward.sees("Here you are.")
    await steward.recorded()
    assert len(steward.shown) == 1


@_FLOWS_OWN
async def test_a_turn_that_takes_the_process_down_each_time_rests_and_the_chat_goes_on(
    steward: Steward,
) -> None:
    cuts = [Gate(), Gate(), Gate()]
    steward.script(*(final("lost").held(cut) for cut in cuts), final("Good."), final("At last."))
    await steward.start(STEWARD_COUNTED_AFTER_SECONDS=0.01)
    steward.say("A poisonous message")
    for number, cut in enumerate(cuts, start=1):
        await cut.arrived()
        await steward.eventually(lambda n=number: _failed_starts(steward) == n)
        await steward.restart()
    card = await steward.sees("I failed 3 times at “A poisonous message”.")
    steward.say("Are you well?")
    await steward.sees("Good.")
    assert steward.records.stop_reasons == [None, "final_answer"]
    await steward.restart()
    await steward.counted(steward.press(card, "🔁 Try now"), "Trying again.")
    await steward.sees("At last.")
    assert steward.records.stop_reasons == ["final_answer", "final_answer"]
    assert steward.cards == []


@_FLOWS_OWN
async def test_a_turn_that_fails_after_its_last_rest_is_closed_and_the_chat_goes_on(
    steward: Steward,
) -> None:
    cuts = [Gate(), Gate()]
    steward.script(*(final("lost").held(cut) for cut in cuts), final("Good again."))
    await steward.start(
        STEWARD_ATTEMPTS=1, STEWARD_COUNTED_AFTER_SECONDS=0.01, STEWARD_REST_MINUTES=0.001
    )
    steward.say("A poisonous message")
    for number, cut in enumerate(cuts, start=1):
        await cut.arrived()
        await steward.eventually(lambda n=number: _failed_starts(steward) == n)
        await steward.restart()
    await steward.sees("A fault of this program stopped me (2 failed starts).")
    steward.say("Are you well?")
    await steward.sees("Good again.")
    assert steward.records.stop_reasons == ["internal_failure", "final_answer"]


@_FLOWS_OWN
async def test_deaths_soon_after_the_start_never_count(steward: Steward) -> None:
    cuts = [Gate() for _ in range(4)]
    steward.script(*(final("lost").held(cut) for cut in cuts), final("At last."))
    await steward.start(STEWARD_COUNTED_AFTER_SECONDS=600)
    steward.say("A message in bad times")
    for life, cut in enumerate(cuts, start=1):
        await cut.arrived()
        await steward.restart()
        if life == 3:
            # Held back this time; that the program dies all the same clears the turn.
            await steward.eventually(lambda: steward.records.rows(_HELD_BACK))
            await steward.restart()
    await steward.sees("At last.")
    assert _failed_starts(steward) == 0
    assert steward.records.stop_reasons == ["final_answer"]


_HELD_BACK = "SELECT 1 FROM turn WHERE held_back"


def _failed_starts(steward: Steward) -> int:
    ((attempts,),) = steward.records.rows("SELECT attempts FROM turn")
    return attempts
