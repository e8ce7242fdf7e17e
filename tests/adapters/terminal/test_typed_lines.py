"""What a typed line means beside open cards."""

import pytest

from bot.adapters.terminal.board import Board, OpenCard, name_of
from bot.adapters.terminal.typed import Left, Misread, Pressed, Said, Typed, read_typed
from bot.domain.consent.approval import Verb
from bot.domain.talk.message import Button
from tests.words import BUTTON_GONE, KEY_SPENT, NO_SUCH_KEY

ASK = (Button("✅ Approve", "c:1:y"), Button("❌ Deny", "c:1:n"), Button("⏹ Stop", "c:1:s"))
WIDER = (
    Button("✅ Approve", "c:2:y"),
    Button("🔁 Always: pytest", "c:2:w"),
    Button("❌ Deny", "c:2:n"),
)


@pytest.fixture
def board() -> Board:
    """Two open cards."""
    board = Board()
    board.put("m1", ["Create a file?", "a.md (new file, 4 B)"], ASK)
    board.put("m2", ["🔐 Write b.md"], WIDER)
    return board


@pytest.fixture
def one() -> Board:
    """One open card."""
    board = Board()
    board.put("m1", ["🔐 Create a file?", "a.md (new file, 4 B)"], ASK)
    return board


STAYS = "The card stays open. Its keys: y Approve, n Deny or s Stop."


def card(board: Board, number: int) -> OpenCard:
    found = board.numbered(number)
    assert found is not None
    return found


def read(line: str, board: Board) -> Typed | None:
    """Read a line that was begun when all cards were open."""
    return read_typed(line, board.cards, board)


def hint(typed: Typed | None) -> str:
    assert isinstance(typed, Misread)
    return typed.hint


@pytest.mark.parametrize("line", ["hello", "y", "y2", "2: no", "yes", "/help", "1) first"])
def test_without_a_card_everything_is_a_message(line: str) -> None:
    assert read(line, Board()) == Said(line)


@pytest.mark.parametrize("line", ["", "   ", "\t"])
def test_nothing_typed_is_nothing(line: str, board: Board) -> None:
    assert read(line, board) is None


def test_leaving(board: Board) -> None:
    assert read(" /quit ", board) == Left()


@pytest.mark.parametrize(("line", "data"), [("y", "c:1:y"), ("N", "c:1:n"), ("y1", "c:1:y")])
def test_a_key_presses_the_only_card(one: Board, line: str, data: str) -> None:
    assert read(line, one) == Pressed(card(one, 1), data)


@pytest.mark.parametrize(
    ("line", "number", "data"), [("y2", 2, "c:2:y"), ("y1", 1, "c:1:y"), ("S1", 1, "c:1:s")]
)
def test_a_key_with_a_number_presses_that_card(
    board: Board, line: str, number: int, data: str
) -> None:
    assert read(line, board) == Pressed(card(board, number), data)


def test_a_bare_key_asks_which_card_as_soon_as_two_are_open(board: Board) -> None:
    assert hint(read("y", board)) == "Which one: y1 a.md, y2 Write b.md?"
    assert (
        hint(read("r", board)) == "No open card has a key r. Type y1 for a.md, y2 for Write b.md."
    )


def test_a_bare_key_presses_the_only_card_that_has_it_and_had_it_all_the_time(
    board: Board,
) -> None:
    second = card(board, 2)
    assert read("w", board) == Pressed(second, "c:2:w")
    # The line was begun while another card was shown, so it cannot have been for this one.
    assert isinstance(read_typed("w", (card(board, 1),), board), Misread)


@pytest.mark.parametrize("line", ["w1", "k", "y3"])
def test_a_key_no_card_has_sends_nothing(board: Board, line: str) -> None:
    assert hint(read(line, board))


def test_one_key_approves_a_round_while_any_card_of_it_is_open() -> None:
    board = Board()
    first = board.put("m1", ["a.md"], (*ASK, Button("✅ Approve all (2)", "c:1:a")))
    board.put("m2", ["b.md"], WIDER)
    assert board.key_of(first, "y") == "y1"
    assert board.key_of(first, "a") == "a"
    assert read("a", board) == Pressed(first, "c:1:a")
    begun = board.cards
    board.close("m1")
    assert read_typed("a", begun, board) == Pressed(first, "c:1:a")
    board.close("m2")
    assert hint(read_typed("a", begun, board))


@pytest.mark.parametrize(
    "line",
    ["use make instead", "yes", "OK, go ahead!", "👍", "is this safe?", "ok?", "n-body sums"],
)
def test_words_are_a_message_and_the_card_stays(one: Board, line: str) -> None:
    assert read(line, one) == Said(line, None, STAYS)


@pytest.mark.parametrize(
    "line",
    [
        *("n because it is late", "n, because it is late"),
        *("c: because it is late", "C : because it is late", "1: because it is late"),
    ],
)
def test_a_reason_behind_a_key_is_sent_without_the_key(one: Board, line: str) -> None:
    assert read(line, one) == Said("because it is late", card(one, 1))


@pytest.mark.parametrize("line", ["no", "Nope!", "No, thanks."])
def test_no_is_a_message_about_which_nothing_is_said_before_it_is_taken(
    one: Board, line: str
) -> None:
    assert read(line, one) == Said(line)


def test_a_reason_beside_two_cards_needs_a_number(board: Board) -> None:
    asked = hint(read("n use make instead", board))
    assert "1 a.md, 2 Write b.md" in asked
    assert "as in “c1: …”" in asked
    assert hint(read("c: use make instead", board)) == asked
    assert read("c2: use make", board) == Said("use make", card(board, 2))
    assert read("c use make instead", board) == Said(
        "c use make instead", None, "2 cards stay open."
    )
    assert read("use make instead", board) == Said("use make instead", None, "2 cards stay open.")
    assert read("n2 use make", board) == Said("use make", card(board, 2))
    assert read("1: too early", board) == Said("too early", card(board, 1))
    assert read("2) not there", board) == Said("not there", card(board, 2))


def test_words_below_an_answer_are_a_message_and_older_cards_stay(one: Board) -> None:
    one.note_answer()
    assert read("write a poem", one) == Said("write a poem", None, STAYS)
    assert read("1: too early", one) == Said("too early", card(one, 1))
    assert read("c: too early", one) == Said("too early", card(one, 1))
    assert read("y", one) == Pressed(card(one, 1), "c:1:y")


def test_other_text_is_no_reply_to_a_card_that_only_buttons_answer() -> None:
    board = Board()
    asked = board.put("m3", ["Shall it?"], (Button("Replace", "r:1:r"), Button("Keep", "r:1:k")))
    typed = read("the weather is fine", board)
    assert typed == Said(
        "the weather is fine", None, "The card stays open. Its keys: r Replace or k Keep."
    )
    assert read("1: what about it", board) == Said("what about it", asked)
    assert read("k", board) == Pressed(asked, "r:1:k")


@pytest.mark.parametrize("line", ["/stop", "/approvals", "/nonsense x"])
def test_commands_are_no_denial(board: Board, line: str) -> None:
    assert read(line, board) == Said(line)


def test_what_was_begun_for_one_card_never_answers_a_later_one(one: Board) -> None:
    begun = one.cards
    assert "came up while you were typing" in hint(read_typed("y", (), one))
    assert read_typed("hello", (), one) == Said("hello", None, STAYS)
    one.put("m2", ["b.md"], WIDER)
    assert "came up while you were typing" in hint(read_typed("y2", begun, one))
    assert "came up while you were typing" in hint(read_typed("2: no good", begun, one))
    assert read_typed("n use make", begun, one) == Said("use make", card(one, 1))
    one.close("m1")
    assert hint(read_typed("y", begun, one)) == "That card is closed; nothing was sent."
    assert hint(read_typed("y1", begun, one)) == "That card is closed; nothing was sent."


def test_a_card_keeps_its_number_while_it_is_open(board: Board) -> None:
    board.put("m2", ["Write a file?"], ASK)
    assert card(board, 2).message_id == "m2"
    board.close("m1")
    assert board.put("m3", ["Third"], ASK).number == 3
    board.close("m2")
    board.close("m3")
    assert board.put("m4", ["Fourth"], ASK).number == 1


def test_buttons_without_a_wish_get_letters_that_stand_for_none() -> None:
    buttons = (Button("Say so", "x:1"), Button("Stop", "x:2"), Button("…", "7"))
    opened = Board().put("m", ["Again?"], buttons)
    assert list(opened.buttons.values()) == list(buttons)
    assert list(opened.buttons)[:2] == ["o", "t"]
    assert not set(opened.buttons) & set(Verb)


def test_each_wish_has_its_own_key_whatever_the_label_says() -> None:
    buttons = tuple(Button("All the same", f"c:token:{verb.value}") for verb in Verb)
    opened = Board().put("m", ["Run?"], buttons)
    assert dict(opened.buttons) == {
        verb.value: button for verb, button in zip(Verb, buttons, strict=True)
    }


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (["🔐 Create a file?", "notes/todo.md (new file, 49 B)"], "notes/todo.md"),
        (["🔐 Run a command?", "$ pytest -q"], "pytest -q"),
        (["📋 A note and a greeting · 2 steps"], "A note and a greeting"),
        (["🔐 Create report.md?"], "Create report.md"),
        (["🔐 Run this command", "cat a.md"], "“cat a.md”"),
        (["🔐 Use echo of the server nasty?", "{}"], "Use echo of the server nasty"),
        (["x" * 100], "x" * 39 + "…"),
        (["🔐"], "🔐"),
        ([], ""),
    ],
)
def test_a_card_is_named_after_the_thing_that_it_asks_about(lines: list[str], name: str) -> None:
    assert name_of(lines) == name


def test_cards_of_one_name_are_told_apart_by_what_differs() -> None:
    board = Board()
    board.put("m1", ["🔐 Edit a.md · 1 of 2", "- one", "+ two", "open for 24 h"], ASK)
    board.put("m2", ["🔐 Edit a.md · 2 of 2", "- three", "+ four", "open for 24 h"], ASK)
    assert hint(read("y", board)) == "Which one: y1 Edit a.md (- one), y2 Edit a.md (- three)?"
    board.put("m3", ["🔐 Edit a.md", "- one", "+ two", "open for 24 h"], ASK)
    assert "n1 Edit a.md, n2 Edit a.md (- three), n3 Edit a.md?" in hint(read("n", board))


UNDO = (Button("↩️ Undo", "m:memory:undo 1"),)


def test_an_option_has_a_letter_of_its_own_and_no_card_gets_a_number_by_it(one: Board) -> None:
    option = one.option("m9", ["📝 Noted: no nuts"], UNDO)
    assert option is not None
    assert read_typed("u", one.shown, one) == Pressed(option, "m:memory:undo 1")
    assert read_typed("y", one.shown, one) == Pressed(card(one, 1), "c:1:y")
    assert read_typed("u", (), one) != Pressed(option, "m:memory:undo 1"), "it came up meanwhile"


@pytest.mark.parametrize("line", ["no nuts", "is it?", "no", "a"])
def test_words_answer_the_message_that_asks_for_them_once(line: str) -> None:
    board = Board()
    board.ask("m8", ["✏️ What should the note say?"])
    asking = board.asking
    assert read_typed(line, board.shown, board) == Said(line, asking)
    assert read_typed(line, (), board) == Said(line), "it came up meanwhile"
    assert read_typed("/memory", board.shown, board) == Said("/memory")
    board.go_on()
    assert read_typed(line, board.shown, board) == Said(line)


def test_a_key_of_an_open_card_is_no_answer_to_a_question(one: Board) -> None:
    one.ask("m8", ["✏️ What should the note say?"])
    assert read_typed("y", one.shown, one) == Pressed(card(one, 1), "c:1:y")
    assert read_typed("no nuts", one.shown, one) == Said("no nuts", one.asking)


def test_words_beside_an_option_alone_are_a_message_and_end_it() -> None:
    board = Board()
    board.option("m9", ["📝 Noted: no nuts"], UNDO)
    assert read_typed("no", board.shown, board) == Said("no")
    board.go_on()
    assert board.shown == ()
    spent = hint(read_typed("U", board.shown, board))
    assert f"{KEY_SPENT} ↩️ Undo of “Noted: no nuts”. Nothing was sent." in spent
    assert read_typed("u", board.shown, board) == Said("u"), "typed again it is words"


def test_a_spent_key_is_not_sent_beside_the_buttons_of_an_answer_either() -> None:
    board = Board()
    board.option("m9", ["📝 Noted: no nuts"], UNDO)
    board.go_on()
    board.put("m1", ["I stopped."], (Button("▶️ Go on", "w:1:g"),), leads_on=True)
    assert KEY_SPENT in hint(read_typed("u", board.shown, board))
    assert read_typed("u", board.shown, board) == Said("u")


def test_a_number_is_a_spent_key_until_an_answer_may_have_asked_for_one() -> None:
    board = Board()
    for message in ("m1", "m2"):
        board.option(message, ["My notes:"], (Button("2", "m:memory:show 2"),))
        board.go_on()
        if message == "m1":
            assert KEY_SPENT in hint(read_typed("2", board.shown, board))
    board.note_answer()
    assert read_typed("2", board.shown, board) == Said("2")


def test_letters_that_answer_questions_are_never_spent_keys() -> None:
    board = Board()
    board.option("m1", ["Sure?"], (Button("Yes", "m:x:1"), Button("No", "m:x:2")))
    board.go_on()
    assert [read_typed(line, (), board) for line in "yn"] == [Said("y"), Said("n")]


def test_the_first_letter_of_a_talk_is_taken_for_a_key_of_an_earlier_one() -> None:
    board = Board()
    board.go_on()
    board.note_answer("It's in May, and it flowers for a week.")
    assert NO_SUCH_KEY in hint(read_typed("s", (), board))
    assert read_typed("s", (), board) == Said("s")


@pytest.mark.parametrize("answer", ["Shall I take R, S or T?", "(r) red, (s) silver", "s/m/l?"])
def test_a_letter_that_an_answer_named_is_sent(answer: str) -> None:
    board = Board()
    board.note_answer(answer)
    assert read_typed("s", (), board) == Said("s")


def test_options_of_one_kind_are_told_apart_by_numbers() -> None:
    board = Board()
    board.option("m1", ["one"], UNDO)
    second = board.option("m2", ["two"], UNDO)
    assert second is not None
    assert board.key_of(second, "u") == "u2"
    assert read_typed("u2", board.shown, board) == Pressed(second, "m:memory:undo 1")


def test_an_option_goes_when_a_card_takes_its_letter() -> None:
    board = Board()
    board.option("m1", ["one"], (Button("🗑 1", "m:memory:delete 1"),))
    assert [list(option.buttons) for option in board.shown] == [["a"]]
    opened = board.put("m2", ["🔐 Write b.md · 1 of 2"], (*ASK, Button("All", "c:1:a")))
    assert board.shown == (opened,)


def test_a_menu_takes_no_words_whatever_letters_its_buttons_got() -> None:
    board = Board()
    board.put("m1", ["This chat uses x/opus."], (Button("claude", "m:model:x/c"),), leads_on=True)
    (menu,) = board.cards
    assert list(menu.buttons) == ["c"]
    assert (menu.takes_words, read_typed("cheaper", board.shown, board)) == (False, Said("cheaper"))


def test_a_key_of_a_card_that_has_just_gone_is_sent_only_when_it_is_typed_again(
    one: Board,
) -> None:
    one.close("m1")
    assert BUTTON_GONE in hint(read("y", one))
    assert read("y", one) == Said("y")


def test_after_the_next_message_a_letter_is_a_letter(one: Board) -> None:
    one.close("m1")
    one.go_on()
    assert read("y", one) == Said("y")
