"""The buttons under the answer to a command; a press does what typing the words would do."""

from collections.abc import Sequence

from bot.domain.talk.button_data import ButtonCodec
from bot.domain.talk.message import Button, ButtonRows
from bot.domain.text.markdown import inline_code
from bot.domain.text.visible_text import clipped
from bot.domain.value import frozen

_LONGEST_WORDS = 40


@frozen
class Choice:
    """A command with its words, as a person would type them; whoever sends it could have."""

    command: str
    words: str


CHOICES = ButtonCodec("m", Choice)


def choice(label: str, command: str, *words: str, now: bool = False) -> tuple[Button, ...]:
    """Returns a row with one button for the command with these words; `now` marks the current one.

    The row is empty when the words are too long for a button: they can still be typed.
    """
    return CHOICES.row(f"✓ {label}" if now else label, Choice(command, " ".join(words)))


def typed_for(data: str) -> str | None:
    """Returns the command that a button stands for, as a person would type it; None if none."""
    meant = CHOICES.read(data)
    if meant is None or not meant.command.isalpha():
        return None
    return f"/{meant.command} {meant.words}".strip()


def no_choice(words: Sequence[str]) -> str:
    """Returns a sentence about words that choose nothing, to stand first; empty without words."""
    said = clipped(" ".join(words), _LONGEST_WORDS)
    return f"{inline_code(said)} is no choice here. Nothing was changed.\n\n" if said else ""


def on_off(command: str, *, now: bool) -> ButtonRows:
    """Returns one row with the choices On and Off."""
    return ((*choice("On", command, "on", now=now), *choice("Off", command, "off", now=not now)),)
