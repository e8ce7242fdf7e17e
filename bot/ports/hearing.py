"""Turns recorded speech into words."""

from decimal import Decimal
from typing import Protocol

from bot.domain.money.model import Usage
from bot.domain.value import frozen


@frozen
class Speech:
    """The words of a recording, with the tokens that hearing them took, where they were told."""

    words: str
    usage: Usage


class Hearing(Protocol):
    @property
    def model(self) -> str:
        """Returns the name of the model, for the record."""
        ...

    @property
    def minute(self) -> Decimal | None:
        """Returns the dollars for a minute of sound; None when nobody knows."""
        ...

    async def hear(self, sound: bytes, name: str) -> Speech:
        """Returns the words of a recording; its name tells its form.

        Raises a ModelError, whose text is half a sentence for people.
        """
        ...
