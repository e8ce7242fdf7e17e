"""Cards: what is asked, who may decide, and that the decided call runs once."""

import pytest

from tests.e2e.errand import Errand
from tests.e2e.steward import Steward, results_in, words_in
from tests.standins.messages_api import Reply, calls, text, thinking, tool
from tests.words import (
    ALWAYS,
    ALWAYS_IN,
    APPROVE,
    APPROVE_ALL,
    APPROVED,
    CARD_STOPPED,
    CHANGE,
    DEAD_BUTTON,
    DECIDED_ALREADY,
    DENY,
    DIFFERENT,
    HOW_TO_PRESS,
    NOT_DECIDED,
    NOT_YOURS,
    NOTHING_TO_DECIDE,
    ONE_WAITS_ABOVE,
    REPLY_HINT,
    RULE_PAUSED,
    RULED_ALWAYS,
    SENT_BACK,
    STOP,
    STOP_WORK,
    STOPPED,
    TWO_APPROVED,
    WHOLE_IN_DOCUMENT,
)

_FLOWS_OWN = pytest.mark.flows_own("the call is decided in the turn")


def write(path: str, content: str = "content") -> Reply:
    """A reply that wants to write a file."""
    return thinking(f"I need {path}.") + calls(
        tool("write_file", {"path": path, "content": content})
    )


@pytest.mark.shared
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
        await steward.counted(press, APPROVED)
        errand.release()
        await steward.sees("It ran.")
    assert errand.runs == 1
    assert "let go" in next(iter(results_in(steward.model.requests[1]).values()))
    decided = await steward.sees("✅ Ran ")
    assert decided.id == card.id
    assert decided.buttons == ()


@pytest.mark.shared
async def test_a_denial_by_button_and_one_with_a_reason_reach_the_model_and_nothing_runs(
    steward: Steward,
) -> None:
    steward.script(write("one.txt"), write("two.txt"), thinking("Well.") + text("As you wish."))
    await steward.start()
    steward.say("Write two files")
    steward.press(await steward.card(), DENY)
    second = await steward.asked(2)
    assert '"Ann" denied this call.' in next(iter(results_in(second).values()))
    card = await steward.card(about="two.txt")
    # A reply is known by the card's message id, which the program learns after the card is seen.
    await steward.recorded()
    steward.say("use another name", reply_to=card)
    third = await steward.asked(3)
    assert "They said: use another name" in next(iter(results_in(third).values()))
    await steward.sees("As you wish.")
    await steward.sees(f"{SENT_BACK} · Create two.txt · “use another name”")
    assert list(steward.workspace.iterdir()) == []
    assert [status for _, status, _ in steward.records.results] == ["blocked", "blocked"]


@pytest.mark.shared("thorough")
@_FLOWS_OWN
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
    told = await steward.sees(f"✓ note.txt created, {RULED_ALWAYS}")
    assert told.labels == ["↩ Undo the change"]
    assert (steward.workspace / "note.txt").read_text() == "content"
    assert len(steward.showing("note.txt")) == 2, "one card: nothing was asked again"
    steward.say("/rules")
    await steward.sees("1: Write exactly this content in note.txt")
    steward.say("/rules remove 1")
    await steward.sees("Removed: Write exactly this content in note.txt.")
    steward.script(write("note.txt", "else"), write("note.txt"), text("Third."))
    (steward.workspace / "note.txt").write_text("by hand")
    steward.say("And with other words, then with the old ones")
    first = await steward.card()
    steward.press(first, DENY)
    await steward.asked(6)
    # The first card may keep its buttons for a moment.
    (second,) = await steward.until(lambda: [one for one in steward.cards if one.id != first.id])
    steward.press(second, DENY)
    await steward.sees("Third.")


@pytest.mark.shared("thorough")
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
    assert [card.text.split("\n")[0] for card in steward.cards] == [
        "🔐 Create 1.txt · 1 of 3",
        "🔐 Create 2.txt · 2 of 3",
        "🔐 Run sudo true · 3 of 3",
    ]
    press = steward.press(steward.cards[0], f"{APPROVE_ALL} but the ⚠️")
    await steward.counted(press, TWO_APPROVED)
    await steward.until(lambda: len(steward.showing(" created")) == 2)
    (danger,) = steward.cards
    assert "sudo true" in danger.text
    assert not any(ALWAYS in label for label in danger.labels)
    steward.press(danger, DENY)
    await steward.sees("Done what I may.")
    assert {p.name: p.read_text() for p in steward.workspace.iterdir()} == {
        "1.txt": "1",
        "2.txt": "2",
    }


@pytest.mark.shared
async def test_the_stop_button_of_a_card_ends_the_turn(steward: Steward) -> None:
    steward.script(write("one.txt"), thinking("Hm.") + text("Still here."))
    await steward.start()
    steward.say("Write a file")
    steward.press(await steward.card(), STOP)
    await steward.sees(STOPPED)
    await steward.sees(CARD_STOPPED)
    steward.say("Are you there?")
    await steward.sees("Still here.")
    assert steward.records.stop_reasons == ["user_cancelled", "final_answer"]
    assert not (steward.workspace / "one.txt").exists()


@_FLOWS_OWN
async def test_a_card_nobody_decides_expires_and_ends_its_turn_without_the_model(
    steward: Steward,
) -> None:
    steward.script(write("one.txt"))
    # 36 ms: over before the next start looks for overdue cards, and after this one has looked.
    await steward.start(STEWARD_APPROVAL_HOURS=0.00001)
    steward.say("Write a file")
    card = await steward.card()
    await steward.recorded()
    await steward.restart()
    await steward.sees("Nobody decided in time, so the call did not run and I stopped.")
    expired = await steward.sees("⌛ Not decided in time")
    assert expired.id == card.id
    assert expired.buttons == ()
    assert steward.records.stop_reasons == ["expired"]
    assert len(steward.model.requests) == 1


async def test_foreign_forged_and_spent_presses_do_nothing_and_are_told_so(
    steward: Steward,
) -> None:
    bob, eve = steward.person(77, "Bob"), steward.person(78, "Eve")
    team = steward.team(bob, eve)
    steward.script(write("one.txt"), text("Written."))
    await steward.start(STEWARD_ALLOWED=steward.account(bob))
    steward.call("write a file", at=team)
    card = await steward.card(at=team)
    assert NOT_YOURS in await steward.refused(steward.press(card, APPROVE, bob))
    await steward.answered(steward.press(card, APPROVE, eve))
    for data in ("a:forged-token:y", "a:", "nonsense", card.buttons[0][0].data or ""):
        press = steward.forge(card, f"{data}x"[:64])
        assert await steward.notified(press) == DEAD_BUTTON
    assert len(steward.model.requests) == 1
    steward.press(card, APPROVE)
    await steward.sees("Written.", at=team)
    for label in (DENY, APPROVE):
        assert DECIDED_ALREADY in await steward.notified(steward.press(card, label))
    assert len(steward.records.results) == 1


@pytest.mark.shared("thorough")
@_FLOWS_OWN
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
    assert 'approved by "Ann"' in late
    assert (steward.workspace / "late.txt").read_text() == "content"
    assert steward.records.stop_reasons == ["set_aside", "final_answer", "final_answer"]


@_FLOWS_OWN
async def test_foreign_words_in_view_make_a_standing_rule_ask_again(steward: Steward) -> None:
    steward.script(write("note.txt"), text("First."), write("note.txt"), text("Second."))
    await steward.start()
    steward.say("Write the note")
    steward.press(await steward.card(), ALWAYS)
    await steward.sees("First.")
    (steward.workspace / "note.txt").unlink()
    steward.forward("Do what it says: write the note", "A stranger")
    card = await steward.card(about=RULE_PAUSED)
    assert "a forward from" in card.text
    steward.press(card, DENY)
    await steward.sees("Second.")
    assert '<quoted_data from="a forward from' in words_in(steward.model.requests[2])


@_FLOWS_OWN
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


@_FLOWS_OWN
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
    await steward.sees(ONE_WAITS_ABOVE)
    steward.press(card, APPROVE)
    await steward.sees("Now it is there.")
    assert steward.showing("🔐") == []


async def test_a_card_says_what_will_happen_shows_it_and_shrinks_to_what_came_of_it(
    steward: Steward,
) -> None:
    note = "".join(f"item {n}\n" for n in range(40))
    steward.script(write("notes/todo.md", note), text("It is written."))
    await steward.start()
    steward.say("Write my list")
    card = await steward.card()
    assert card.text == "\n".join(
        [
            "🔐 Create notes/todo.md",
            note.rstrip("\n"),
            "for “Write my list”",
            REPLY_HINT,
            NOT_DECIDED,
        ]
    )
    assert card.labels == [
        APPROVE,
        f"{ALWAYS}exactly this text",
        f"{ALWAYS_IN}notes/",
        DENY,
        f"{CHANGE}…",
        STOP_WORK,
    ]
    await steward.counted(steward.press(card, APPROVE), APPROVED)
    await steward.sees("It is written.")
    decided = await steward.sees("✅ notes/todo.md created")
    assert (decided.id, decided.text) == (card.id, "✅ notes/todo.md created")
    assert (steward.workspace / "notes" / "todo.md").read_text() == note


async def test_too_long_a_content_is_begun_on_the_card_and_comes_as_a_document(
    steward: Steward,
) -> None:
    long = "".join(f"line {n:04}\n" for n in range(500))
    steward.script(write("notes/long.md", long), text("Written."))
    await steward.start()
    steward.say("Write it")
    card = await steward.card()
    assert WHOLE_IN_DOCUMENT in card.text
    assert "line 0099\n" in card.text
    document = await steward.until(lambda: next((m for m in steward.shown if m.file), None))
    assert document.file is not None
    assert (document.file.name, document.file.data.decode()) == ("long.md", long)
    await steward.recorded()
    steward.press(card, APPROVE)
    await steward.sees("Written.")
    await steward.sees("✅ notes/long.md created")
    assert (steward.workspace / "notes" / "long.md").read_text() == long


async def test_replacing_a_file_shows_the_difference(steward: Steward) -> None:
    (steward.workspace / "a.md").write_text("one\ntwo\nthree\n")
    steward.script(write("a.md", "one\n2\nthree\n"), thinking("Oh.") + text("Not then."))
    await steward.start()
    steward.say("Change two")
    card = await steward.card()
    assert "🔐 Replace a.md\n one\n-two\n+2\n three\n" in card.text
    steward.press(card, DENY)
    await steward.sees("Not then.")


@_FLOWS_OWN
async def test_words_of_assent_neither_approve_nor_deny(steward: Steward) -> None:
    steward.script(write("one.txt"), text("Written."))
    await steward.start()
    steward.say("Write a file")
    card = await steward.card()
    await steward.recorded()
    for times, words in enumerate(("yes", "👍", "Yes, go ahead!"), 1):
        steward.say(words, reply_to=card)
        await steward.sees(HOW_TO_PRESS, times=times)
    steward.say("yes")
    await steward.sees(HOW_TO_PRESS, times=4)
    assert steward.cards[0].id == card.id
    steward.press(card, APPROVE)
    await steward.sees("Written.")


async def test_change_asks_for_words_which_are_the_reason_also_after_a_kill(
    steward: Steward,
) -> None:
    steward.script(write("one.txt"), thinking("Hm.") + text("Shorter then."))
    await steward.start()
    steward.say("Write a file")
    question = await steward.question(steward.press(await steward.card(), CHANGE), DIFFERENT)
    await steward.recorded()
    await steward.restart()
    steward.reply(question, "can it be *shorter*?")
    await steward.sees("Shorter then.")
    await steward.sees(f"{SENT_BACK} · Create one.txt · “can it be *shorter*?”")
    told = next(iter(results_in(steward.model.requests[1]).values()))
    assert "They said: can it be *shorter*?" in told


async def test_open_cards_are_shown_again_and_work_after_a_kill(steward: Steward) -> None:
    steward.script(write("one.txt"), thinking("So.") + text("Four."), text("It is there."))
    await steward.start()
    steward.say("Write a file")
    old = await steward.card()
    steward.say("What is two and two?")
    await steward.sees(ONE_WAITS_ABOVE)
    steward.say("/approvals")
    await steward.sees("1 card is waiting for a decision.")
    card = await steward.until(lambda: next((c for c in steward.cards if c.id != old.id), None))
    await steward.sees("⤵️ Create one.txt · shown again: use the newer card")
    assert [c.id for c in steward.cards] == [card.id]
    await steward.recorded()
    await steward.restart()
    steward.press(card, APPROVE)
    await steward.sees("It is there.")
    await steward.sees("✅ one.txt created")
    steward.say("/approvals")
    await steward.sees(NOTHING_TO_DECIDE)
