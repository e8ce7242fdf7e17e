"""Commands and the responses they give, as values."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from enum import StrEnum
from typing import TypeAlias

from bot.domain.change import Write
from bot.domain.change.erasing import COMMANDS
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import ButtonRows, InboundMessage, Outbound
from bot.domain.talk.person import AT_THE_MACHINE, Person
from bot.domain.value import frozen
from bot.flow.commanding.effects import Consequence


@frozen
class Invocation:
    """A command as a person gave it in a chat."""

    chat: Chat
    person: Person
    words: tuple[str, ...]
    """The words behind its name."""
    message: InboundMessage
    row: int
    """The inbox row of the message."""


@frozen
class Answer:
    """A notice that ends the command."""

    text: str
    """The notice, in Markdown; empty when something else tells of the effect."""
    writes: tuple[Write, ...] = ()
    """Stored in the transaction of the notice."""
    then: tuple[Consequence, ...] = ()
    """Carried out in this order once that transaction is committed."""
    buttons: ButtonRows = ()
    """Rows of choices below the notice."""
    optional: bool = False
    """True when the words that a button stands for are unknown or long: a terminal offers keys."""
    waits: bool = False
    """True for a question: a terminal keeps those keys until it is answered."""


@frozen
class Question:
    """A card in place of a notice; the message waits for one of its buttons."""

    card: Outbound
    writes: tuple[Write, ...] = ()
    """Stored in the transaction of the card."""


@frozen
class Queued:
    """The message waits for a turn of its own, and these writes are stored with it."""

    writes: tuple[Write, ...]


Response: TypeAlias = Answer | Question | Queued
Handler: TypeAlias = Callable[[Invocation], Awaitable[Response]]


class Topic(StrEnum):
    """A part of the help, by the question that its commands answer."""

    TALK = "Talking"
    PLANS = "Plans and skills"
    CONSENT = "Permissions"
    YOU = "About you"
    SETTINGS = "This chat"
    GROUP = "Groups"
    PEOPLE = "People, for owners"


@frozen
class Command:
    """One line of the table."""

    name: str
    summary: str
    run: Handler
    usage: str = ""
    """The words that follow the name."""
    topic: Topic = Topic.TALK
    first: bool = False
    """True when the short help names it."""
    brief: str = ""
    """The words that follow the name in the short help, where `usage` is long."""
    chosen: bool = False
    """True when the buttons below its answer carry it out with other words."""
    on_pages: bool = False
    """True when forms of pages carry it out, and no button does."""
    away: bool = False
    """True when it means something on platforms only, and nothing in the terminal."""
    where: Callable[[Chat], bool] | None = None
    """Tells the chats in which it means something; None for a command of every platform."""
    fixed: Callable[[Chat], bool] | None = None
    """Tells the chats in which it can change nothing; the help leaves it out there."""

    @property
    def owner_only(self) -> bool:
        return self.topic is Topic.PEOPLE

    def works_in(self, chat: Chat) -> bool:
        """Returns False in the terminal for a command that means nothing there."""
        return not (self.away and chat.address.channel == AT_THE_MACHINE)

    def serves(self, asked: Invocation) -> bool:
        """Returns True when the command is of use to this person in this chat."""
        if self.topic is Topic.GROUP:
            return not asked.chat.private and (self.where is None or self.where(asked.chat))
        if not self.works_in(asked.chat) or (self.fixed is not None and self.fixed(asked.chat)):
            return False
        return asked.person.is_owner or not self.owner_only

    @property
    def plain_summary(self) -> str:
        """The summary for a menu of a platform, which would show the marks of code as they are."""
        return self.summary.replace("`", "")

    @property
    def form(self) -> str:
        return f"/{self.name} {self.usage}".strip()

    @property
    def short_form(self) -> str:
        return f"/{self.name} {self.brief}" if self.brief else self.form


def answer_key(row: int) -> str:
    """Returns the outbound key of the message that answers the command in this row."""
    return f"{COMMANDS}{row}"


def named_values(words: Sequence[str], fault: str) -> Iterator[tuple[str, str]]:
    """Yields each name, in small letters, with the word behind it; `fault` is raised otherwise.

    Raises ValueError with these words when there is nothing, or a name without a value.
    """
    if not words or len(words) % 2:
        raise ValueError(fault)
    for name, value in zip(words[::2], words[1::2], strict=True):
        yield name.lower(), value
