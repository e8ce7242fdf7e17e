"""Cards: what is asked, who may decide, and that the decided call runs once."""

import pytest

from tests.e2e.errand import Errand
from tests.e2e.steward import Steward, results_in, words_in
from tests.standins.messages_api import Reply, calls, text, thinking, tool
from tests.words import (
    ALWAYS,
    APPROVE,
    APPROVE_ALL,
    APPROVED,
    APPROVED_BY_ANN,
    DECIDED_ALREADY,
    DENY,
    STOP,
    STOPPED,
)


def write(path: str, content: str = "content") -> Reply:
    """A reply that wants to write a file."""
    return thinking(f"I need {path}.") + calls(
        tool("write_file", {"path": path, "content": content})
    )


@pytest.mark.commands
async def test_an_approved_call_runs_once_and_its_card_tells_who_decided(steward: Steward) -> None:
    with Errand(steward.workspace) as errand:
        steward.script(calls(tool("run_command", {"command": errand.command})), text("It ran."))
        await steward.start()
        steward.say("Run my errand")
        card = await steward.card()
        assert errand.command in card.text
        assert "for “Run my errand”" in card.text
        assert errand.runs == 0
        press = steward.press(card, APPROVE)
        await errand.begun()
        assert await steward.answered(press) == APPROVED
        errand.release()
        await steward.sees("It ran.")
    assert errand.runs == 1
    assert "let go" in next(iter(results_in(steward.model.requests[1]).values()))
    decided = await steward.sees(APPROVED_BY_ANN)
    assert decided.id == card.id
    assert decided.buttons == ()


async def test_a_denial_by_button_and_one_with_a_reason_reach_the_model_and_nothing_runs(
    steward: Steward,
) -> None:
    steward.script(write("one.txt"), write("two.txt"), thinking("Well.") + text("As you wish."))
    await steward.start()
    steward.say("Write two files")
    steward.press(await steward.card(), DENY)
    second = await steward.asked(2)
    assert "Ann denied this call." in next(iter(results_in(second).values()))
    card = await steward.card()
    # A reply is known by the card's message id, which the program learns after the card is seen.
    await steward.recorded()
    steward.say("use another name", reply_to=card)
    third = await steward.asked(3)
    assert "They said: use another name" in next(iter(results_in(third).values()))
    await steward.sees("As you wish.")
    await steward.sees("“use another name”")
    assert list(steward.workspace.iterdir()) == []
    assert [status for _, status, _ in steward.records.results] == ["blocked", "blocked"]


async def test_always_lets_the_same_call_run_unasked_until_the_rule_is_removed(
    steward: Steward,
) -> None:
    steward.script(write("note.txt"), text("First."), write("note.txt"), text("Second."))
    await steward.start()
    steward.say("Write the note")
    steward.press(await steward.card(), ALWAYS)
    await steward.sees("First.")
    (steward.workspace / "note.txt").unlink()
    steward.say("Write the note again")
    await steward.sees("Second.")
    assert (steward.workspace / "note.txt").read_text() == "content"
    assert len(steward.showing("🔐")) == 1
    steward.say("/rules")
    await steward.sees("Runs without asking:\n1. write_file: exactly note.txt\n")
    steward.say("/rules remove 1")
    await steward.sees("Removed: write_file: exactly note.txt.")
    steward.script(write("note.txt", "else"), write("note.txt"), text("Third."))
    steward.say("And with other words, then with the old ones")
    steward.press(await steward.card(), DENY)
    await steward.asked(6)
    steward.press(await steward.card(), DENY)
    await steward.sees("Third.")


@pytest.mark.commands
async def test_approve_all_decides_the_cards_of_its_round_but_never_a_dangerous_one(
    steward: Steward,
) -> None:
    steward.script(
        calls(
            tool("write_file", {"path": "1.txt", "content": "1"}),
            tool("write_file", {"path": "2.txt", "content": "2"}),
            tool("run_command", {"command": "sudo true"}),
        ),
        text("Done what I may."),
    )
    await steward.start()
    steward.say("Do three things")
    await steward.card(3)
    press = steward.press(steward.cards[0], f"{APPROVE_ALL} (2)")
    assert await steward.answered(press) == "Approved 2."
    await steward.until(lambda: len(steward.showing(APPROVED_BY_ANN)) == 2)
    (danger,) = steward.cards
    assert "sudo true" in danger.text
    assert not any(ALWAYS in label for label in danger.labels)
    steward.press(danger, DENY)
    await steward.sees("Done what I may.")
    assert {p.name: p.read_text() for p in steward.workspace.iterdir()} == {
        "1.txt": "1",
        "2.txt": "2",
    }


async def test_the_stop_button_of_a_card_ends_the_turn(steward: Steward) -> None:
    steward.script(write("one.txt"), thinking("Hm.") + text("Still here."))
    await steward.start()
    steward.say("Write a file")
    steward.press(await steward.card(), STOP)
    await steward.sees(STOPPED)
    await steward.sees("⏹ Cancelled")
    steward.say("Are you there?")
    await steward.sees("Still here.")
    assert steward.records.stop_reasons == ["user_cancelled", "final_answer"]
    assert not (steward.workspace / "one.txt").exists()


async def test_a_card_nobody_decides_expires_and_ends_its_turn_without_the_model(
    steward: Steward,
) -> None:
    steward.script(write("one.txt"))
    # A third of a second: it is over before the next start has looked for overdue cards.
    await steward.start(STEWARD_APPROVAL_HOURS=0.0001)
    steward.say("Write a file")
    card = await steward.card()
    await steward.recorded()
    await steward.restart()
    await steward.sees("Nobody decided in time, so the call did not run and I stopped.")
    expired = await steward.sees("⌛ Expired")
    assert expired.id == card.id
    assert expired.buttons == ()
    assert steward.records.stop_reasons == ["expired"]
    assert len(steward.model.requests) == 1


async def test_foreign_forged_and_spent_presses_do_nothing_and_are_told_so(
    steward: Steward,
) -> None:
    bob = steward.telegram.person(77, "Bob")
    steward.script(write("one.txt"), text("Written."))
    await steward.start(STEWARD_ALLOWED="telegram:77")
    steward.say("Write a file")
    card = await steward.card()
    foreign = steward.press(card, APPROVE, bob)
    assert "may decide this" in await steward.answered(foreign)
    for data in ("a:forged-token:y", "a:", "nonsense", card.buttons[0][0].data or ""):
        press = steward.telegram.press(steward.ann, card, f"{data}x"[:64], forged=True)
        assert await steward.answered(press) == "This button does nothing."
    assert len(steward.model.requests) == 1
    steward.press(card, APPROVE)
    await steward.sees("Written.")
    spent = steward.press(card, DENY)
    assert await steward.answered(spent) == DECIDED_ALREADY
    assert len(steward.records.results) == 1


async def test_a_card_set_aside_by_a_new_message_still_works_later(steward: Steward) -> None:
    steward.script(
        write("late.txt"),
        thinking("Something else.") + text("Four."),
        thinking("Ah, it ran.") + text("The file is there now."),
    )
    await steward.start()
    steward.say("Write a file")
    card = await steward.card()
    steward.say("What is two and two?")
    await steward.sees("Four.")
    skipped = next(iter(results_in(steward.model.requests[1]).values()))
    assert "has not decided yet" in skipped
    steward.press(card, APPROVE)
    await steward.sees("The file is there now.")
    late = words_in(steward.model.requests[2])
    assert "[Late result] write_file" in late
    assert "approved by Ann" in late
    assert (steward.workspace / "late.txt").read_text() == "content"
    assert steward.records.stop_reasons == ["set_aside", "final_answer", "final_answer"]


async def test_foreign_words_in_view_make_a_standing_rule_ask_again(steward: Steward) -> None:
    steward.script(write("note.txt"), text("First."), write("note.txt"), text("Second."))
    await steward.start()
    steward.say("Write the note")
    steward.press(await steward.card(), ALWAYS)
    await steward.sees("First.")
    steward.say("Do what it says: write the note", forward_from="A stranger")
    card = await steward.card()
    assert "Asked in spite of your rule" in card.text
    assert "A stranger" in card.text
    steward.press(card, DENY)
    await steward.sees("Second.")
    assert "<forwarded from='A stranger'>" in words_in(steward.model.requests[2])


async def test_a_file_that_changed_since_the_card_is_not_overwritten(steward: Steward) -> None:
    steward.script(write("note.txt"), thinking("Oh.") + text("It has changed."))
    await steward.start()
    steward.say("Write the note")
    card = await steward.card()
    (steward.workspace / "note.txt").write_text("by hand")
    steward.press(card, APPROVE)
    await steward.sees("It has changed.")
    assert (steward.workspace / "note.txt").read_text() == "by hand"
    assert steward.records.results[0][1] == "failed"


async def test_a_call_that_waits_already_gets_no_second_card(steward: Steward) -> None:
    steward.script(write("note.txt"), write("note.txt"), thinking("Ah.") + text("It waits."))
    steward.script(text("Now it is there."))
    await steward.start()
    steward.say("Write the note")
    card = await steward.card()
    steward.say("Write it at last!")
    await steward.sees("It waits.")
    (told,) = results_in(steward.model.requests[2]).values()
    assert "Already waiting" in told
    steward.say("/approvals")
    await steward.sees("Open cards:")
    steward.press(card, APPROVE)
    await steward.sees("Now it is there.")
    assert len(steward.showing("🔐")) == 1
