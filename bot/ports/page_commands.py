"""Commands that a person gives on a page, with a form in place of typed words."""

from collections.abc import Sequence
from typing import Protocol

from bot.domain.talk.person import Person
from bot.domain.value import frozen


@frozen
class PageAnswer:
    """The answer to a command, in Markdown, with the commands that its buttons stand for."""

    text: str
    buttons: tuple[tuple[str, str], ...] = ()
    """The label of each, and the command as a person would type it."""


class PageCommands(Protocol):
    async def answer(
        self, person: Person, chat: int, name: str, words: Sequence[str]
    ) -> PageAnswer:
        """Carries out one that a button can give, and returns its answer with its buttons.

        `chat` is a private chat of the person. What would be refused there is refused here. Raises
        Conflict when the person's access ended meanwhile, and StoreError.
        """
        ...
