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
from bot.adapters.terminal.screen import Screen
from bot.adapters.terminal.text import Fragments, MarkdownLines, plain, visible
from bot.adapters.terminal.update import ADDRESS, Writer
from bot.domain.errors import StoreBusy, StoreError, StoreUnwritable
from bot.domain.message import (
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

AT = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)
BUTTONS = ((Button("✅ Approve", "c:t:y"), Button("❌ Deny", "c:t:n")),)


Step: TypeAlias = str | BaseException | Callable[[], Awaitable[object]]
"""What happens at the prompt: a line, a way to leave, or something the bot does meanwhile."""


class Paper:
    """A console that keeps what was printed, and whom to play when a line is read."""

    def __init__(self, *script: Step) -> None:
        self.printed = ""
        self.script = list(script)

    async def show(self, fragments: Fragments) -> None:
        self.printed += plain(fragments)

    def refresh(self) -> None:
        pass

    async def read(self, live: Callable[[], str], begun: Callable[[], None]) -> str:
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
        self.screen = Screen(self.paper)
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

    async def draft(self, text: str) -> None:
        await self.channel.draft(ADDRESS, text)

    async def answer(self, text: str) -> None:
        await self.send(OutboundKind.ANSWER, Markdown(text))

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
    text = "First line\n\n- one\n- two\nand the rest"
    for end in range(1, len(text) + 1):
        await desk.draft(text[:end])
    assert desk.paper.printed == "First line\n\n- one\n- two\n"
    assert desk.screen.live() == "and the rest\n"
    await desk.answer(text)
    assert desk.paper.printed == text + "\n\n"
    assert desk.screen.live() == ""


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
    assert desk.paper.printed == "I shall\nlook\nSomething else\n\n"


async def test_words_beside_a_call_are_kept_and_no_part_of_the_answer(desk: Desk) -> None:
    await desk.draft("Let me look")
    await desk.send(OutboundKind.PROGRESS, Plain("⏳ read_file a"))
    await desk.draft("It says:")
    await desk.answer("It says: hello")
    assert desk.paper.printed == "Let me look\n⏳ read_file a\nIt says: hello\n\n"


async def test_tools_in_a_draft_move_until_they_are_done_and_are_printed_once(desk: Desk) -> None:
    await desk.draft("Let me look\n\n⏳ read a\n⏳ read b")
    assert desk.paper.printed == "Let me look\n\n"
    assert desk.screen.live() == "⏳ read a\n⏳ read b\n"
    await desk.draft("Let me look\n\n✓ read a\n✗ read b")
    await desk.draft("✓ read a\n✗ read b")
    await desk.draft("⏳ read c")
    await desk.draft("✓ read c")
    await desk.answer("It says hello")
    assert desk.paper.printed == ("Let me look\n\n✓ read a\n✗ read b\n✓ read c\nIt says hello\n\n")


async def test_a_draft_that_comes_after_its_answer_is_not_shown_again(desk: Desk) -> None:
    await desk.draft("Hello")
    await desk.answer("Hello there")
    await desk.draft("Hello there")
    assert (desk.screen.live(), desk.paper.printed) == ("", "Hello there\n\n")
    assert not desk.screen.busy
    await desk.hold("again", EOFError())
    await desk.draft("Hello")
    assert desk.screen.live() == "Hello\n"


async def test_progress_moves_in_its_place_until_something_else_comes(desk: Desk) -> None:
    message = await desk.send(OutboundKind.PROGRESS, Plain("⏳ read_file a"))
    assert desk.screen.live() == "⏳ read_file a\n"
    await desk.edit(message, OutboundKind.PROGRESS, Plain("✓ read_file a"))
    assert (desk.screen.live(), desk.paper.printed) == ("✓ read_file a\n", "")
    await desk.answer("Done")
    assert (desk.screen.live(), desk.paper.printed) == ("", "✓ read_file a\nDone\n\n")
    await desk.edit(message, OutboundKind.PROGRESS, Plain("✓ read_file a"), Plain("✗ other"))
    assert desk.paper.printed.endswith("Done\n\n✗ other\n")


async def test_a_card_is_shown_with_its_keys_and_its_decision_in_one_line(desk: Desk) -> None:
    message = await desk.card()
    assert desk.paper.printed == (
        "Run a command?\n    $ pytest -q\n[y] ✅ Approve  [n] ❌ Deny\n\n"
    )
    desk.paper.printed = ""
    blocks = (
        Plain("Run a command?"),
        CodeBlock("$ pytest -q"),
        Plain("✅ approved by Alice, 12:00"),
    )
    await desk.edit(message, OutboundKind.CARD, *blocks)
    assert desk.paper.printed == "↳ Run a command? — ✅ approved by Alice, 12:00\n"
    assert not desk.screen.busy


async def test_a_card_that_ends_under_another_title_is_told_by_that_alone(desk: Desk) -> None:
    message = await desk.card()
    desk.paper.printed = ""
    await desk.edit(message, OutboundKind.CARD, Plain("2 of 2 steps done"), Plain("✅ Done"))
    assert desk.paper.printed == "↳ 2 of 2 steps done · ✅ Done\n"


async def test_what_becomes_of_a_card_waits_until_the_words_are_written(desk: Desk) -> None:
    message = await desk.card()
    desk.paper.printed = ""
    await desk.draft("✓ read a")
    await desk.draft("It says:\nhel")
    await desk.edit(message, OutboundKind.CARD, Plain("Run a command?"), Plain("✅ approved"))
    assert desk.paper.printed == "✓ read a\nIt says:\n"
    await desk.answer("It says:\nhello")
    assert desk.paper.printed == ("✓ read a\nIt says:\nhello\n\n↳ Run a command? — ✅ approved\n")


async def test_what_becomes_of_a_card_is_told_between_the_lines_of_tools(desk: Desk) -> None:
    message = await desk.card()
    desk.paper.printed = ""
    await desk.draft("✓ read a\n⏳ read b")
    await desk.edit(message, OutboundKind.CARD, Plain("Run a command?"), Plain("✅ approved"))
    assert desk.paper.printed == "✓ read a\n↳ Run a command? — ✅ approved\n"


async def test_an_edit_that_changes_nothing_prints_nothing(desk: Desk) -> None:
    message = await desk.send(OutboundKind.NOTICE, Plain("hello"))
    desk.paper.printed = ""
    await desk.edit(message, OutboundKind.NOTICE, Plain("hello"))
    assert desk.paper.printed == ""


async def test_a_card_of_an_earlier_process_can_be_answered_once_it_is_redrawn(desk: Desk) -> None:
    await desk.edit("before", OutboundKind.CARD, Plain("Run a command?"), buttons=BUTTONS)
    (press,) = await desk.hold("y", EOFError())
    assert isinstance(press, Press)
    assert (press.data, press.message_id) == ("c:t:y", "before")


async def test_files_are_named_with_their_place(desk: Desk) -> None:
    files = (FileRef("/w/a.txt", "a.txt", "the\nlist"),)
    await desk.send(OutboundKind.ANSWER, files=files)
    assert desk.paper.printed == "📎 a.txt – the list (/w/a.txt)\n\n"


async def test_foreign_control_characters_are_written_out_wherever_they_stand(desk: Desk) -> None:
    evil = "a\x1b[2J\x9b\r\u202eb\u2066\x07\ud800"
    await desk.draft(evil)
    shown = desk.screen.live()
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
    shown += desk.screen.live() + desk.paper.printed
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


def test_markdown_is_shown_without_its_marks_but_code_stays() -> None:
    shown = MarkdownLines().shown(
        "# Title\n**b** `*c*` x*y* *i* 2 * 3 * 4\n```sh\n**a**\n# c\n```\n**z**"
    )
    assert plain(shown) == "Title\nb `*c*` x*y* i 2 * 3 * 4\n```sh\n**a**\n# c\n```\nz"
    assert ("bold", "b") in shown
    assert ("italic", "i") in shown


def test_signs_that_are_meant_literally_are_shown_without_their_backslash() -> None:
    shown = MarkdownLines().shown("\\<folder\\> \\*a\\* `\\]` C:\\x\n```\n\\]\n```")
    assert plain(shown) == "<folder> *a* `\\]` C:\\x\n```\n\\]\n```"
    assert not any(style for style, text in shown if "a" in text)


async def test_typing_is_seen_until_the_answer_comes(desk: Desk) -> None:
    await desk.channel.sign(ADDRESS, Sign.TYPING)
    assert desk.screen.live() == "…\n"
    await desk.answer("Hello")
    assert desk.screen.live() == ""


async def test_a_queued_message_and_a_refused_press_are_told(desk: Desk) -> None:
    await desk.channel.sign(ADDRESS, Sign.QUEUED, "m")
    await desk.channel.acknowledge(
        Press(ADDRESS, Sender("terminal", "a", "a"), "y", "h"), "Too late"
    )
    assert "queued" in desk.paper.printed
    assert "Too late" in desk.paper.printed


async def test_a_long_open_line_shows_its_end(desk: Desk) -> None:
    await desk.draft("a" * 5000 + "end")
    assert len(desk.screen.live()) < 300
    assert desk.screen.live().endswith("end\n")


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
    assert desk.screen.board.newest is not None
    assert message.quote.message_id == desk.screen.board.newest.message_id
    assert message.untrusted is None


async def test_a_key_no_card_has_is_told_and_not_sent(desk: Desk) -> None:
    assert await desk.hold(desk.card, "w", EOFError()) == []
    assert "no key w" in desk.paper.printed


async def test_a_line_that_cannot_be_stored_is_told_and_the_talk_goes_on(desk: Desk) -> None:
    desk.faults.append(StoreUnwritable("database or disk is full"))
    (message,) = await desk.hold("hello", "hello again", EOFError())
    assert isinstance(message, InboundMessage)
    assert message.text == "hello again"
    assert "nothing was sent: database or disk is full" in desk.paper.printed


async def test_what_could_not_be_stored_is_not_waited_for(desk: Desk) -> None:
    desk.faults.append(StoreBusy("locked"))
    assert await desk.hold("hello", KeyboardInterrupt()) == []


async def test_quit_leaves_without_a_word(desk: Desk) -> None:
    assert await desk.hold("/quit") == []


async def test_ctrl_c_leaves_when_nothing_goes_on(desk: Desk) -> None:
    assert await desk.hold(KeyboardInterrupt()) == []


async def test_ctrl_c_stops_a_turn_and_leaves_when_pressed_again(desk: Desk) -> None:
    interrupt = KeyboardInterrupt()
    texts = await desk.hold("hi", interrupt, interrupt)
    assert [text.text for text in texts if isinstance(text, InboundMessage)] == ["hi", "/stop"]


async def test_ctrl_c_after_the_answer_leaves(desk: Desk) -> None:
    async def answered() -> None:
        await desk.answer("Hello")

    texts = await desk.hold("hi", answered, KeyboardInterrupt())
    assert len(texts) == 1


async def test_ctrl_c_at_an_open_card_stops_its_turn(desk: Desk) -> None:
    interrupt = KeyboardInterrupt()
    (stop,) = await desk.hold(desk.card, interrupt, EOFError())
    assert isinstance(stop, InboundMessage)
    assert stop.text == "/stop"


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


async def test_all_that_a_long_card_would_run_is_on_the_screen_before_its_keys() -> None:
    desk = Desk()
    whole = "\n".join(f"line {n} of the command" for n in range(300)) + "\nrm -rf /\x1b[2J"
    document = FileRef("", "card.txt", text=whole)
    await desk.send(OutboundKind.CARD, Plain("Run?"), buttons=BUTTONS, files=(document,))
    printed = desk.paper.printed
    assert all(f"    {visible(line)}\n" in printed for line in whole.split("\n"))
    assert printed.index("rm -rf /") < printed.index("Approve")
    assert "\x1b" not in printed
