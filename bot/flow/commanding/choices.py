"""The buttons under the answer to a command; a press does what typing the words would do."""

from collections.abc import Sequence

from bot.domain.talk.message import Button
from bot.domain.text.markdown import inline_code
from bot.domain.text.visible_text import clipped

PREFIX = "m"
"""The first letter of the button data of every choice."""

_MOST_BYTES = 64
"""Bytes of button data that the strictest platform takes."""

_LONGEST_WORDS = 40


def choice(label: str, command: str, *words: str, now: bool = False) -> tuple[Button, ...]:
    """Returns a row with one button for the command with these words; `now` marks the current one.

    The row is empty when the words are too long for a button: they can still be typed.
    """
    data = ":".join((PREFIX, command, " ".join(words)))
    if len(data.encode()) > _MOST_BYTES:
        return ()
    return (Button(f"✓ {label}" if now else label, data),)


def parse_data(data: str) -> str | None:
    """Returns the command that a button stands for, as a person would type it; None if it is none.

    Such data grants nothing: whoever sends it could have typed the words.
    """
    prefix, _, rest = data.partition(":")
    name, colon, words = rest.partition(":")
    if prefix != PREFIX or not colon or not name.isalpha():
        return None
    return f"/{name} {words}".strip()


def no_choice(words: Sequence[str]) -> str:
    """Returns a sentence about words that choose nothing, to stand first; empty without words."""
    said = clipped(" ".join(words), _LONGEST_WORDS)
    return f"{inline_code(said)} is no choice here. Nothing was changed.\n\n" if said else ""


def on_off(command: str, *, now: bool) -> tuple[tuple[Button, ...], ...]:
    """Returns one row with the choices On and Off."""
    return ((*choice("On", command, "on", now=now), *choice("Off", command, "off", now=not now)),)
