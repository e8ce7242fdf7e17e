"""Commands and the responses they give, as values."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from bot.domain.change import Write
from bot.domain.chat import Chat
from bot.domain.message import InboundMessage, Outbound
from bot.domain.person import Person
from bot.flow.commands.consequences import Consequence


@dataclass(frozen=True, slots=True)
class Invocation:
    """A command as a person gave it in a chat."""

    chat: Chat
    person: Person
    words: tuple[str, ...]
    """The words behind its name."""
    message: InboundMessage
    row: int
    """The inbox row of the message."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A notice that ends the command."""

    text: str
    """The notice, in Markdown."""
    writes: tuple[Write, ...] = ()
    """Stored in the transaction of the notice."""
    then: tuple[Consequence, ...] = ()
    """Carried out in this order once that transaction is committed."""


@dataclass(frozen=True, slots=True)
class Question:
    """A card in place of a notice; the message waits for one of its buttons."""

    card: Outbound


@dataclass(frozen=True, slots=True)
class Queued:
    """The message waits for a turn of its own, and these writes are stored with it."""

    writes: tuple[Write, ...]


Response: TypeAlias = Answer | Question | Queued
Handler: TypeAlias = Callable[[Invocation], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Command:
    """One line of the table; `usage` tells the words that follow the name."""

    name: str
    summary: str
    run: Handler
    usage: str = ""
    owner_only: bool = False

    @property
    def form(self) -> str:
        return f"/{self.name} {self.usage}".strip()
