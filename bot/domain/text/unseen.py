"""Characters that nobody sees: shown where they may hide words, kept where a script needs them."""

import re
from collections.abc import Callable
from unicodedata import category

from bot.domain.text.visible_text import escape_of

_CHARACTERS = (
    "\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2"
    "\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U000110bd\U000110cd"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_RUN = re.compile(f"(?:[{_CHARACTERS}]|\r(?!\n))+")
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff]"
)

_JOINING = re.compile(
    "[\u0600-\u077f\u07c0-\u07ff\u0840-\u0dff\u0f00-\u109f\u1780-\u18af\u1a20-\u1aaf\u1b00-\u1bff"
    "\ua840-\ua87f\ua980-\ua9df\ufb50-\ufdff\ufe70-\ufefc\U00010d00-\U00010d3f"
    "\U00010f30-\U00010f6f\U00011000-\U00011fff\U0001e900-\U0001e95f]"
)
"""Scripts whose letters change when they are joined or parted."""

_SPACELESS = re.compile("[\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u19e0-\u19ff\ua980-\ua9df]")
"""Scripts that mark the ends of words with a space of no width."""

_IDEOGRAPH = re.compile(
    "[\u2e80-\u2fdf\u3001-\u3002\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af]"
)
_EMOJI = re.compile(
    "[\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff\u00a9\u00ae\u203c"
    "\u2049\u2122\u2139]"
)
_FLAGS = frozenset(
    "".join(chr(0xE0000 + ord(letter)) for letter in land) + "\U000e007f"
    for land in ("gbeng", "gbsct", "gbwls")
)
"""The tags behind a black flag that make it the flag of England, Scotland or Wales."""

_FLAG = "\U0001f3f4"
_MOST_SHOWN = 80
"""Characters of one run that are written out one by one."""

_NEAR = 100
"""Characters around a direction mark in which a script from right to left must stand."""

_MOST_MARKS = 3
"""Direction marks in a row: nested quotations end together."""


def unseen_shown(text: str) -> tuple[str, int]:
    """Returns the text with characters that hide as escapes, and how many of them it holds.

    Whatever a script needs to look right stays: joiners, emoji sequences, flags, soft hyphens.
    """
    if text.isascii() and text.isprintable():
        return text, 0
    count = 0

    def shown(run: re.Match[str]) -> str:
        nonlocal count
        if _belongs(text, run):
            return run[0]
        count += len(run[0])
        told = "".join(map(escape_of, run[0][:_MOST_SHOWN]))
        more = len(run[0]) - _MOST_SHOWN
        return f"{told}[{more} more hidden characters]" if more > 0 else told

    return _RUN.sub(shown, text), count


def _belongs(text: str, run: re.Match[str]) -> bool:
    """Tells if a script needs these characters just here."""
    letters = run[0]
    before = text[run.start() - 1] if run.start() else ""
    after = text[run.end()] if run.end() < len(text) else ""
    if letters in ("\u200d", "\ufe0f\u200d") and _in(_EMOJI, before) and _in(_EMOJI, after):
        return True
    if before == _FLAG and letters in _FLAGS:
        return True
    if set(letters) <= _DIRECTIONS:
        return len(letters) <= _MOST_MARKS and _reads_right_to_left(text, run)
    if len(letters) > 1:
        return False
    if letters == "\ufeff":
        return run.start() == 0
    fits = _RULES.get(letters)
    return fits is not None and fits(before, after)


def _reads_right_to_left(text: str, run: re.Match[str]) -> bool:
    # A bounded look, so that many marks in one long line do not take their time squared.
    first, last = max(0, run.start() - _NEAR), run.end() + _NEAR
    start = text.rfind("\n", first, run.start()) + 1 or first
    end = text.find("\n", run.end(), last)
    return _RIGHT_TO_LEFT.search(text, start, end if end >= 0 else last) is not None


def _in(script: re.Pattern[str], letter: str) -> bool:
    return bool(letter) and script.match(letter) is not None


def _beside(script: str) -> Callable[[str, str], bool]:
    found = re.compile(f"[{script}]")
    return lambda before, after: _in(found, before) or _in(found, after)


def _is_word(letter: str) -> bool:
    return bool(letter) and category(letter)[0] in "LM"


def _is_seen(letter: str) -> bool:
    return bool(letter) and category(letter)[0] in "LMNPS"


def _chooses_a_form(before: str, after: str) -> bool:
    """Tells if a selector chooses the form of an emoji, of a keycap or of a sign of mathematics."""
    keycap = before in tuple("0123456789#*") and after == "\u20e3"
    return keycap or _in(_EMOJI, before)


_DIRECTIONS = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u2066\u2067\u2068\u2069")
"""Marks of direction, but for those that turn letters around."""

_NEEDED: tuple[tuple[str, Callable[[str, str], bool]], ...] = (
    ("\u200c\u200d", lambda before, after: _in(_JOINING, before)),
    ("\u200b", lambda before, after: _in(_SPACELESS, before) and _in(_SPACELESS, after)),
    ("\u00ad", lambda before, after: _is_word(before) and _is_word(after)),
    ("\u2061\u2062\u2063\u2064", lambda before, after: _is_seen(before) and _is_seen(after)),
    ("\ufe0e\ufe0f", _chooses_a_form),
    (
        "\ufe00\ufe01\ufe02",
        lambda before, after: _in(_IDEOGRAPH, before) or category(before or " ") == "Sm",
    ),
    ("".join(map(chr, range(0xE0100, 0xE0120))), lambda before, after: _in(_IDEOGRAPH, before)),
    (
        "\u034f",
        lambda before, after: _is_word(before) and bool(after) and category(after)[0] == "M",
    ),
    (
        "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u0890\u0891\u08e2",
        _beside("\u0606-\u06dc\u06de-\u088f\u0892-\u08e1\u08e3-\u08ff"),
    ),
    ("\u070f", _beside("\u0700-\u070e\u0710-\u074f")),
    ("\u115f\u1160", _beside("\u1100-\u115e\u1161-\u11ff")),
    ("\u180b\u180c\u180d\u180e\u180f", _beside("\u1820-\u18af")),
    ("\u2800", _beside("\u2801-\u28ff")),
    ("\U000110bd\U000110cd", _beside("\U00011080-\U000110bc\U000110be-\U000110cc")),
    ("".join(map(chr, range(0x13430, 0x13440))), _beside("\U00013000-\U0001342f")),
    ("\U0001bca0\U0001bca1\U0001bca2\U0001bca3", _beside("\U0001bc00-\U0001bc9f")),
    (
        "".join(map(chr, range(0x1D173, 0x1D17B))),
        _beside("\U0001d100-\U0001d172\U0001d17b-\U0001d1ff"),
    ),
)
"""Characters with the rule that says if the letter before or behind them needs them."""

_RULES = {letter: fits for letters, fits in _NEEDED for letter in letters}
