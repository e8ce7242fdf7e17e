"""Text as people must see it before they consent: nothing in it may hide or rearrange the rest."""

import re

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2"
    "\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U000110bd\U000110cd"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# Each escape has a second form, of one character above 0x7f.
_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def visible(text: str) -> str:
    """Returns the text with control, invisible and direction characters as escapes."""
    return _HIDDEN.sub(lambda found: escape_of(found[0]), text)


def shown_name(name: str) -> str:
    """Returns a file name on one line, with every character visible."""
    return visible(name.replace("\n", "\\n").replace("\t", "\\t"))


def one_line(text: str, longest: int) -> str:
    """Returns a stranger's text on one line of so many characters, with hidden ones as escapes."""
    shown = shown_name(text[:longest].replace("\r", "\\r"))
    return shown if len(shown) <= longest and len(text) <= longest else f"{shown[: longest - 1]}…"


def plain_output(text: str) -> str:
    """Returns the text that a terminal leaves on its screen: no escapes, no overwritten lines."""
    lines = _ESCAPE.sub("", text).replace("\r\n", "\n").split("\n")
    return _CONTROL.sub("", "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines))


def size(count: int) -> str:
    """Returns a number of bytes in words: `812 B`, `2.1 kB`, `3.4 MB`."""
    if count < 1000:
        return f"{count} B"
    for unit, bytes_each in (("kB", 1e3), ("MB", 1e6)):
        if count < 999.95 * bytes_each:
            return f"{count / bytes_each:.1f} {unit}"
    return f"{count / 1e9:.1f} GB"


def escape_of(letter: str) -> str:
    """Returns a character written out, as in `\\u200b`."""
    code = ord(letter)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def clipped(text: str, length: int) -> str:
    """Returns the text, or its beginning with an ellipsis when it is longer than `length`."""
    return text if len(text) <= length else f"{text[: length - 1]}…"
