"""Makes text safe for a terminal."""

import unicodedata

_JOINERS = frozenset("\u200c\u200d")  # parts of words and of emoji
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def visible(text: str) -> str:
    """Writes out every control, direction and invisible character of a text.

    The result cannot move the cursor, change colours or turn the order of letters round.
    """
    if text.replace("\n", "").isprintable():
        return text
    return "".join(_shown(letter) for letter in text.replace("\r\n", "\n"))


def _shown(letter: str) -> str:
    if letter == "\t":
        return "    "
    if letter == "\n" or letter in _JOINERS or unicodedata.category(letter) not in _UNSAFE:
        return letter
    return ascii(letter)[1:-1]
