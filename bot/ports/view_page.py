"""The view of the model in a chat as it is now: words and figures for the side of its page."""

from typing import Protocol

from bot.domain.talk.chat import Chat
from bot.domain.talk.person import Person
from bot.domain.value import frozen


@frozen
class OpenLine:
    """An open card or plan, in the words of a list."""

    id: str
    title: str
    below: str
    """The chat, and the age."""


@frozen
class SeenNow:
    """The things that the next round would read, and the rules that count then."""

    tokens: int
    """The size of the view: the newest count of the provider, and an estimate of the rest."""
    window: int
    lines: tuple[str, ...]
    """The messages, the summary, the skill, the passages and the pictures, each on a line."""
    outside: tuple[str, ...]
    """The sources of text from outside."""
    rules: tuple[str, ...]
    """The rules of this person; words between two backticks are code."""
    paused: bool
    """True while text from outside pauses the rules."""
    waits: tuple[OpenLine, ...]
    """The oldest open cards and plans that this person may decide."""
    how: str = ""
    """A sentence about what the size counts; empty where nothing was said."""

    @property
    def share(self) -> float:
        """Returns the part of the window that is in use, from 0 to 1."""
        return min(self.tokens / self.window, 1.0) if self.window else 0.0


class ViewPages(Protocol):
    async def view(self, reader: Person, chat: Chat, after: int = 0) -> SeenNow:
        """Returns the view of a chat, which is the reader's own, from its entries after this."""
        ...
