"""What a typed line means beside open cards."""

import pytest

from bot.adapters.terminal.board import Board, OpenCard
from bot.adapters.terminal.typed import Left, Misread, Pressed, Said, Typed, read_typed
from bot.domain.approval import Verb
from bot.domain.message import Button

ASK = (Button("✅ Approve", "c:1:y"), Button("❌ Deny", "c:1:n"), Button("⏹ Stop", "c:1:s"))
WIDER = (
    Button("✅ Approve", "c:2:y"),
    Button("🔁 Always: pytest", "c:2:w"),
    Button("❌ Deny", "c:2:n"),
)


@pytest.fixture
def board() -> Board:
    board = Board()
    board.put("m1", "Run a command?", ASK)
    board.put("m2", "Write a file?", WIDER)
    return board


def card(board: Board, number: int) -> OpenCard:
    found = board.numbered(number)
    assert found is not None
    return found


@pytest.mark.parametrize("line", ["hello", "y", "y2", "2: no", "yes", "/help", "1) first"])
def test_without_a_card_everything_is_a_message(line: str) -> None:
    assert read_typed(line, None, Board()) == Said(line)


@pytest.mark.parametrize("line", ["", "   ", "\t"])
def test_nothing_typed_is_nothing(line: str, board: Board) -> None:
    assert read_typed(line, board.newest, board) is None


def test_leaving(board: Board) -> None:
    assert read_typed(" /quit ", board.newest, board) == Left()


@pytest.mark.parametrize(
    ("line", "number", "data"),
    [
        ("y", 2, "c:2:y"),
        ("W", 2, "c:2:w"),
        ("y2", 2, "c:2:y"),
        ("y1", 1, "c:1:y"),
        ("s1", 1, "c:1:s"),
    ],
)
def test_a_key_presses_the_newest_or_the_numbered_card(
    board: Board, line: str, number: int, data: str
) -> None:
    assert read_typed(line, board.newest, board) == Pressed(card(board, number), data)


@pytest.mark.parametrize("line", ["w1", "a", "k", "y3"])
def test_a_key_no_card_has_sends_nothing(board: Board, line: str) -> None:
    assert isinstance(read_typed(line, board.newest, board), Misread)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("use make instead", ("use make instead", 2)),
        ("no", ("no", 2)),
        ("1: too early", ("too early", 1)),
        ("2) not there", ("not there", 2)),
        ("7: is no card", ("7: is no card", 2)),
    ],
)
def test_other_text_replies_to_the_newest_or_the_numbered_card(
    board: Board, line: str, said: tuple[str, int]
) -> None:
    text, number = said
    assert read_typed(line, board.newest, board) == Said(text, card(board, number))


def test_other_text_is_no_reply_to_a_card_that_only_buttons_answer(board: Board) -> None:
    asked = board.put("m3", "Shall it?", (Button("Replace", "r:1:r"), Button("Keep", "r:1:k")))
    assert read_typed("what time is it?", asked, board) == Said("what time is it?")
    assert read_typed("3: what about it?", asked, board) == Said("what about it?", asked)
    assert read_typed("k", asked, board) == Pressed(asked, "r:1:k")


@pytest.mark.parametrize("line", ["yes", "OK", "Approve"])
def test_words_of_assent_are_asked_about_rather_than_taken_for_a_reason(
    board: Board, line: str
) -> None:
    assert isinstance(read_typed(line, board.newest, board), Misread)


@pytest.mark.parametrize("line", ["/stop", "/approvals", "/nonsense x"])
def test_commands_are_no_denial(board: Board, line: str) -> None:
    assert read_typed(line, board.newest, board) == Said(line)


def test_what_was_begun_for_one_card_never_answers_a_later_one(board: Board) -> None:
    first = card(board, 1)
    assert read_typed("y", first, board) == Pressed(first, "c:1:y")
    assert read_typed("y", None, board) == Said("y")
    board.close("m1")
    assert isinstance(read_typed("y", first, board), Misread)


def test_a_card_keeps_its_number_while_it_is_open(board: Board) -> None:
    board.put("m2", "Write a file?", ASK)
    assert card(board, 2).message_id == "m2"
    board.close("m1")
    assert board.put("m3", "Third", ASK).number == 3
    board.close("m2")
    board.close("m3")
    assert board.put("m4", "Fourth", ASK).number == 1


def test_buttons_without_a_wish_get_letters_that_stand_for_none() -> None:
    buttons = (Button("Say so", "x:1"), Button("Stop", "x:2"), Button("…", "7"))
    opened = Board().put("m", "Again?", buttons)
    assert list(opened.buttons.values()) == list(buttons)
    assert list(opened.buttons)[:2] == ["o", "t"]
    assert not set(opened.buttons) & set(Verb)


def test_each_wish_has_its_own_key_whatever_the_label_says() -> None:
    buttons = tuple(Button("All the same", f"c:token:{verb.value}") for verb in Verb)
    opened = Board().put("m", "Run?", buttons)
    assert dict(opened.buttons) == {
        verb.value: button for verb, button in zip(Verb, buttons, strict=True)
    }


def test_hints_carry_the_number_of_later_cards(board: Board) -> None:
    assert card(board, 1).hints() == "[y] ✅ Approve  [n] ❌ Deny  [s] ⏹ Stop"
    assert card(board, 2).hints().startswith("[y2] ✅ Approve  [w2] 🔁")


def test_hints_after_a_misread_name_keys_that_work(board: Board) -> None:
    typed: Typed | None = read_typed("k", board.newest, board)
    assert isinstance(typed, Misread)
    assert "y2, w2 or n2" in typed.hint
