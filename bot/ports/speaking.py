"""Turns words into speech, and keeps the sound until it is delivered."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Protocol


class Speaking(Protocol):
    @property
    def model(self) -> str:
        """Returns the name of the model, for the record."""
        ...

    @property
    def price(self) -> Decimal | None:
        """Returns the dollars for a million characters; None when nobody knows."""
        ...

    async def speak(self, words: str) -> bytes:
        """Returns the words as sound, in the form that voice notes have: Ogg with Opus.

        Raises a ModelError, whose text is half a sentence for people.
        """
        ...


class Sounds(Protocol):
    """Keeps one recording for each turn in files."""

    async def keep(self, turn: str, sound: bytes) -> str | None:
        """Returns the path of the file; None when it cannot be written."""
        ...

    async def kept(self, turn: str) -> tuple[str, bytes] | None:
        """Returns the path of a recording with its content; None when there is none."""
        ...

    async def all(self) -> Sequence[str]:
        """Returns the turns whose recordings are kept."""
        ...

    async def drop(self, turn: str) -> None:
        """Deletes a recording, if it is there."""
        ...
