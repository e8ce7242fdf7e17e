"""What a command is."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from bot.domain.change import Write
from bot.domain.chat import Chat
from bot.domain.message import InboundMessage, Outbound
from bot.domain.person import Person
from bot.ports.members import Waiting


@dataclass(frozen=True, slots=True)
class Invocation:
    """A command as it was given: by whom, where, and the words behind its name."""

    chat: Chat
    person: Person
    words: tuple[str, ...]
    message: InboundMessage
    row: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said and what is written with it; `wake` when the chat has work now.

    `interrupts` and `wakes` name other chats that the writes concern, `dropped` the messages that
    are not answered any more, `expelled` the servers (by identity) that may not run any more.
    `queued` when the message itself waits its turn now. With a `question` that card is shown
    instead of the text, and the message waits for its button.
    """

    text: str
    writes: tuple[Write, ...] = ()
    wake: bool = False
    interrupt: bool = False
    interrupts: tuple[int, ...] = ()
    wakes: tuple[int, ...] = ()
    dropped: tuple[Waiting, ...] = ()
    expelled: tuple[str, ...] = ()
    queued: bool = False
    question: Outbound | None = None


Handler: TypeAlias = Callable[[Invocation], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Command:
    """One line of the table; `usage` is what follows the name."""

    name: str
    summary: str
    run: Handler
    usage: str = ""
    owner_only: bool = False

    @property
    def form(self) -> str:
        return f"/{self.name} {self.usage}".strip()
