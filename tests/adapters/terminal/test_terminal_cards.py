"""Cards in the terminal channel: what stands on the screen, and the keys below."""

from bot.adapters.terminal.look import Look
from bot.adapters.terminal.update import ADDRESS
from bot.adapters.terminal.visible import visible
from bot.domain.talk.message import (
    Button,
    CodeBlock,
    FileRef,
    Markdown,
    OutboundKind,
    Plain,
    Press,
)
from bot.domain.talk.person import Sender
from tests.adapters.terminal.desk import BUTTONS, Desk
from tests.words import REPLY_HINT


async def test_a_card_is_shown_with_its_keys_and_its_decision_in_one_line(desk: Desk) -> None:
    message = await desk.card()
    assert desk.paper.printed == (
        "Run a command?\n\n  $ pytest -q\n\n"
        "[y] ✅ Approve  [n] ❌ Deny\nor type “c:” and a change\n"
    )
    desk.paper.printed = ""
    blocks = (
        Plain("Run a command?"),
        CodeBlock("$ pytest -q"),
        Plain("✅ approved by Alice, 12:00"),
    )
    await desk.edit(message, OutboundKind.CARD, *blocks)
    assert desk.paper.printed == "\n↳ ✅ approved by Alice, 12:00 · pytest -q\n"
    assert not desk.screen.busy


async def test_a_card_that_shrinks_to_its_outcome_is_told_by_that_alone(desk: Desk) -> None:
    message = await desk.card()
    desk.paper.printed = ""
    await desk.edit(message, OutboundKind.CARD, Plain("✅ Ran `pytest -q` · 12:00"))
    assert desk.paper.printed == "\n↳ ✅ Ran `pytest -q` · 12:00\n"


async def test_a_long_card_that_shrinks_above_its_document_is_named_too(desk: Desk) -> None:
    document = FileRef("", "long.md", text="line\n" * 600)
    blocks = (Plain("🔐 Create long.md"), CodeBlock("line…"))
    message = await desk.send(OutboundKind.CARD, *blocks, buttons=BUTTONS, files=(document,))
    desk.paper.printed = ""
    shrunk = Plain("✅ Approved · Create long.md")
    await desk.edit(message, OutboundKind.CARD, shrunk, files=(document,))
    assert desk.paper.printed == "\n↳ ✅ Approved · Create long.md\n"


async def test_a_step_whose_own_card_was_denied_is_not_told_again_by_its_plan(desk: Desk) -> None:
    title, first = "📋 A trip · 1 of 2 steps done", "✓ 1. Create a.md"
    plan = Plain(f"{title}\n{first}\n⏳ 2. Run rm -rf x")
    message = await desk.send(OutboundKind.CARD, plan, buttons=BUTTONS)
    desk.paper.printed = ""
    denied = f"{title}\n{first}\n⏭ 2. Run rm -rf x — denied: “not today”"
    await desk.edit(message, OutboundKind.CARD, Plain(denied))
    await desk.edit(message, OutboundKind.CARD, Plain(f"{denied}\n✅ Done, 1 step skipped"))
    assert desk.paper.printed == "\n↳ ✅ Done, 1 step skipped · A trip\n"


async def test_a_card_that_changes_and_stays_open_tells_what_is_new_in_it(desk: Desk) -> None:
    message = await desk.card("2 steps")
    desk.paper.printed = ""
    stop = ((Button("⏹ Stop", "c:t:s"),),)
    lines = (Plain("0 of 2 steps done\n▶️ 1. one\n⏳ 2. two"),)
    await desk.edit(message, OutboundKind.CARD, *lines, buttons=stop)
    assert desk.paper.printed == "\n[s] ⏹  Stop\n"
    lines = (Plain("1 of 2 steps done\n✅ 1. one\n▶️ 2. two"),)
    await desk.edit(message, OutboundKind.CARD, *lines, buttons=stop)
    assert desk.paper.printed == "\n[s] ⏹  Stop\n✅ 1. one\n"


async def test_what_becomes_of_a_card_waits_until_the_words_are_written(desk: Desk) -> None:
    message = await desk.card()
    desk.paper.printed = ""
    await desk.draft("✓ read a")
    await desk.draft("It says:\nhel")
    await desk.edit(message, OutboundKind.CARD, Plain("Run a command?"), Plain("✅ approved"))
    assert desk.paper.printed == "\n✓ read a\n"
    await desk.answer("It says:\nhello")
    assert desk.paper.printed == "\n✓ read a\n\nIt says:\nhello\n\n↳ ✅ approved · pytest -q\n"


async def test_what_becomes_of_a_card_is_told_between_the_lines_of_tools(desk: Desk) -> None:
    message = await desk.card()
    desk.paper.printed = ""
    await desk.draft("✓ read a\n⏳ read b")
    await desk.edit(message, OutboundKind.CARD, Plain("Run a command?"), Plain("✅ approved"))
    assert desk.paper.printed == "\n✓ read a\n↳ ✅ approved · pytest -q\n"


async def test_the_line_of_a_tool_that_is_late_waits_below_the_answer_to_the_card(
    desk: Desk,
) -> None:
    await desk.card("🔐 Create a.md")
    shown = desk.paper.printed
    await desk.channel.draft(ADDRESS, "✓ Use the skill `tidy`")
    await desk.card("🔐 Create b.md")
    assert desk.paper.printed.startswith(shown)
    assert "Use the skill" not in desk.paper.printed
    desk.screen.expect(pressed=True)
    await desk.channel.draft(ADDRESS, "✓ Use the skill `tidy`\n✓ Create a.md")
    assert desk.paper.printed.endswith("\n✓ Use the skill tidy\n✓ Create a.md\n")


async def test_a_failure_right_below_the_line_of_its_tool_is_told_by_its_reason(
    desk: Desk,
) -> None:
    message = await desk.card()
    desk.screen.expect(pressed=True)
    await desk.edit(message, OutboundKind.CARD, Plain("✅ Approved · Run pytest -q"))
    await desk.channel.draft(ADDRESS, "✗ Run `pytest -q`")
    desk.paper.printed = ""
    await desk.edit(message, OutboundKind.CARD, Plain("✗ Run pytest -q: exit code 127"))
    assert desk.paper.printed == "exit code 127\n"


async def test_a_card_of_an_earlier_process_can_be_answered_once_it_is_redrawn(desk: Desk) -> None:
    await desk.edit("before", OutboundKind.CARD, Plain("Run a command?"), buttons=BUTTONS)
    (press,) = await desk.hold("y", EOFError())
    assert isinstance(press, Press)
    assert (press.data, press.message_id) == ("c:t:y", "before")


async def test_all_that_a_long_card_would_run_is_on_the_screen_before_its_keys(desk: Desk) -> None:
    whole = "\n".join(f"line {n} of the command" for n in range(600)) + "\nrm -rf /\x1b[2J"
    document = FileRef("", "card.txt", text=whole)
    begun = CodeBlock(f"{whole[:100]}…")
    await desk.send(OutboundKind.CARD, Plain("Run?"), begun, buttons=BUTTONS, files=(document,))
    printed = desk.paper.printed
    assert all(printed.count(f"  {visible(line)}\n") == 1 for line in whole.split("\n"))
    assert printed.index("rm -rf /") < printed.index("Approve")
    assert printed.index("rm -rf /") < printed.rindex("Run?") < printed.index("Approve")
    assert "\x1b" not in printed


async def test_each_card_of_a_round_is_pressed_by_its_own_number(desk: Desk) -> None:
    for name in ("a.md", "b.md"):
        blocks = (Plain("Create a file?"), Plain(f"{name} (new file, 4 B)"))
        buttons = ((Button("✅ Approve", f"{name}:y"), Button("❌ Deny", f"{name}:n")),)
        await desk.send(OutboundKind.CARD, *blocks, buttons=buttons)
    press, *others = await desk.hold("y", "y1", EOFError())
    assert isinstance(press, Press)
    assert (press.data, others) == ("a.md:y", [])
    assert desk.paper.printed.count("Which one: y1 a.md, y2 b.md?") == 1
    assert "2 cards are open: 1 a.md, 2 b.md" in desk.live


async def test_a_card_that_is_shown_again_keeps_its_number_and_the_old_one_is_not_told_of(
    desk: Desk,
) -> None:
    shown: list[str] = []
    for name in ("a.md", "b.md", "a.md"):
        buttons = ((Button("✅ Approve", f"{name}:y"), Button("❌ Deny", f"{name}:n")),)
        shown.append(await desk.send(OutboundKind.CARD, Plain(f"Create {name}?"), buttons=buttons))
    await desk.edit(shown[0], OutboundKind.CARD, Plain("⤵️ Create a.md · shown again", style="line"))
    press, *others = await desk.hold("y", "y1", EOFError())
    assert isinstance(press, Press)
    assert (press.data, others) == ("a.md:y", [])
    assert "Which one: y2 Create b.md, y1 Create a.md?" in desk.paper.printed
    assert "shown again" not in desk.paper.printed


async def test_words_said_before_a_card_are_printed_once(desk: Desk) -> None:
    await desk.draft("I look first.\n\n⏳ list_files")
    await desk.card()
    await desk.draft("I look first.\n\n✓ list_files")
    await desk.draft("✓ list_files")
    await desk.draft("⏳ write_file a.md")
    await desk.draft("✓ write_file a.md")
    await desk.draft("✓ write_file a.md")
    await desk.answer("I look first.")
    printed = desk.paper.printed
    assert printed.count("✓ list_files") == printed.count("✓ write_file a.md") == 1
    assert printed.count("I look first.") == 2  # before the card, and as the answer


async def test_a_card_shows_the_weight_of_its_lines_and_no_advice_to_reply(desk: Desk) -> None:
    desk.paper.look = Look(columns=60)
    blocks = (
        Plain("🔐 Create `a.md` · 2 of 4", style="title"),
        CodeBlock("# A"),
        Plain("for “so · Reply to Ben · now”", style="aside"),
        Plain(REPLY_HINT, style="aside"),
        Plain("No answer in 24 h: it does not run", style="aside"),
    )
    message = await desk.send(OutboundKind.CARD, *blocks, buttons=BUTTONS)
    head, small = (
        "│ 🔐 Create a.md · 2 of 4\n│\n│   # A\n",
        "│ No answer in 24 h: it does not run\n",
    )
    assert f"{head}│\n│ for “so · Reply to Ben · now”\n{small}" in desk.paper.printed
    assert "Reply to say" not in desk.paper.printed
    assert ("bold cyan", "a.md") in desk.paper.fragments
    assert ("dim", "No answer in 24 h: it does not run") in desk.paper.fragments
    desk.paper.printed = ""
    await desk.edit(message, OutboundKind.CARD, Plain("✅ Approved · a.md · 11:20", style="line"))
    await desk.edit(message, OutboundKind.CARD, Plain("✅ Created a.md · 11:21", style="line"))
    assert desk.paper.printed == "\n↳ ✅ Approved · a.md · 11:20\n"
    other = await desk.send(OutboundKind.CARD, *blocks, buttons=BUTTONS)
    desk.paper.printed = ""
    await desk.edit(other, OutboundKind.CARD, Plain("✅ Approved · a.md · 11:20", style="line"))
    await desk.edit(other, OutboundKind.CARD, Plain("✗ a.md: the disk is full", style="line"))
    assert desk.paper.printed == "\n↳ ✅ Approved · a.md · 11:20\n✗ a.md: the disk is full\n"


async def test_small_print_stands_apart_from_the_content_where_the_advice_between_is_left_out(
    desk: Desk,
) -> None:
    desk.paper.look = Look(columns=60)
    blocks = (
        Plain("🔐 Create `b.md` · 2 of 3", style="title"),
        CodeBlock("# B"),
        Plain(REPLY_HINT, style="aside"),
        Plain("No answer in 24 h: it does not run", style="aside"),
    )
    await desk.send(OutboundKind.CARD, *blocks, buttons=BUTTONS)
    assert "│   # B\n│\n│ No answer in 24 h: it does not run\n" in desk.paper.printed


async def test_words_above_a_card_are_printed_once_whether_they_were_seen_before_or_not(
    desk: Desk,
) -> None:
    await desk.draft("I write it down.")
    await desk.send(OutboundKind.NOTICE, Markdown("I write it down.", said=True))
    await desk.card()
    await desk.send(OutboundKind.NOTICE, Markdown("From before the start.", said=True))
    assert desk.paper.printed.count("I write it down.") == 1
    assert desk.paper.printed.count("From before the start.") == 1


async def test_the_words_above_a_question_are_printed_once(desk: Desk) -> None:
    await desk.draft("Only you know this.")
    await desk.draft("Only you know this.\n\n⏳ Ask you a question")
    await desk.draft("Only you know this.\n\n✓ Ask you a question")
    await desk.answer("Only you know this.\n\nTea or coffee?")
    printed = desk.paper.printed
    assert printed.count("Only you know this.") == printed.count("Tea or coffee?") == 1
    assert printed.index("✓ Ask you") < printed.index("Tea or coffee?")


async def test_a_long_title_is_one_paragraph_of_its_card(desk: Desk) -> None:
    desk.paper.look = Look(columns=40)
    title = Plain("📋 A report for the weekly meeting of the club · 3 steps", style="title")
    await desk.send(OutboundKind.CARD, title, Plain("The rest."), buttons=BUTTONS)
    head, _, rest = desk.paper.printed.partition("3 steps\n")
    assert "│\n" not in head
    assert rest.startswith("│\n│ The rest.")


async def test_a_press_is_not_answered_in_words_that_its_card_has_just_said(desk: Desk) -> None:
    message = await desk.card()
    await desk.edit(message, OutboundKind.CARD, Plain("✅ Approved · a.md", style="line"))
    press = Press(ADDRESS, Sender("terminal", "a", "a"), "c:1:y", "h")
    await desk.channel.acknowledge(press, "Approved.")
    assert "Approved.\n" not in desk.paper.printed
    await desk.channel.acknowledge(press, "It waits for the card before it.")
    await desk.channel.acknowledge(press, "Approved.")
    assert desk.paper.printed.endswith("It waits for the card before it.\nApproved.\n")


async def test_a_round_that_one_key_approved_is_not_counted_below_its_lines(desk: Desk) -> None:
    one, two = await desk.card(), await desk.card()
    for message, name in ((one, "a.md"), (two, "b.md")):
        told = Plain(f"✅ Approved · {name}", style="line")
        await desk.edit(message, OutboundKind.CARD, told)
    await desk.answer("Meanwhile.")
    press = Press(ADDRESS, Sender("terminal", "a", "a"), "c:1:a", "h")
    await desk.channel.acknowledge(press, "Approved 2. 1 card still waits.")
    assert "Approved 2" not in desk.paper.printed
    assert desk.paper.printed.endswith("1 card still waits.\n")


async def test_new_keys_of_a_card_stand_below_the_answer_to_the_press(desk: Desk) -> None:
    message = await desk.card("📋 Two files")
    press = Press(ADDRESS, Sender("terminal", "a", "a"), "c:t:y", message)
    stop = ((Button("⏹ Stop", "p:t:s"),),)

    async def decided() -> None:
        desk.paper.printed = ""
        await desk.edit(
            message,
            OutboundKind.CARD,
            Plain("📋 Two files · 0 of 2\n○ 1. one\n○ 2. two"),
            buttons=stop,
        )
        await desk.channel.acknowledge(press, "Approved.")
        assert desk.paper.printed == "\nApproved.\n[s] ⏹  Stop\n"
        await desk.edit(
            message, OutboundKind.CARD, Plain("📋 Two files · 2 of 2\n✓ 1. one\n✓ 2. two")
        )
        await desk.edit(
            message, OutboundKind.CARD, Plain("📋 Two files · 2 of 2\n✓ 1. one\n✓ 2. two\n✅ Done")
        )
        assert desk.paper.printed == "\nApproved.\n[s] ⏹  Stop\n↳ ✅ Done · Two files\n"

    await desk.hold("y", decided, EOFError())


async def test_words_that_point_to_a_card_are_not_printed_below_its_news(desk: Desk) -> None:
    message = await desk.card("📋 Two files")
    retry = ((Button("🔁 Try again", "p:t:1:r"),),)
    failed = Plain("📋 Two files\n✗ 1. Edit a.md — it is not there\nStep 1 failed. Try again?")
    desk.paper.printed = ""
    desk.screen.expect(pressed=True)
    await desk.edit(message, OutboundKind.CARD, failed, buttons=retry)
    points = Markdown(
        "Step 1 of the plan failed. The plan's card asks you what to do.", points=True
    )
    await desk.send(OutboundKind.ANSWER, points)
    await desk.channel.acknowledge(Press(ADDRESS, Sender("terminal", "a", "a"), "x", "h"), "")
    assert desk.paper.printed == (
        "\n✗ 1. Edit a.md — it is not there\nStep 1 failed. Try again?\n[r] 🔁 Try again\n"
    )
    assert not desk.screen.busy


async def test_a_card_that_nobody_decides_about_has_no_small_print() -> None:
    desk = Desk()
    desk.screen.decides = False
    blocks = (Plain("🔐 Create a.md", style="title"), Plain("open for 24 h", style="aside"))
    await desk.send(OutboundKind.CARD, *blocks, buttons=BUTTONS)
    assert desk.paper.printed == "🔐 Create a.md\n\n"
