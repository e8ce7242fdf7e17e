"""The terminal channel: what the person sees, and what comes back from what is typed."""

import json
import unicodedata
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TypeAlias

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.adapters.terminal.channel import TerminalChannel
from bot.adapters.terminal.dialogue import Dialogue
from bot.adapters.terminal.draft import CUT
from bot.adapters.terminal.fragments import Fragments, plain
from bot.adapters.terminal.late_renderer import LateRenderer
from bot.adapters.terminal.layout import Layout
from bot.adapters.terminal.look import Look
from bot.adapters.terminal.screen import Screen
from bot.adapters.terminal.update import ADDRESS, Writer
from bot.adapters.terminal.visible import visible
from bot.domain.errors import RecipientGone, StoreBusy, StoreError, StoreUnwritable
from bot.domain.message import (
    REPLY_WITH,
    Address,
    Block,
    Button,
    CodeBlock,
    FileRef,
    InboundMessage,
    Markdown,
    Outbound,
    OutboundKind,
    Piece,
    Plain,
    Press,
    RawUpdate,
    Sign,
    Unreadable,
)
from bot.domain.person import Sender
from tests.fakes.clock import FakeClock
from tests.words import PRESS_AGAIN, STAYS_OPEN

AT = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)
BUTTONS = ((Button("✅ Approve", "c:t:y"), Button("❌ Deny", "c:t:n")),)


Step: TypeAlias = str | BaseException | Callable[[], Awaitable[object]]
"""What happens at the prompt: a line, a way to leave, or something the bot does meanwhile."""


class Paper:
    """A console that keeps what was printed, and whom to play when a line is read."""

    def __init__(self, *script: Step) -> None:
        self.printed = ""
        self.fragments: Fragments = []
        self.look = Look(columns=60, dumb=True)
        self.script = list(script)

    async def show(self, fragments: Fragments) -> None:
        self.printed += plain(fragments)
        self.fragments += fragments

    def refresh(self) -> None:
        pass

    async def read(self, live: Callable[[], Fragments], begun: Callable[[], None]) -> str:
        while callable(step := self.script.pop(0)):
            await step()
        if isinstance(step, BaseException):
            raise step
        begun()
        return step


class Desk:
    """A channel on paper."""

    def __init__(self) -> None:
        self.paper = Paper()
        self.screen = Screen(self.paper, Layout(LateRenderer()))
        self.channel = TerminalChannel(self.screen)
        self.accepted: list[RawUpdate] = []
        self.faults: list[StoreError] = []

    async def send(self, kind: OutboundKind, *blocks: Block, **more: object) -> str:
        return await self.channel.send(ADDRESS, self.piece(kind, *blocks, **more))

    async def edit(
        self,
        message_id: str,
        kind: OutboundKind,
        *blocks: Block,
        **more: object,
    ) -> None:
        await self.channel.edit(ADDRESS, message_id, self.piece(kind, *blocks, **more))

    def piece(self, kind: OutboundKind, *blocks: Block, **more: object) -> Piece:
        """A piece as it is after it was stored."""
        (piece,) = self.channel.split(Outbound(kind, blocks, **more))  # pyright: ignore[reportArgumentType]
        return Piece(json.loads(json.dumps(dict(piece.body))))

    @property
    def live(self) -> str:
        """What stands between the printed lines and the prompt."""
        return plain(self.screen.live()).strip("\n")

    async def draft(self, text: str) -> None:
        await self.channel.draft(ADDRESS, text)

    async def answer(self, text: str) -> None:
        await self.send(OutboundKind.ANSWER, Markdown(text))

    async def reply(self) -> None:
        await self.answer("Hello")

    async def card(self, title: str = "Run a command?") -> str:
        blocks = (Plain(title), CodeBlock("$ pytest -q"))
        return await self.send(OutboundKind.CARD, *blocks, buttons=BUTTONS)

    async def hold(self, *script: Step) -> list[object]:
        """Plays a person at the prompt; returns what was accepted, as the flow reads it."""
        self.paper.script = list(script)
        writer = Writer("alice", "Alice")
        await Dialogue(self.paper, self.screen, writer, FakeClock(AT)).hold(self.accept)
        assert not self.paper.script
        return [self.channel.parse(update.body) for update in self.accepted]

    async def accept(self, updates: object) -> None:
        assert isinstance(updates, tuple)
        if self.faults:
            raise self.faults.pop(0)
        self.accepted.extend(updates)


@pytest.fixture
def desk() -> Desk:
    return Desk()


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


async def test_a_card_is_shown_with_its_keys_and_its_decision_in_one_line(desk: Desk) -> None:
    message = await desk.card()
    assert desk.paper.printed == (
        "Run a command?\n\n  $ pytest -q\n\n"
        "[y] ✅ Approve  [n] ❌ Deny\nor type what should be different\n"
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


async def test_an_edit_that_changes_nothing_prints_nothing(desk: Desk) -> None:
    message = await desk.send(OutboundKind.NOTICE, Plain("hello"))
    desk.paper.printed = ""
    await desk.edit(message, OutboundKind.NOTICE, Plain("hello"))
    assert desk.paper.printed == ""


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


async def test_a_late_line_is_not_lost_when_the_screen_is_closed(desk: Desk) -> None:
    await desk.card("🔐 Create a.md")
    await desk.channel.draft(ADDRESS, "✓ Use the skill `tidy`")
    await desk.screen.finish()
    assert desk.paper.printed.count("✓ Use the skill tidy\n") == 1


async def test_a_card_of_an_earlier_process_can_be_answered_once_it_is_redrawn(desk: Desk) -> None:
    await desk.edit("before", OutboundKind.CARD, Plain("Run a command?"), buttons=BUTTONS)
    (press,) = await desk.hold("y", EOFError())
    assert isinstance(press, Press)
    assert (press.data, press.message_id) == ("c:t:y", "before")


async def test_files_are_named_with_their_place(desk: Desk) -> None:
    files = (FileRef("/w/a.txt", "a.txt", "the\nlist"),)
    await desk.send(OutboundKind.ANSWER, files=files)
    assert desk.paper.printed == "📎 a.txt – the list (/w/a.txt)\n"
    copied = (FileRef("/spool/1/content", "a.txt", origin="/w/a.txt"),)
    await desk.send(OutboundKind.NOTICE, files=copied)
    assert desk.paper.printed.endswith("📎 a.txt (/w/a.txt)\n")


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


async def test_a_message_is_accepted_as_typed(desk: Desk) -> None:
    (message,) = await desk.hold("hello there", EOFError())
    assert message == InboundMessage(
        ADDRESS,
        Sender("terminal", "alice", "Alice"),
        desk.accepted[0].key,
        "hello there",
        AT,
    )


async def test_every_update_has_a_key_of_its_own(desk: Desk) -> None:
    await desk.hold("a", "a", "a", EOFError())
    assert len({update.key for update in desk.accepted}) == 3


async def test_text_at_a_card_is_a_reply_to_it(desk: Desk) -> None:
    (message,) = await desk.hold(desk.card, "use make", EOFError())
    assert isinstance(message, InboundMessage)
    assert message.text == "use make"
    assert message.quote is not None
    assert (message.quote.own, message.quote.text) == (True, "Run a command?")
    assert message.quote.message_id == desk.screen.board.cards[0].message_id
    assert message.untrusted is None


async def test_a_key_no_card_has_is_told_and_not_sent(desk: Desk) -> None:
    assert await desk.hold(desk.card, "w", EOFError()) == []
    assert "no key w" in desk.paper.printed


async def test_a_line_that_cannot_be_stored_is_told_and_the_talk_goes_on(desk: Desk) -> None:
    desk.faults.append(StoreUnwritable("database or disk is full"))
    (message,) = await desk.hold("hello", "hello again", EOFError())
    assert isinstance(message, InboundMessage)
    assert message.text == "hello again"
    assert "nothing was sent: database or disk\nis full" in desk.paper.printed


async def test_what_could_not_be_stored_is_not_waited_for(desk: Desk) -> None:
    desk.faults.append(StoreBusy("locked"))
    assert await desk.hold("hello", KeyboardInterrupt(), EOFError()) == []
    assert PRESS_AGAIN in desk.paper.printed


async def test_quit_leaves_without_a_word(desk: Desk) -> None:
    assert await desk.hold("/quit") == []
    assert desk.paper.printed == ""


async def test_ctrl_c_twice_leaves_when_nothing_goes_on(desk: Desk) -> None:
    assert await desk.hold(KeyboardInterrupt(), KeyboardInterrupt()) == []
    assert desk.paper.printed.count(PRESS_AGAIN) == 1


async def test_ctrl_c_leaves_only_when_the_second_follows_at_once(desk: Desk) -> None:
    interrupt = KeyboardInterrupt()
    texts = await desk.hold(interrupt, "hi", desk.reply, interrupt, interrupt)
    assert len(texts) == 1
    assert desk.paper.printed.count(PRESS_AGAIN) == 2


async def test_ctrl_c_stops_a_turn_and_leaves_when_pressed_again(desk: Desk) -> None:
    interrupt = KeyboardInterrupt()
    texts = await desk.hold("hi", interrupt, interrupt)
    assert [text.text for text in texts if isinstance(text, InboundMessage)] == ["hi", "/stop"]


async def test_ctrl_c_leaves_an_open_card_alone_and_leaving_says_that_it_stays(desk: Desk) -> None:
    assert await desk.hold(desk.card, KeyboardInterrupt(), KeyboardInterrupt()) == []
    assert f"{STAYS_OPEN}: pytest -q." in desk.paper.printed


async def test_leaving_before_the_answer_says_that_it_comes_later(desk: Desk) -> None:
    await desk.hold("hi", EOFError())
    assert "I go on at the next start" in desk.paper.printed


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"type":"poll","user":"a","name":"a"}',
        '{"type":"press","user":"a","name":"a","data":7,"message_id":"m","id":"x"}',
        '{"type":"message","user":"a","name":"a","text":"t","id":"x","at":"yesterday"}',
        '{"type":"message","user":1,"name":"a","text":"t","id":"x","at":"2026-01-01"}',
        "[" * 100_000,
    ],
)
def test_what_is_no_update_of_ours_is_unreadable(desk: Desk, body: str) -> None:
    assert isinstance(desk.channel.parse(body), Unreadable)


@given(st.text())
def test_any_text_comes_back_without_lone_surrogates(text: str) -> None:
    update = Writer("a", "a").message(text, AT)
    message = Desk().channel.parse(update.body)
    assert isinstance(message, InboundMessage)
    assert message.text == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


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
    press, *others = await desk.hold("y", "yes", "y1", EOFError())
    assert isinstance(press, Press)
    assert (press.data, others) == ("a.md:y", [])
    assert desk.paper.printed.count("Which one: y1 a.md, y2 b.md?") == 2
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


async def test_a_line_that_moves_down_below_others_is_never_printed(desk: Desk) -> None:
    looking = "🔎 Looking around, 3 steps so far…"
    await desk.draft(f"I collect the steps.\n\n{looking}")
    assert desk.live == looking
    await desk.draft(f"I collect the steps.\n\n⏳ Show the plan\n\n{looking}")
    await desk.draft(f"I collect the steps.\n\n✓ Show the plan\n\n{looking}")
    await desk.card()
    assert desk.paper.printed.startswith("I collect the steps.\n\n✓ Show the plan\n\nRun a comm")


async def test_a_card_shows_the_weight_of_its_lines_and_no_advice_to_reply(desk: Desk) -> None:
    desk.paper.look = Look(columns=60)
    blocks = (
        Plain("🔐 Create `a.md` · 2 of 4", style="title"),
        CodeBlock("# A"),
        Plain("for “so · Reply to Ben · now”", style="aside"),
        Plain("Reply to say what should be different · open for 24 h", style="aside"),
    )
    message = await desk.send(OutboundKind.CARD, *blocks, buttons=BUTTONS)
    head, small = "│ 🔐 Create a.md · 2 of 4\n│\n│   # A\n", "│ open for 24 h\n"
    assert f"{head}│\n│ for “so · Reply to Ben · now”\n{small}" in desk.paper.printed
    assert "Reply to say" not in desk.paper.printed
    assert ("bold cyan", "a.md") in desk.paper.fragments
    assert ("dim", "open for 24 h") in desk.paper.fragments
    desk.paper.printed = ""
    await desk.edit(message, OutboundKind.CARD, Plain("✅ Approved · a.md · 11:20", style="line"))
    await desk.edit(message, OutboundKind.CARD, Plain("✅ Created a.md · 11:21", style="line"))
    assert desk.paper.printed == "\n↳ ✅ Approved · a.md · 11:20\n"
    other = await desk.send(OutboundKind.CARD, *blocks, buttons=BUTTONS)
    desk.paper.printed = ""
    await desk.edit(other, OutboundKind.CARD, Plain("✅ Approved · a.md · 11:20", style="line"))
    await desk.edit(other, OutboundKind.CARD, Plain("✗ a.md: the disk is full", style="line"))
    assert desk.paper.printed == "\n↳ ✅ Approved · a.md · 11:20\n✗ a.md: the disk is full\n"


async def test_what_a_rule_allowed_is_told_once(desk: Desk) -> None:
    told = "✓ notes/b.md created, as you always allow in notes/"
    await desk.draft(f"{told}\n\nDone.")
    small = Plain(f"{told} (2 times)\n✓ 2 more, as you always allow", style="aside")
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


async def test_words_above_a_card_are_printed_once_whether_they_were_seen_before_or_not(
    desk: Desk,
) -> None:
    await desk.draft("I write it down.")
    await desk.send(OutboundKind.NOTICE, Markdown("I write it down.", said=True))
    await desk.card()
    await desk.send(OutboundKind.NOTICE, Markdown("From before the start.", said=True))
    assert desk.paper.printed.count("I write it down.") == 1
    assert desk.paper.printed.count("From before the start.") == 1


async def test_an_answer_right_below_other_words_goes_on_from_its_draft(desk: Desk) -> None:
    await desk.draft("I look first.\n\nThere it")
    await desk.draft("I look first.\n\nThere it is.")
    await desk.send(
        OutboundKind.ANSWER, Markdown("I look first.", said=True), Markdown("There it is.")
    )
    assert desk.paper.printed == "I look first.\n\nThere it is.\n"


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
        assert desk.paper.printed == "\nApproved.\n[s] ⏹  Stop\n", "the answer tells the end"

    await desk.hold("y", decided, EOFError())


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
    assert [one.text for one in said if isinstance(one, InboundMessage)] == ["hello", "u"]


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
        labels = (switch, "⏩ Run now", "✏️ Edit", "💬 Join the talk", "👁 Only read")
        return (tuple(Button(label, f"m:tasks:{label} 1") for label in labels),)

    message = await desk.send(OutboundKind.OPTION, Markdown("▶️ Tea"), buttons=task("⏸ Pause"))
    first = desk.paper.printed
    assert "[p] ⏸  Pause" in first
    desk.paper.printed = ""
    await desk.edit(message, OutboundKind.OPTION, Markdown("⏸ Tea"), buttons=task("▶️ Resume"))
    for kept in ("[r] ⏩ Run now", "[e] ✏️  Edit", "[j] 💬 Join the talk", "[o] 👁  Only read"):
        assert kept in first
        assert kept in desk.paper.printed, "each key stands whole on its line, too"
    assert "[s] ▶️  Resume" in desk.paper.printed


async def test_words_that_point_to_a_card_are_not_printed_below_its_news(desk: Desk) -> None:
    message = await desk.card("📋 Two files")
    retry = ((Button("🔁 Try again", "p:t:1:r"),),)
    failed = Plain("📋 Two files\n✗ 1. Edit a.md — it is not there\nStep 1 failed. Try again?")
    desk.paper.printed = ""
    desk.screen.expect(pressed=True)
    await desk.edit(message, OutboundKind.CARD, failed, buttons=retry)
    points = Markdown("Step 1 of the plan failed. Its card asks how to go on.", points=True)
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
    said = await desk.hold("Hello", "s", EOFError())
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
    assert isinstance(said, InboundMessage), "a number is a number once something else was said"


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
