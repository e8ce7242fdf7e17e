"""What a command is."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from bot.domain.change import Write
from bot.domain.chat import Chat
from bot.domain.message import InboundMessage
from bot.domain.person import Person


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

    `interrupts` and `wakes` name other chats that the writes concern.
    """

    text: str
    writes: tuple[Write, ...] = ()
    wake: bool = False
    interrupt: bool = False
    interrupts: tuple[int, ...] = ()
    wakes: tuple[int, ...] = ()


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
