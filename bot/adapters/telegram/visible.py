"""Writes signs that nobody could see, so that code and cards show every one of theirs."""

import re

_BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"
_HIDDEN = re.compile("[^\x20-\x7e\n\t]")


def visible(text: str) -> str:
    """Writes every character that would not show as a sign or an escape."""
    return _HIDDEN.sub(lambda found: _shown(found[0]), text)


def _shown(character: str) -> str:
    if character.isprintable() and character not in _BLANK_LETTERS:
        return character
    number = ord(character)
    if number < 0x20:
        return chr(0x2400 + number)
    if number == 0x7F:
        return "\u2421"
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"
