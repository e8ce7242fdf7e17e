"""The owner's words about who the bot is."""

from typing import Protocol


class Persona(Protocol):
    @property
    def words(self) -> str:
        """Returns the words as they are now; empty when there are none."""
        ...

    @property
    def place(self) -> str:
        """Returns the file into which an owner writes them."""
        ...

    @property
    def fault(self) -> str:
        """Returns why some or all of the words are not read; empty when all are."""
        ...
