"""How contents look on a terminal: wrapped, coloured, in parts, and safe."""

import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from prompt_toolkit.utils import get_cwidth

from bot.adapters.terminal.ansi import encoded
from bot.adapters.terminal.board import Board
from bot.adapters.terminal.box import box, inner_width
from bot.adapters.terminal.fragments import LINK, Fragments, Lines, joined, plain
from bot.adapters.terminal.greeting import Greeting
from bot.adapters.terminal.look import Look, look_of
from bot.adapters.terminal.rendering import Rendering
from bot.domain.talk.message import Button

SHOWN = Rendering()

TEXT = """# A title

Some **bold**, *italic* and `code` words that go on for a while, with [a link](https://example.org/x).

- one
- two with more words than fit into a narrow line of the terminal
  - nested
- [ ] open task
- [x] done task

3. three
4. four

> quoted words

| name | count |
|------|------:|
| left | 12 |

```python
def greet(name: str) -> str:
    return f"Hello, {name}!"
```
"""


def shown(text: str, width: int = 60) -> str:
    return plain(joined(SHOWN.markdown(text, width)))


def styles(lines: Lines) -> dict[str, str]:
    return {text.strip(): style for line in lines for style, text in line}


@pytest.mark.parametrize("width", [40, 60, 100])
def test_lines_are_wrapped_between_words(width: int) -> None:
    for text in (shown(TEXT, width), plain(joined(SHOWN.plain("words and more " * 40, width)))):
        assert all(get_cwidth(line) <= width for line in text.split("\n"))
    found = {word.strip("().,") for word in shown(TEXT, width).split()}
    assert {"terminal", "https://example.org/x", "nested", "while"} <= found


def test_markdown_is_shown_without_its_marks() -> None:
    text = shown(TEXT)
    assert text.startswith("A title\n\nSome bold, italic and code words")
    assert "a link (https://example.org/x)" in text
    assert " • one\n • two with" in text
    assert "    • nested\n • ☐ open task\n • ☑ done task\n\n 3. three\n 4. four" in text
    assert "▌ quoted words" in text
    assert "name   count\n────────────\nleft      12" in text
    assert "  def greet(name: str) -> str:\n      return" in text
    assert "`" not in text


def test_styles_say_what_is_what() -> None:
    found = styles(SHOWN.markdown(TEXT, 100))
    assert found["A title"] == "bold underline"
    assert (found["bold"], found["italic"], found["code"]) == ("bold", "italic", "cyan")
    assert found["a link"] == f"underline {LINK}https://example.org/x"
    assert "blue" in found["def"]


def test_a_diff_shows_what_comes_and_what_goes() -> None:
    found = styles(SHOWN.code("— line 3 —\n-old\n+new\n same", "diff", 60))
    assert (found["-old"], found["+new"], found["— line 3 —"]) == ("red", "green", "cyan")
    assert found["same"] == ""


def test_code_that_goes_on_in_the_next_line_says_so() -> None:
    lines = [plain(line) for line in SHOWN.code("rm -rf one two\nls", "", 12)]
    assert lines == ["  rm -rf one", "↪ two", "  ls"]


def test_a_table_that_would_break_words_is_shown_row_by_row() -> None:
    text = "| description | reason |\n|---|---|\n| everlasting | misunderstanding |\n| a | b |\n"
    assert shown(text, 40).startswith("description   reason")
    assert shown(text, 20) == (
        "description:\neverlasting\nreason:\nmisunderstanding\n\ndescription: a\nreason: b\n"
    )


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("/skill <name> and <channel:id>", "/skill <name> and <channel:id>"),
        ("<b>x</b>\n\n<div>y</div>", "<b>x</b>\n\n<div>y</div>"),
        ("[bank](https://evil.example/)", "bank (https://evil.example/)"),
        ("<https://ok.example>", "https://ok.example"),
        ("[x](javascript:alert)", "[x](javascript:alert)"),
        ("![alt](http://x/y.png)", "🖼 alt (http://x/y.png)"),
        ("\\<folder\\> \\*a\\*", "<folder> *a*"),
        ("one\ntwo", "one\ntwo"),
    ],
)
def test_nothing_of_a_text_is_hidden(text: str, seen: str) -> None:
    assert shown(text).strip() == seen


_STYLED = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;;[!-~]*\x1b\\")


@given(st.text(), st.sampled_from([40, 100]))
@example("&#27;[2J &#x202e; [a](https://x/\x1b]8;;)", 40)
@example("\x1b[2J\x9b\r\u202e\u2066\x07\ud800", 40)
@example("```\n\x1b[2J\n```\n- \x1b[2J\n\n| \x1b |\n|---|\n| \x1b[2J |", 40)
def test_no_text_brings_control_characters_of_its_own(text: str, width: int) -> None:
    look = Look(columns=width, links=True)
    laid_out = [
        *SHOWN.markdown(text, width),
        *SHOWN.plain(text, width),
        *SHOWN.code(text, "py", width),
    ]
    rest = _STYLED.sub("", encoded(joined(laid_out), look))
    unsafe = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert not [c for c in rest if c not in "\n\u200c\u200d" and unicodedata.category(c) in unsafe]


@given(st.text("ab \n-`>#|*1.", max_size=80), st.integers(0, 80))
@example("- a\n- b\n\nc", 5)
@example("```\na\nb\n```\nc", 6)
def test_a_text_that_grows_changes_nothing_before_its_last_border(text: str, cut: int) -> None:
    begun = text[: text.rfind("\n", 0, cut) + 1]
    settled = SHOWN.borders(begun)[-2].place if begun else 0
    if settled:
        before = plain(joined(SHOWN.markdown(begun, 60, 0, settled)))
        assert plain(joined(SHOWN.markdown(text, 60))).startswith(before.rstrip("\n"))


def test_colours_are_left_out_where_nobody_wants_them() -> None:
    fragments: Fragments = [("bold red", "x"), (f"underline {LINK}https://y/", "y")]
    assert encoded(fragments, Look(links=True)) == (
        "\x1b[1;31mx\x1b[0m\x1b]8;;https://y/\x1b\\\x1b[4my\x1b[0m\x1b]8;;\x1b\\"
    )
    assert encoded(fragments, Look(colours=False)) == "\x1b[1mx\x1b[0m\x1b[4my\x1b[0m"
    assert encoded(fragments, Look(dumb=True)) == "xy"


@pytest.mark.parametrize(
    ("environ", "colours", "dumb", "links"),
    [
        ({"TERM": "xterm-256color"}, True, False, False),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False, False, False),
        ({"TERM": "xterm", "NO_COLOR": ""}, True, False, False),
        ({"TERM": "dumb", "VTE_VERSION": "7000"}, False, True, False),
        ({}, False, True, False),
        ({"TERM": "xterm", "VTE_VERSION": "7000"}, True, False, True),
        ({"TERM": "xterm", "TERM_PROGRAM": "iTerm.app"}, True, False, True),
    ],
)
def test_the_environment_says_what_a_terminal_can_show(
    environ: dict[str, str], colours: bool, dumb: bool, links: bool
) -> None:
    look = look_of(environ, 80, 24)
    assert (look.colours, look.dumb, look.links) == (colours, dumb, links)


def test_a_box_keeps_to_the_width_and_labels_are_wrapped() -> None:
    board, look = Board(), Look(columns=40)
    label = "🔁 Always allow exactly this long thing here"
    buttons = (Button("✅ Approve", "c:1:y"), Button(label, "c:1:w"), Button("❌ Deny", "c:1:n"))
    card = board.put("m", ["Create a.md?"], buttons)
    lines = [plain(line) for line in box([[("bold", "Create a.md?")]], card, board, look)]
    assert lines[0].startswith("╭──")
    assert lines[-1].startswith("╰──")
    assert all(line.startswith("│") for line in lines[1:-1])
    assert all(get_cwidth(line) <= 40 for line in lines)
    assert inner_width(look) == 37
    assert lines[-3:-1] == ["│ [n] ❌ Deny", "│ or type “c:” and a change"]


@pytest.mark.parametrize(
    ("told", "printed"),
    [
        ("⏹ Stopped · Create a.md", "⏹  Stopped · Create a.md"),
        ("↳ A trip: ⏭ Skipped", "↳ A trip: ⏭  Skipped"),
        ("⚠️ It deletes\n⏸ 1 card waits", "⚠️  It deletes\n⏸  1 card waits"),
        ("✅ Approved · ✓ Write a", "✅ Approved · ✓ Write a"),
        ("- one\n1 two\n— from line 2 —", "- one\n1 two\n— from line 2 —"),
    ],
)
def test_a_sign_that_terminals_draw_wider_keeps_off_the_word_behind_it(
    told: str, printed: str
) -> None:
    lines = SHOWN.plain(told, 60)
    assert [plain(line) for line in lines] == printed.split("\n")
    assert SHOWN.plain(printed, 60) == lines, "printed again, it stays as it is"
    code = [plain(line)[2:] for line in SHOWN.code(told, "", 60)]
    assert code == told.split("\n"), "contents stay as they are"


def test_the_keys_of_a_card_keep_their_signs_apart() -> None:
    board, look = Board(), Look(columns=60)
    buttons = (Button("✏️ Change…", "a:1:c"), Button("⏹ Stop", "a:1:s"), Button("✅ Go", "a:1:y"))
    card = board.put("m", ["Create a.md?"], buttons)
    lines = [plain(line) for line in box([], card, board, look)]
    assert "│ [c] ✏️  Change…  [s] ⏹  Stop  [y] ✅ Go" in lines


def test_a_wide_terminal_gives_tables_the_width_and_keeps_prose_readable() -> None:
    cells = " | ".join(f"column{n}xxxxxxx" for n in range(8))
    text = f"{'word ' * 60}\n\n| {cells} |\n|{'---|' * 8}\n| {cells} |\n\n- {'item ' * 60}"
    lines = shown(text, 140).split("\n")
    assert max(len(line) for line in lines if "word" in line or "item" in line) <= 100
    assert sum("column0" in line and "column7" in line for line in lines) == 2


@pytest.mark.parametrize(("columns", "most"), [(40, 40), (140, 100)])
def test_the_greeting_keeps_to_lines_that_can_be_read(columns: int, most: int) -> None:
    greeting = Greeting(
        "0.1.0", Path("/a/folder") / ("x" * 90), "a model, " * 20, ("Try this. " * 15,)
    )
    lines = [plain(line) for line in greeting.lines(columns)]
    assert max(map(len, lines)) <= most
    assert len(lines) > 9
