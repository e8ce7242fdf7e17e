"""The data of buttons: the letter of a desk, and the fields of what the button means."""

from dataclasses import MISSING, fields
from enum import StrEnum
from functools import cache
from typing import Any, Generic, TypeVar, get_type_hints

from bot.domain.talk.message import Button
from bot.domain.value import frozen

MOST_BYTES = 64
"""Bytes of button data that the strictest platform takes."""

_MOST_DIGITS = 18
"""Digits of a number; a store knows no longer ones."""

Meaning = TypeVar("Meaning")


@frozen
class ButtonCodec(Generic[Meaning]):
    """Writes a meaning as the data of a button, and reads it back.

    The data is the letter and the fields of the meaning in their order, with colons between them.
    A field is a word, a whole number or a StrEnum. The last one may be any text, with colons too;
    it is left out where it is empty by default. Data grants nothing: a desk looks up who presses.
    """

    letter: str
    """Names the desk that takes the presses."""
    meaning: type[Meaning]
    """A frozen dataclass."""

    def data(self, meant: Meaning) -> str:
        """Returns the data, however long."""
        last, optional = list(_kinds(self.meaning))[-1], _optional(self.meaning)
        values = [getattr(meant, name) for name in _kinds(self.meaning)]
        if optional and not getattr(meant, last):
            values.pop()
        return ":".join((self.letter, *map(str, values)))

    def read(self, data: str) -> Meaning | None:
        """Returns the meaning; None when the data is of another desk, or of nobody."""
        kinds = _kinds(self.meaning)
        letter, *parts = data.split(":", len(kinds))
        if letter != self.letter or len(parts) < len(kinds) - _optional(self.meaning):
            return None
        # Only the last field may be empty.
        if not all(parts[: len(kinds) - 1]):
            return None
        values = [_value(kind, part) for kind, part in zip(kinds.values(), parts, strict=False)]
        return None if None in values else self.meaning(*values)

    def button(self, label: str, meant: Meaning, asks: str = "") -> Button:
        """Returns a button; `asks` is the hint for the words that it asks for."""
        return Button(label, self.data(meant), asks)

    def row(self, label: str, meant: Meaning) -> tuple[Button, ...]:
        """Returns a row with one button; an empty one where its data is longer than 64 bytes."""
        button = self.button(label, meant)
        return (button,) if len(button.data.encode()) <= MOST_BYTES else ()


@cache
def _kinds(meaning: type[Any]) -> dict[str, type[Any]]:
    """Returns the fields of a meaning with their types, in their order."""
    hints = get_type_hints(meaning)
    return {field.name: hints[field.name] for field in fields(meaning)}


@cache
def _optional(meaning: type[Any]) -> bool:
    """Returns True when the last field may be left out."""
    return fields(meaning)[-1].default is not MISSING


def _value(kind: type[Any], part: str) -> Any:
    if issubclass(kind, StrEnum):
        return kind(part) if part in set(kind) else None
    if issubclass(kind, int):
        plain = part.isascii() and part.isdecimal() and len(part) <= _MOST_DIGITS
        return int(part) if plain else None
    return part
