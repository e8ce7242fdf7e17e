"""Foreign words show as themselves, on the phone and in the terminal."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.adapters.telegram.markdown import formatted
from bot.adapters.terminal.fragments import joined, plain
from bot.adapters.terminal.rendering import Rendering
from bot.domain.text.markdown import inline_code, literal

_TRAPS = [
    *("\\(", "\\)", "\\[", "\\]", "\\alpha", "^2", "$", "$$", "||", "~~", "__", "**", "`", "```"),
    *("<b>", "</b>", "<!--", "&amp;", "[a](http://b.de)", "![a](b.png)", "[^1]", "http://c.de"),
    *("1.", "2) ", "- ", "+ ", "# ", "> ", "---", "===", "| a |", "[ ] ", "\n", " ", "a", "7"),
]
_SIGNS = st.text("\\`*_~|[](){}<>#!&$+-=.:;^'\"@%/? \nab1", max_size=30)
_WORDS = st.text(st.characters(exclude_categories=("Cc", "Cf", "Cs", "Zl", "Zp")), max_size=40)
_FOREIGN = _SIGNS | _WORDS | st.lists(st.sampled_from(_TRAPS), max_size=8).map("".join)

_TERMINAL = Rendering()
_WIDE = 10_000
"""Columns in which no line of these tests is wrapped."""

_PLACES = ("{}", "Hello, {}.", "- {}", "{} and {}", "Two:\n\n{}", "- a: {}\n- b: {}", "`a` {}")


def on_the_phone(source: str) -> str:
    return formatted(source).text


def in_the_terminal(source: str) -> str:
    return plain(joined(_TERMINAL.markdown(source, _WIDE))).removesuffix("\n")


@pytest.mark.parametrize("place", _PLACES)
@given(foreign=_FOREIGN)
@example(foreign="\\(xx \\alpha\\)")
@example(foreign="1. [a](http://b.de)")
def test_literal_text_shows_as_itself_on_one_line_wherever_it_stands(
    place: str, foreign: str
) -> None:
    line = " ".join(foreign.split()) or "-"
    bare, source = place.replace("{}", "W"), place.replace("{}", literal(line))

    assert on_the_phone(source) == on_the_phone(bare).replace("W", line)
    assert in_the_terminal(source) == in_the_terminal(bare).replace("W", line)


@given(foreign=_FOREIGN)
def test_literal_text_has_no_formatting(foreign: str) -> None:
    assert formatted(literal(foreign)).spans == ()


@given(foreign=_FOREIGN)
@example(foreign="a ` b `` c")
def test_inline_code_shows_as_code_with_another_sign_for_a_backtick(foreign: str) -> None:
    line = " ".join(foreign.replace("`", "'").splitlines()).strip() or "-"
    shown = formatted(f"A {inline_code(line)} b.")

    assert shown.text == f"A {line} b."
    assert [(s.kind, shown.text[s.start : s.end]) for s in shown.spans] == [("code", line)]
    assert in_the_terminal(f"A {inline_code(line)} b.") == f"A {line} b."


def test_inline_code_of_nothing_is_nothing() -> None:
    assert inline_code(" \n") == ""
