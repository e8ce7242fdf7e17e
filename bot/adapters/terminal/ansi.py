"""Writes fragments as a terminal reads them; this file alone makes escape sequences."""

from bot.adapters.terminal.fragments import COLOURS, LINK, Fragments
from bot.adapters.terminal.look import Look

_CODES = {"bold": "1", "dim": "2", "italic": "3", "underline": "4", "reverse": "7", "strike": "9"}
_COLOUR_CODES = {
    **{name: str(30 + n) for n, name in enumerate(COLOURS)},
    **{f"bright_{name}": str(90 + n) for n, name in enumerate(COLOURS)},
}


def encoded(fragments: Fragments, look: Look) -> str:
    """Returns the text with its styles, as far as the terminal can show them."""
    return "".join(_encoded(style.split(), text, look) for style, text in fragments if text)


def _encoded(words: list[str], text: str, look: Look) -> str:
    # No text brings escapes of its own, wherever it comes from.
    text = text.replace("\x1b", "?").replace("\x9b", "?")
    if look.dumb:
        return text
    codes = [_CODES[word] for word in words if word in _CODES]
    if look.colours:
        codes += [_COLOUR_CODES[word] for word in words if word in _COLOUR_CODES]
    link = next((word.removeprefix(LINK) for word in words if word.startswith(LINK)), "")
    return "\n".join(_line(line, codes, link if look.links else "") for line in text.split("\n"))


def _line(line: str, codes: list[str], link: str) -> str:
    """Returns one line; styles end with it, so that no line colours the next one."""
    if line and codes:
        line = f"\x1b[{';'.join(codes)}m{line}\x1b[0m"
    if line and link:
        line = f"\x1b]8;;{link}\x1b\\{line}\x1b]8;;\x1b\\"
    return line
