"""Plans in the real process: one card, one execution of each step, whatever happens in between."""

import pytest

from tests.e2e.errand import Errand
from tests.e2e.planning import (
    edits_may_repeat,
    files,
    offering,
    recorded,
    said,
    steps,
    submit,
    write,
)
from tests.e2e.steward import Steward, results_in, words_in
from tests.standins.messages_api import Gate, calls, thinking, tool
from tests.words import (
    APPROVE,
    APPROVED,
    CANCEL,
    CHANGE,
    DANGEROUS_STEP,
    DECIDED_ALREADY,
    DENY,
    DIFFERENT,
    FIRST_STEP_FAILED,
    NO_PLAN,
    NOT_FINISHED,
    OUTCOME_UNKNOWN,
    PLAN_ENDED,
    REPLACE,
    REPLACED,
    RESUME,
    RETRY,
    REVISED,
    SKIP,
    STOP,
)

_FLOWS_OWN = pytest.mark.flows_own("a plan's progress is rows of the store")


@pytest.mark.shared
async def test_a_plan_is_collected_approved_and_carried_out(steward: Steward) -> None:
    (steward.workspace / "notes.md").write_text("Monday: rain")
    steward.script(
        thinking("A look.") + calls(tool("read_file", {"path": "notes.md"})),
        write("one.md", "two.md"),
        submit(),
        write("one.md"),
        write("two.md"),
        said("Both are there."),
    )
    await steward.start()
    steward.say("/plan sum up my notes in two files")
    card = await steward.card()
    assert "📋 Two files · 2 steps" in card.text
    assert "1. Create one.md" in card.text
    assert files(steward) == {"notes.md"}
    first = steward.model.requests[0]
    assert "sum up my notes in two files" in words_in(first)
    assert "[Plan mode]" in words_in(first)
    assert all("did not run" in told for told in results_in(steward.model.requests[2]).values())
    press = steward.press(card, APPROVE)
    await steward.counted(press, APPROVED)
    await steward.sees("Both are there.")
    await steward.sees(PLAN_ENDED)
    done = await steward.sees("2 of 2 steps done")
    assert done.id == card.id
    assert "✓ 1. Create one.md" in done.text
    assert done.buttons == ()
    assert files(steward) == {"notes.md", "one.md", "two.md"}
    assert "[Plan approved]" in words_in(steward.model.requests[3])
    assert steward.records.rows("SELECT count(*) FROM approval") == [(0,)]
    assert steward.records.stop_reasons == ["plan_ready", "final_answer"]


@_FLOWS_OWN
@pytest.mark.commands
async def test_what_is_not_in_the_plan_asks_and_a_dangerous_step_asks_again(
    steward: Steward,
) -> None:
    danger = calls(tool("run_command", {"command": "sudo -n true"}))
    steward.script(
        write("one.md") + danger,
        said("That is the plan."),
        write("other.md"),
        danger,
        said("Nothing of it."),
    )
    await steward.start()
    steward.say("/plan do things")
    card = await steward.card()
    assert "2. ⚠️ Run " in card.text
    steward.press(card, APPROVE)
    other = (await steward.until(lambda: [c for c in steward.cards if "other.md" in c.text]))[0]
    steward.press(other, DENY)
    again = (
        await steward.until(
            lambda: [c for c in steward.cards if DANGEROUS_STEP in c.text and c.id != card.id]
        )
    )[0]
    steward.press(again, DENY)
    await steward.sees("Nothing of it.")
    await steward.sees(NOT_FINISHED)
    assert files(steward) == set()


@_FLOWS_OWN
async def test_double_presses_and_old_cards_do_nothing_twice(steward: Steward) -> None:
    steward.script(
        write("one.md"),
        said("The plan."),
        write("two.md"),
        said("The other plan."),
        write("two.md"),
        said("Done."),
    )
    await steward.start()
    steward.say("/plan one file")
    old = await steward.card()
    await steward.recorded()
    steward.say("call it two.md", reply_to=old)
    await steward.sees(REVISED)
    card = await steward.until(lambda: next((c for c in steward.cards if c.id != old.id), None))
    assert "revision 2" in card.text
    stale = steward.press(old, APPROVE)
    assert "out of date" in await steward.notified(stale)
    presses = [steward.press(card, APPROVE) for _ in range(3)]
    await steward.counted(presses[0], APPROVED)
    for press in presses[1:]:
        assert await steward.notified(press) == f"{DECIDED_ALREADY}: approved by Ann."
    await steward.sees("Done.")
    assert files(steward) == {"two.md"}
    assert steward.records.stop_reasons == ["plan_ready", "plan_ready", "final_answer"]


@pytest.mark.shared
async def test_change_and_cancel_by_button(steward: Steward) -> None:
    steward.script(write("one.md"), said("The plan."), write("two.md"), submit("Two"))
    await steward.start()
    steward.say("/plan one file")
    card = await steward.card()
    question = await steward.question(steward.press(card, CHANGE), DIFFERENT)
    await steward.recorded()
    steward.reply(question, "two.md instead")
    again = await steward.until(lambda: next((c for c in steward.cards if c.id != card.id), None))
    cancelled = steward.press(again, CANCEL)
    await steward.counted(cancelled, "Cancelled.")
    await steward.sees("🗑 Cancelled, nothing was done · Two")
    assert files(steward) == set()
    steward.say("/plan status")
    await steward.sees(NO_PLAN)


@_FLOWS_OWN
async def test_a_failed_step_is_tried_again_or_left_out(steward: Steward) -> None:
    (steward.workspace / "taken").mkdir()
    edit = tool("edit_file", {"path": "a.md", "old_text": "x", "new_text": "y"})
    steward.script(
        thinking("Edit.")
        + calls(edit)
        + calls(tool("write_file", {"path": "b.md", "content": "b"})),
        said("The plan."),
        thinking("Edit.") + calls(edit),
        thinking("Edit.") + calls(edit),
        calls(tool("write_file", {"path": "b.md", "content": "b"})),
        said("One of two."),
    )
    await steward.start()
    steward.say("/plan edit a.md, write b.md")
    card = await steward.card()
    assert "Arguments" not in card.text
    assert "1. Edit a.md\n⚠️ This would fail now — a.md: there is no" in card.text
    steward.press(card, APPROVE)
    await steward.sees(FIRST_STEP_FAILED)
    steward.press(await offering(steward, RETRY), RETRY)
    await steward.sees(FIRST_STEP_FAILED, times=2)
    steward.press(await offering(steward, SKIP), SKIP)
    await steward.sees("One of two.")
    card = await steward.sees("✅ Done, 1 step skipped")
    assert "⏭ 1. Edit a.md — skipped; " in card.text
    assert files(steward) == {"taken", "b.md"}


@_FLOWS_OWN
async def test_killed_while_collecting_it_goes_on_and_records_nothing_twice(
    steward: Steward,
) -> None:
    lost = Gate()
    steward.script(write("one.md"), said("lost").held(lost), write("two.md"), submit())
    await steward.start()
    steward.say("/plan two files")
    await lost.arrived()
    await steward.restart()
    card = await steward.card()
    assert "📋 Two files · 2 steps" in card.text
    assert steps(steward) == ["open", "open"]
    assert len(steward.showing("📋")) == 1


@_FLOWS_OWN
async def test_killed_while_finalising_there_is_one_card(steward: Steward) -> None:
    saying = Gate()
    steward.script(
        write("one.md"), said("The plan.").held(saying, after=1), said("The plan again.")
    )
    await steward.start(STEWARD_LOG_LEVEL="DEBUG")
    steward.say("/plan one file")
    await saying.arrived()
    with steward.records.locked():
        saying.release()
        await steward.eventually(lambda: "step Finish" in steward.output)
        await steward.kill()
    await steward.start()
    await steward.sees("The plan again.")
    await steward.card()
    assert len(steward.showing("📋")) == 1
    assert recorded(steward, "plan.ready") == 1


@_FLOWS_OWN
async def test_killed_while_executing_it_goes_on_at_the_open_step(steward: Steward) -> None:
    edits_may_repeat(steward)
    lost = Gate()
    steward.script(
        write("one.md", "two.md"),
        said("The plan."),
        write("one.md"),
        said("lost").held(lost),
        write("two.md"),
        said("Both."),
    )
    await steward.start()
    steward.say("/plan two files")
    steward.press(await steward.card(), APPROVE)
    await lost.arrived()
    (steward.workspace / "one.md").write_text("changed by hand since")
    # Killed between the edit of the card and its record, it makes the edit again.
    steward.foreseen.append("message is not modified")
    await steward.restart()
    await steward.sees("Both.")
    await steward.sees("2 of 2 steps done")
    assert (steward.workspace / "one.md").read_text() == "changed by hand since"
    assert (steward.workspace / "two.md").read_text() == "two.md"


@_FLOWS_OWN
@pytest.mark.commands
async def test_killed_in_a_step_its_outcome_is_unknown_and_a_person_says_how_to_go_on(
    steward: Steward,
) -> None:
    edits_may_repeat(steward)
    with Errand(steward.workspace) as errand:
        # A grave command, so that it asks again with a sandbox and without one.
        command = f"{errand.command}; sudo -n true"
        run = calls(tool("run_command", {"command": command}))
        steward.script(run, said("The plan."), run)
        await steward.start()
        steward.say("/plan run my errand")
        card = await steward.card()
        steward.press(card, APPROVE)
        again = await steward.until(
            lambda: next((c for c in steward.cards if c.id != card.id), None)
        )
        steward.press(again, APPROVE)
        await errand.begun()
        await steward.recorded()
        await steward.restart()
        await steward.sees(OUTCOME_UNKNOWN)
        await steward.sees(FIRST_STEP_FAILED)
        await steward.restart()
        stop = steward.press(await offering(steward, STOP), STOP)
        await steward.counted(stop, "Stopped.")
        await steward.sees("⏹ Stopped, partly done")
        assert errand.runs == 1


@_FLOWS_OWN
async def test_killed_between_a_press_and_its_turn_the_plan_is_carried_out_once(
    steward: Steward,
) -> None:
    steward.script(write("one.md"), said("The plan."), write("one.md"), said("Done."))
    await steward.start()
    steward.say("/plan one file")
    card = await steward.card()
    await steward.recorded()
    await steward.way.listened()
    with steward.records.locked():
        press = steward.press(card, APPROVE)
        await steward.way.delivered()
        await steward.kill()
    await steward.start()
    steward.way.press_again_if_lost(press)
    await steward.sees("Done.")
    assert files(steward) == {"one.md"}
    assert steward.records.stop_reasons == ["plan_ready", "final_answer"]


@_FLOWS_OWN
async def test_a_failed_step_outlives_a_kill_and_its_buttons_work(steward: Steward) -> None:
    edits_may_repeat(steward)
    edit = thinking("Edit.") + calls(
        tool("edit_file", {"path": "a.md", "old_text": "x", "new_text": "y"})
    )
    steward.script(edit, said("The plan."), edit, edit, said("It is edited."))
    await steward.start()
    steward.say("/plan edit a.md")
    steward.press(await steward.card(), APPROVE)
    await steward.sees(FIRST_STEP_FAILED)
    await steward.restart()
    (steward.workspace / "a.md").write_text("x")
    steward.press(await offering(steward, RETRY), RETRY)
    await steward.sees("It is edited.")
    assert (steward.workspace / "a.md").read_text() == "y"


@_FLOWS_OWN
@pytest.mark.commands
async def test_a_message_while_a_step_asks_sets_it_aside_until_it_is_resumed(
    steward: Steward,
) -> None:
    danger = calls(tool("run_command", {"command": "sudo -n true"}))
    steward.script(danger, said("The plan."), danger, said("Four."), danger, said("Not done."))
    await steward.start()
    steward.say("/plan become root")
    card = await steward.card()
    steward.press(card, APPROVE)
    await steward.sees(DANGEROUS_STEP)
    steward.say("What is two and two?")
    await steward.sees("Four.")
    steward.press(await offering(steward, RESUME), RESUME)
    again = await steward.until(lambda: next((c for c in steward.cards if c.id != card.id), None))
    steward.press(again, DENY)
    await steward.sees("Not done.")
    await steward.sees("None of its steps ran.")


@_FLOWS_OWN
async def test_a_plan_is_saved_as_a_template_and_used_again(steward: Steward) -> None:
    steward.script(
        write("one.md"),
        submit("One file"),
        write("one.md"),
        submit("Once more"),
        write("report.md"),
        submit("Report"),
    )
    await steward.start()
    steward.say("/plan one file")
    card = await steward.card()
    (plan,) = [name for (name,) in steward.records.rows("SELECT id FROM plan")]
    steward.say(f"/plan save {plan} ../one")
    await steward.sees("small letters and digits")
    steward.say(f"/plan save {plan} one-file")
    await steward.sees("Saved “One file” as plans/one-file.md")
    kept = (steward.home / "plans" / "one-file.md").read_text()
    assert "name: one-file" in kept
    steward.say("/plan use one-file")
    await steward.sees("There is a plan already")
    steward.press(card, CANCEL)
    await steward.sees("🗑 Cancelled")
    steward.say("/plan use one-file")
    again = await steward.sees("📋 Once more")
    assert '"content": "one.md"' in words_in(steward.model.requests[2])
    steward.press(again, CANCEL)
    await steward.sees("🗑 Cancelled", times=2)
    (steward.home / "plans" / "odd.md").write_text("---\nname: odd\n")
    steward.say("/plan use")
    await steward.sees("broken: plans/odd.md:2")
    steward.say("/plan use weekly-report notes")
    await steward.sees("📋 Report")
    assert "read all notes of the last seven days in `notes`" in words_in(steward.model.requests[4])


@_FLOWS_OWN
async def test_the_weekly_report_is_planned_whole_and_sent_only_when_it_is_approved(
    steward: Steward,
) -> None:
    (steward.workspace / "notes").mkdir()
    (steward.workspace / "notes" / "mon.md").write_text("Fixed the roof.\n")
    (steward.workspace / "reports").mkdir()
    old = steward.workspace / "reports" / "Weekly report.md"
    old.write_text("the report of the week before\n")
    path = "reports/Weekly report.md"
    both = calls(
        tool("write_file", {"path": path, "content": "- fixed the roof\n"}),
        tool("send_file", {"path": path}),
    )
    steward.script(
        thinking("A look.") + calls(tool("read_file", {"path": "notes/mon.md"})),
        thinking("Two steps.") + both,
        said("This is what I would do."),
        thinking("Both.") + both,
        said("The report is on its way."),
    )
    await steward.start()
    steward.say("/plan use weekly-report notes")
    card = await steward.card()
    assert card.text.startswith(
        "📋 Weekly report · 2 steps\n1. Replace reports/Weekly report.md\n-"
    )
    assert "\n2. Send reports/Weekly report.md\n" in card.text
    assert [m for m in steward.shown if m.file] == [], "nothing leaves before it is approved"
    steward.press(card, APPROVE)
    await steward.sees(PLAN_ENDED)
    (sent,) = await steward.until(lambda: [m for m in steward.shown if m.file])
    assert sent.file is not None
    assert sent.file.data.decode() == "- fixed the roof\n"
    done = await steward.sees("2 of 2 steps done")
    assert (done.id, done.text.split("\n")[1:3]) == (
        card.id,
        ["✓ 1. Replace reports/Weekly report.md", "✓ 2. Send reports/Weekly report.md"],
    )


async def test_a_long_plan_is_attached_as_a_document(steward: Steward) -> None:
    long = calls(tool("write_file", {"path": "long.md", "content": "many words " * 600}))
    steward.script(long, submit("Long"), long, said("Written."))
    await steward.start()
    steward.say("/plan a long file")
    card = await steward.card()
    assert "in the attached document" in card.text
    await steward.recorded()
    steward.press(card, APPROVE)
    await steward.sees("Written.")
    assert (steward.workspace / "long.md").stat().st_size == 6_600


async def test_a_second_plan_is_asked_about_and_the_press_outlives_a_kill(steward: Steward) -> None:
    steward.script(write("one.md"), submit("First"), write("two.md"), submit("Second"))
    await steward.start()
    steward.say("/plan one file")
    await steward.sees("📋 First")
    steward.say("/plan another file")
    card = await steward.sees("Replace it with “another file”?")
    await steward.kill()
    await steward.start()
    press, again = steward.press(card, REPLACE), steward.press(card, REPLACE)
    await steward.counted(press, REPLACED)
    assert DECIDED_ALREADY in await steward.notified(again)
    await steward.sees("📋 Second")
    await steward.sees(REPLACED)
    await steward.recorded()
    states = steward.records.rows("SELECT state FROM plan ORDER BY created_at")
    assert states == [("cancelled",), ("ready",)]
    assert "another file" in words_in(steward.model.requests[2])
