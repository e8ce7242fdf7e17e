"""A chat, its settings and its conversations."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.domain.message import Address


class QueueMode(StrEnum):
    """The treatment of a message that arrives during a turn."""

    QUEUE = "queue"
    STEER = "steer"
    INTERRUPT = "interrupt"


class Activation(StrEnum):
    """The messages of a group that are for the bot: those addressed to it, or all of them."""

    MENTION = "mention"
    ALWAYS = "always"


class LongAnswers(StrEnum):
    """The form of a long answer: several messages, or its opening and a file."""

    MESSAGES = "messages"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Chat:
    """One chat with its settings."""

    id: int
    address: Address
    conversation: str
    private: bool = True
    queue_mode: QueueMode = QueueMode.QUEUE
    model: str | None = None
    timezone: str | None = None
    fence: int = 0
    """Grows with each owner of the chat."""
    last_seq: int = 0
    """The number of the last entry in its log."""
    title: str = ""
    activation: Activation = Activation.MENTION
    context: bool = False
    """True when the bot reads the talk of a group that is not meant for it."""
    moved_from: Address | None = None
    """The address before the group became a supergroup; the workspace folder keeps that name."""
    long_answers: LongAnswers = LongAnswers.MESSAGES
    previews: bool = False
    """True when links show a preview of their page."""
    skill: str | None = None
    """The skill in use here."""
    skill_lent: bool = False
    """True when the model chose the skill; it then ends with the conversation or its pipeline."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A stretch of a chat between two fresh starts."""

    id: str
    chat: int
    opened_at: datetime
    closed_at: datetime | None = None
    title: str = ""
    summary: str = ""
