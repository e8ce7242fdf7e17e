"""Commands that a person gives on a page, with a form in place of typed words."""

from collections.abc import Sequence
from typing import Protocol

from bot.domain.talk.person import Person


class PageCommands(Protocol):
    async def carry_out(self, person: Person, chat: int, name: str, words: Sequence[str]) -> str:
        """Carries out a command that buttons can give, and returns its answer, in Markdown.

        `chat` is a private chat of the person. What would be refused there is refused here. Raises
        Conflict when the person's access ended meanwhile, and StoreError.
        """
        ...
