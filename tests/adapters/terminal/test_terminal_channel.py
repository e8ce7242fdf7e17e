"""The terminal channel: answers, drafts, news and files, as the person sees them."""

import asyncio
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.adapters.terminal.draft import CUT
from bot.adapters.terminal.fragments import Fragments
from bot.adapters.terminal.look import Look
from bot.adapters.terminal.update import ADDRESS
from bot.adapters.terminal.visible import visible
from bot.domain.talk.errors import RecipientGone
from bot.domain.talk.message import (
    REPLY_WITH,
    Address,
    Button,
    CallBlock,
    CodeBlock,
    FileRef,
    InboundMessage,
    Markdown,
    OutboundKind,
    Plain,
    Press,
    Sign,
)
from bot.domain.talk.person import Sender
from tests.adapters.terminal.desk import BUTTONS, Desk
from tests.words import KEY_SPENT


async def test_an_answer_is_shown_once_when_its_draft_was(desk: Desk) -> None:
    text = "First line\n\n- one\n- two\n\nand the rest"
    for end in range(1, len(text) + 1):
        await desk.draft(text[:end])
    assert desk.paper.printed == "First line\n\n • one\n"
    assert desk.live == " • two\n\nand the rest"
    await desk.answer(text)
    assert desk.paper.printed == "First line\n\n • one\n • two\n\nand the rest\n"
    assert desk.live == ""


@given(st.text("ab \n`*#", max_size=60), st.lists(st.integers(1, 7), max_size=20), st.booleans())
@example(text=" # a", steps=[3], stripped=False)
@example(text=" # ", steps=[2], stripped=False)
async def test_drafts_never_change_what_an_answer_looks_like(
    text: str, steps: list[int], stripped: bool
) -> None:
    plainly, drafted, end = Desk(), Desk(), 0
    for step in steps:
        end += step
        await drafted.draft(text[:end])
    final = text.strip() if stripped else text
    await plainly.answer(final)
    await drafted.answer(final)
    assert drafted.paper.printed.split() == plainly.paper.printed.split()


async def test_an_answer_is_shown_once_when_news_comes_between_it_and_its_draft(desk: Desk) -> None:
    for end in (8, 20):
        await desk.draft("First.\n\nThat, too."[:end])
        await desk.send(OutboundKind.OPTION, Markdown(f"📝 Noted: {end}"))
    await desk.answer("First.\n\nThat, too.")
    assert desk.paper.printed == "First.\n\n📝 Noted: 8\n\nThat, too.\n\n📝 Noted: 20\n"
    await desk.hold("again", EOFError())
    desk.paper.printed = ""
    await desk.answer("First.\n\nThat, too.")
    assert desk.paper.printed.strip() == "First.\n\nThat, too."


async def test_words_stay_where_they_are_when_the_lines_of_tools_below_them_go(desk: Desk) -> None:
    # With /verbose each call is shown in a block of its own, and its line leaves the draft.
    await desk.draft("I look first.\n\n⏳ list_files")
    await desk.send(OutboundKind.CALLS, Plain("✓ list_files"))
    await desk.draft("I look first.")
    await desk.draft("I look first.\n\nNow I read.\n\n⏳ read_file")
    await desk.draft("I look first.\n\nNow I read.")
    await desk.answer("All is well.")
    printed = desk.paper.printed
    assert [printed.count(words) for words in ("I look first.", "Now I read.", "All is")] == [
        1,
        1,
        1,
    ]


async def test_the_line_of_a_tool_that_has_ended_leaves_the_screen_at_once(desk: Desk) -> None:
    await desk.answer("Hello.")
    await desk.draft("⏳ read_file")
    assert "⏳ read_file" in desk.live
    await desk.draft("")
    assert "⏳" not in desk.live
    await desk.answer("Done.")
    await desk.draft("")
    assert desk.live == ""


async def test_a_call_stands_above_the_words_that_follow_it_even_if_it_comes_later(
    desk: Desk,
) -> None:
    await desk.draft("I look first.\n\n⏳ read_file")
    await desk.draft("I look first.")
    await desk.draft("I look first.\n\nAll is")
    await desk.send(OutboundKind.CALLS, Plain("✓ read_file"))
    await desk.draft("I look first.\n\nAll is well.\n\nIt is\ngood")
    await desk.send(OutboundKind.CALLS, Plain("✓ list_files"))
    await desk.answer("All is well.\n\nIt is\ngood.")
    lines = [line for line in desk.paper.printed.splitlines() if line]
    told = ["I look first.", "✓ read_file", "All is well.", "It is", "good.", "✓ list_files"]
    assert lines == told


async def test_an_answer_after_a_draft_that_was_left_is_shown_whole(desk: Desk) -> None:
    await desk.draft("Hello.")
    await desk.send(OutboundKind.NOTICE, Markdown("Stopped."))
    await desk.hold("again", EOFError())
    desk.paper.printed = ""
    await desk.answer("Hello.")
    assert desk.paper.printed.strip() == "Hello."


async def test_an_answer_unlike_its_draft_is_shown_whole(desk: Desk) -> None:
    await desk.draft("I shall\nlook")
    await desk.answer("Something else")
    assert desk.paper.printed == "I shall\nlook\n\nSomething else\n"


async def test_words_beside_a_call_are_kept_and_no_part_of_the_answer(desk: Desk) -> None:
    await desk.draft("Let me look")
    await desk.send(OutboundKind.PROGRESS, Plain("⏳ read_file a"))
    await desk.draft("It says:")
    await desk.answer("It says: hello")
    assert desk.paper.printed == "Let me look\n\n⏳ read_file a\n\nIt says: hello\n"


async def test_tools_in_a_draft_move_until_they_are_done_and_are_printed_once(desk: Desk) -> None:
    await desk.draft("Let me look\n\n⏳ read a\n⏳ read b")
    assert desk.paper.printed == "Let me look\n"
    assert desk.live == "⏳ read a\n⏳ read b"
    await desk.draft("Let me look\n\n✓ read a\n✗ read b")
    await desk.draft("✓ read a\n✗ read b")
    await desk.draft("⏳ read c")
    await desk.draft("✓ read c")
    await desk.answer("It says hello")
    assert desk.paper.printed == ("Let me look\n\n✓ read a\n✗ read b\n✓ read c\n\nIt says hello\n")


async def test_the_end_of_a_turn_loses_no_words_of_a_draft_that_is_being_printed(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, free = asyncio.Event(), asyncio.Event()
    show = desk.paper.show

    async def slow(fragments: Fragments) -> None:
        written.set()
        await free.wait()
        await show(fragments)

    monkeypatch.setattr(desk.paper, "show", slow)
    text = "What is left:\n\n- Thu dentist\n- Fri market"
    drafting = asyncio.create_task(desk.draft(f"✓ Edit week.md\n\n{text}"))
    await written.wait()
    drafting.cancel()
    answering = asyncio.create_task(desk.answer(text))
    await asyncio.sleep(0)
    free.set()
    with pytest.raises(asyncio.CancelledError):
        await drafting
    await answering
    assert "What is left:" in desk.paper.printed
    assert desk.paper.printed.count("Fri market") == 1


async def test_a_draft_that_comes_after_its_answer_is_not_shown_again(desk: Desk) -> None:
    await desk.draft("Hello")
    await desk.answer("Hello there")
    await desk.draft("Hello there")
    assert (desk.live, desk.paper.printed) == ("", "Hello there\n")
    assert not desk.screen.busy
    await desk.hold("again", EOFError())
    await desk.draft("Hello")
    assert desk.live == "Hello"


async def test_progress_moves_in_its_place_until_something_else_comes(desk: Desk) -> None:
    message = await desk.send(OutboundKind.PROGRESS, Plain("⏳ read_file a"))
    assert desk.live == "⏳ read_file a"
    await desk.edit(message, OutboundKind.PROGRESS, Plain("✓ read_file a"))
    assert (desk.live, desk.paper.printed) == ("✓ read_file a", "")
    await desk.answer("Done")
    assert (desk.live, desk.paper.printed) == ("", "✓ read_file a\n\nDone\n")
    await desk.edit(message, OutboundKind.PROGRESS, Plain("✓ read_file a"), Plain("✗ other"))
    assert desk.paper.printed.endswith("\nDone\n\n✗ other\n")


async def test_an_edit_that_changes_nothing_prints_nothing(desk: Desk) -> None:
    message = await desk.send(OutboundKind.NOTICE, Plain("hello"))
    desk.paper.printed = ""
    await desk.edit(message, OutboundKind.NOTICE, Plain("hello"))
    assert desk.paper.printed == ""


async def test_a_late_line_is_not_lost_when_the_screen_is_closed(desk: Desk) -> None:
    await desk.card("🔐 Create a.md")
    await desk.channel.draft(ADDRESS, "✓ Use the skill `tidy`")
    await desk.screen.finish()
    assert desk.paper.printed.count("✓ Use the skill tidy\n") == 1


async def test_files_are_named_with_their_place(desk: Desk) -> None:
    files = (FileRef("/w/a.txt", "a.txt", "the\nlist"),)
    await desk.send(OutboundKind.ANSWER, files=files)
    assert desk.paper.printed == "📎 a.txt – the list (/w/a.txt)\n"
    copied = (FileRef("/spool/1/content", "a.txt", origin="/w/a.txt"),)
    await desk.send(OutboundKind.NOTICE, files=copied)
    assert desk.paper.printed.endswith("📎 a.txt (/w/a.txt)\n")
    far = (FileRef(f"/{'far/' * 18}away/a.txt", "a.txt"),)
    await desk.send(OutboundKind.ANSWER, files=far)
    wrapped = f"{'/far' * 15}\n{'/far' * 3}/away/a.txt"
    assert desk.paper.printed.endswith(f"📎 a.txt\n{wrapped}\n")


async def test_foreign_control_characters_are_written_out_wherever_they_stand(desk: Desk) -> None:
    evil = "a\x1b[2J\x9b\r\u202eb\u2066\x07\ud800"
    await desk.draft(evil)
    shown = desk.live
    await desk.draft(f"{evil}\n# {evil}\n```\n{evil}\n```\n**{evil}** `{evil}`\n")
    message = await desk.send(
        OutboundKind.CARD,
        Plain(evil),
        CodeBlock(evil),
        buttons=((Button(evil, "y:1"),),),
        files=(FileRef(evil, evil),),
    )
    await desk.edit(message, OutboundKind.CARD, Plain(f"{evil} denied"))
    await desk.send(OutboundKind.PROGRESS, Plain(evil))
    await desk.channel.acknowledge(Press(ADDRESS, Sender("terminal", "a", "a"), "y", "h"), evil)
    shown += desk.live + desk.paper.printed
    assert r"a\x1b[2J\x9b\r\u202eb\u2066\x07\ud800" in shown
    assert not any(letter in shown for letter in "\x1b\x9b\r\u202e\u2066\x07\ud800")


@given(st.text())
def test_nothing_visible_moves_the_cursor_or_turns_letters_round(text: str) -> None:
    shown = visible(text)
    assert {unicodedata.category(letter) for letter in shown if letter not in "\n\u200c\u200d"} & {
        "Cc",
        "Cf",
        "Cs",
        "Zl",
        "Zp",
    } == set()


async def test_typing_is_seen_until_the_answer_comes(desk: Desk) -> None:
    await desk.channel.sign(ADDRESS, Sign.TYPING)
    assert desk.live == "… (Ctrl-C stops)"
    await desk.answer("Hello")
    assert desk.live == ""


async def test_a_queued_message_and_a_refused_press_are_told(desk: Desk) -> None:
    await desk.channel.sign(ADDRESS, Sign.QUEUED, "m")
    await desk.channel.acknowledge(
        Press(ADDRESS, Sender("terminal", "a", "a"), "y", "h"), "Too late"
    )
    assert "Your message waits" in desk.paper.printed
    assert "Too late" in desk.paper.printed


async def test_changing_lines_leave_room_for_the_prompt_and_show_their_end(desk: Desk) -> None:
    await desk.draft("a" * 5000 + "end")
    lines = desk.live.split("\n")
    assert len(lines) == desk.paper.look.rows - 4
    assert lines[0] == "…"
    assert lines[-1].endswith("end")


async def test_a_line_that_moves_down_below_others_is_never_printed(desk: Desk) -> None:
    looking = "🔎 Looking around, 3 steps so far…"
    await desk.draft(f"I collect the steps.\n\n{looking}")
    assert desk.live == looking
    await desk.draft(f"I collect the steps.\n\n⏳ Show the plan\n\n{looking}")
    await desk.draft(f"I collect the steps.\n\n✓ Show the plan\n\n{looking}")
    await desk.card()
    assert desk.paper.printed.startswith("I collect the steps.\n\n✓ Show the plan\n\nRun a comm")


async def test_what_a_rule_allowed_is_told_once(desk: Desk) -> None:
    told = "✓ notes/b.md created, as your rule for notes/ allows"
    await desk.draft(f"{told}\n\nDone.")
    small = Plain(f"{told} (2 times)\n✓ 2 more, as your rules allow", style="aside")
    await desk.send(OutboundKind.ANSWER, Markdown("Done."), small)
    assert desk.paper.printed == f"{told}\n\nDone.\n"
    desk.paper.printed = ""
    await desk.send(OutboundKind.ANSWER, Markdown("Later."), Plain("✓ other, …", style="aside"))
    assert desk.paper.printed == "\nLater.\n\n✓ other, …\n"


async def test_an_answer_that_repeats_a_growing_message_is_printed_once(desk: Desk) -> None:
    before, said = "I look.\n\n✓ list_files", "\n\nIt says:\n\n- one\n- two"
    for end in range(len(said) + 1):
        await desk.draft(before + said[:end])
    await desk.answer("It says:\n\n- one\n- two\n- three")
    assert desk.paper.printed == (
        "I look.\n\n✓ list_files\n\nIt says:\n\n • one\n • two\n • three\n"
    )


async def test_what_was_asked_for_in_another_chat_is_not_shown_here(desk: Desk) -> None:
    elsewhere = Address("terminal", "ask-1")
    piece = desk.piece(OutboundKind.ANSWER, Markdown("for nobody"))
    with pytest.raises(RecipientGone):
        await desk.channel.send(elsewhere, piece)
    await desk.channel.edit(elsewhere, "m", piece)
    await desk.channel.draft(elsewhere, "for nobody\n\nat all")
    await desk.channel.sign(elsewhere, Sign.TYPING)
    assert (desk.paper.printed, desk.live) == ("", "")


async def test_words_that_were_printed_as_they_came_are_not_printed_with_the_answer(
    desk: Desk,
) -> None:
    before, said = "I look first.\n\n✓ Read a.md\n\nOnce more.\n\n✓ Read b.md", "\n\nThere it is."
    for end in (13, 26, 38, 51, 57, 62, len(before + said)):
        await desk.draft((before + said)[:end])
    words = [Markdown(text, said=True) for text in ("I look first.", "Once more.")]
    took = Plain("2 tool calls · 4 s", style="aside")
    await desk.send(OutboundKind.ANSWER, *words, Markdown("There it is."), took)
    assert desk.paper.printed == f"{before}{said}\n\n2 tool calls · 4 s\n"
    assert ("dim", "2 tool calls · 4 s") in desk.paper.fragments


async def test_each_part_of_a_call_tells_how_much_of_it_is_left_out(desk: Desk) -> None:
    given, result = ("\n".join(f"{what} {n}" for n in range(12)) for what in ("given", "told"))
    await desk.send(OutboundKind.CALLS, CallBlock("✓ Look", given, result, "/verbose last"))
    lines = desk.paper.printed.splitlines()
    at = lines.index("        … 7 more lines: /verbose last")
    assert lines[at - 1] == "        given 4"
    assert lines[at + 1] == "  out   told 0"
    assert lines[-2:] == ["        told 9", "        … 2 more lines: /verbose last"]


async def test_an_answer_right_below_other_words_goes_on_from_its_draft(desk: Desk) -> None:
    await desk.draft("I look first.\n\nThere it")
    await desk.draft("I look first.\n\nThere it is.")
    await desk.send(
        OutboundKind.ANSWER, Markdown("I look first.", said=True), Markdown("There it is.")
    )
    assert desk.paper.printed == "I look first.\n\nThere it is.\n"


async def test_a_broken_answer_that_is_written_again_stands_once(desk: Desk) -> None:
    for text in ("First.\n\nSecond and", "F", "First.\n\nSecond", "First.\n\nSecond and third."):
        await desk.draft(text)
    await desk.answer("First.\n\nSecond and third.")
    assert desk.paper.printed == "First.\n\nSecond and third.\n"


async def test_a_broken_answer_that_begins_otherwise_says_so_once(desk: Desk) -> None:
    for text in ("First.\n\nSecond.\n\nThird", "Another", "Another one.\n\nThat"):
        await desk.draft(text)
    await desk.answer("Another one.\n\nThat is all.")
    assert desk.paper.printed == f"First.\n\n{CUT}\n\nAnother one.\n\nThat is all.\n"
    await desk.draft("Third.\n\nFourth.\n\nFifth")
    await desk.answer("Nothing.")
    assert desk.paper.printed.endswith(f"Third.\n\n{CUT}\n\nNothing.\n")


async def test_news_offers_keys_until_something_else_is_said(desk: Desk) -> None:
    undo = ((Button("↩️ Undo", "m:memory:undo 1"),),)
    message = await desk.send(OutboundKind.OPTION, Markdown("📝 Noted: no nuts"), buttons=undo)
    assert desk.paper.printed == "📝 Noted: no nuts\n[u] ↩️  Undo\n"
    (press,) = await desk.hold("u", EOFError())
    assert isinstance(press, Press)
    assert (press.data, press.message_id) == ("m:memory:undo 1", message)
    desk.paper.printed = ""
    await desk.edit(message, OutboundKind.NOTICE, Markdown("↩️ The note is deleted."))
    assert desk.paper.printed.strip() == "↩️  The note is deleted."
    await desk.send(OutboundKind.OPTION, Markdown("📝 Noted: a dog"), buttons=undo)
    said = await desk.hold("hello", "u", EOFError())
    assert [one.text for one in said if isinstance(one, InboundMessage)] == ["hello"]
    told = " ".join(desk.paper.printed.split("\n"))
    assert f"{KEY_SPENT} ↩️ Undo of “Noted: a dog”. Nothing was sent." in told


async def test_after_a_press_that_no_answer_follows_nothing_seems_to_go_on(desk: Desk) -> None:
    message = await desk.card()
    press = Press(ADDRESS, Sender("terminal", "a", "a"), "c:t:n", message)

    async def cancelled() -> None:
        await desk.edit(message, OutboundKind.CARD, Plain("🗑 Cancelled", style="line"))
        await desk.channel.acknowledge(press, "Cancelled.")
        assert (desk.screen.busy, desk.live) == (False, "")

    await desk.hold("n", cancelled, EOFError())


async def test_an_option_that_changes_is_told_with_its_new_keys(desk: Desk) -> None:
    def notes(count: int) -> tuple[tuple[Button, ...], ...]:
        return (tuple(Button(f"🗑 {n}", f"m:memory:delete {n}") for n in range(count)),)

    message = await desk.send(OutboundKind.OPTION, Markdown("Two notes."), buttons=notes(2))
    assert desk.paper.printed.endswith("[a] 🗑  0  [b] 🗑  1\n")
    desk.paper.printed = ""
    await desk.edit(message, OutboundKind.OPTION, Markdown("One note."), buttons=notes(1))
    assert desk.paper.printed == "\nOne note.\n[a] 🗑  0\n"


async def test_a_button_keeps_its_key_when_others_beside_it_change(desk: Desk) -> None:
    def task(switch: str) -> tuple[tuple[Button, ...], ...]:
        labels = (switch, "⏩ Run now", "✏️ Edit", "💬 Let it use this conversation")
        return (tuple(Button(label, f"m:tasks:{label} 1") for label in labels),)

    message = await desk.send(OutboundKind.OPTION, Markdown("▶️ Tea"), buttons=task("⏸ Pause"))
    first = desk.paper.printed
    assert "[p] ⏸  Pause" in first
    desk.paper.printed = ""
    await desk.edit(message, OutboundKind.OPTION, Markdown("⏸ Tea"), buttons=task("▶️ Resume"))
    for kept in (
        "[r] ⏩ Run now",
        "[e] ✏️  Edit",
        "[l] 💬 Let it use this conversation",
    ):
        assert kept in first
        assert kept in desk.paper.printed, "each key stands whole on its line, too"
    assert "[s] ▶️  Resume" in desk.paper.printed


async def test_buttons_that_come_back_have_the_keys_that_they_had(desk: Desk) -> None:
    def menu(*labels: str) -> tuple[tuple[Button, ...], ...]:
        return (tuple(Button(label, f"m:tasks:{label} 1") for label in labels),)

    first = menu("⏸ Pause", "⏩ Run now")
    later = menu("▶️ Resume", "⏩ Run now")
    message = await desk.send(OutboundKind.OPTION, Markdown("▶️ Tea"), buttons=first)
    await desk.edit(message, OutboundKind.OPTION, Markdown("⏸ Tea"), buttons=later)
    keys = desk.paper.printed.splitlines()[-1]
    assert "[r] ⏩ Run now" in keys
    await desk.edit(message, OutboundKind.OPTION, Markdown("Edit"), buttons=menu("◂ Back"))
    assert desk.paper.printed.splitlines()[-1] != keys
    await desk.edit(message, OutboundKind.OPTION, Markdown("⏸ Tea"), buttons=later)
    assert desk.paper.printed.splitlines()[-1] == keys
    desk.screen.board.go_on()
    await desk.send(OutboundKind.OPTION, Markdown("⏸ Tea again"), buttons=later)
    assert desk.paper.printed.splitlines()[-1] == keys, "in another message, too"


async def test_a_wide_terminal_gives_code_the_width_and_keeps_prose_readable(desk: Desk) -> None:
    desk.paper.look = Look(columns=140)
    line, words = "x" * 120, "word " * 50
    blocks = (Plain("🔐 Run this command", style="title"), CodeBlock(line), Plain(words))
    await desk.send(OutboundKind.CARD, *blocks, buttons=BUTTONS)
    lines = desk.paper.printed.splitlines()
    assert f"│   {line}" in lines
    assert len(lines[0]) == len("│   ") + len(line) + 1
    assert max(len(one) for one in lines if "word" in one) <= 103


async def test_a_key_below_an_answer_stands_on_one_line_with_its_label(desk: Desk) -> None:
    desk.paper.look = Look(columns=40)
    labels = ("Very hot, in a big cup please", "Ice cold")
    choices = tuple((Button(label, f"e:q:t:{n}"),) for n, label in enumerate(labels))
    await desk.send(OutboundKind.ANSWER, Markdown("Hot or cold?"), buttons=choices)
    assert desk.paper.printed.endswith("\n[v] Very hot, in a big cup please\n[i] Ice cold\n")


async def test_the_keys_of_a_question_count_until_it_is_answered(desk: Desk) -> None:
    start = ((Button("▶️ Start", "m:goals:start 1"), Button("🗑 Cancel", "m:goals:deny 1")),)
    goal = Markdown("🎯 sail")
    message = await desk.send(OutboundKind.OPTION, goal, buttons=start, waits=True)
    assert desk.paper.printed.endswith("[s] ▶️  Start  [c] 🗑  Cancel\n")
    said, press = await desk.hold("What is it?", "s", EOFError())
    assert isinstance(said, InboundMessage)
    assert isinstance(press, Press)
    assert (said.text, press.data) == ("What is it?", "m:goals:start 1")
    show = ((Button("◂ Show", "m:goals:show 1"),),)
    await desk.edit(message, OutboundKind.OPTION, Markdown("▶️ I begin"), buttons=show)
    assert desk.screen.board.cards == ()
    said = await desk.hold("Hello", "s", "s", EOFError())
    assert [one.text for one in said[-2:] if isinstance(one, InboundMessage)] == ["Hello", "s"]


async def test_a_numbered_list_has_its_numbers_as_keys(desk: Desk) -> None:
    def numbered(count: int) -> tuple[tuple[Button, ...], ...]:
        return (tuple(Button(str(n), f"m:tasks:show {n}") for n in range(1, count + 1)),)

    await desk.send(OutboundKind.OPTION, Markdown("The tasks"), buttons=numbered(12))
    assert "[1]  [2]  [3]" in desk.paper.printed
    (press,) = await desk.hold("12", EOFError())
    assert isinstance(press, Press)
    assert press.data == "m:tasks:show 12"
    *_, said = await desk.hold("Hello", "12", EOFError())
    assert isinstance(said, InboundMessage)
    assert said.text == "Hello"
    await desk.send(OutboundKind.ANSWER, Markdown("Pick a number."))
    *_, said = await desk.hold("12", EOFError())
    assert isinstance(said, InboundMessage)
    assert said.text == "12", "a number is a number once something else was said"


@pytest.mark.parametrize(
    ("advice", "here"),
    [
        (f"{REPLY_WITH}the new words.", "Type the new words."),
        (
            f"{REPLY_WITH}your answer, or write `/goals answer 1 …`. It waits.",
            "Write /goals answer",
        ),
    ],
)
async def test_nobody_is_asked_for_a_reply_where_people_just_type(
    desk: Desk, advice: str, here: str
) -> None:
    await desk.send(OutboundKind.NOTICE, Plain("❓ What?"), Markdown(advice))
    assert here in desk.paper.printed
    assert "Reply" not in desk.paper.printed
