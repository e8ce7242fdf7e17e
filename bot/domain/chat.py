"""A chat, its settings and its conversations."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.domain.message import Address


class QueueMode(StrEnum):
    """What happens to a message that arrives during a turn."""

    QUEUE = "queue"
    STEER = "steer"
    INTERRUPT = "interrupt"


class Activation(StrEnum):
    """Which messages of a group are for the bot: those addressed to it, or all of them."""

    MENTION = "mention"
    ALWAYS = "always"


class LongAnswers(StrEnum):
    """How a long answer comes: as several messages, or as its opening and a file."""

    MESSAGES = "messages"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Chat:
    """One chat; `fence` grows with each owner, `last_seq` is the end of its log.

    `context` lets the bot read the talk of a group that is not for it. `moved_from` is where the
    chat lived before its group became a supergroup; its folder keeps that name. `previews` lets
    links show what stands behind them. `skill` is the one at work here; a lent one was chosen by
    the model and ends with the conversation or with its pipeline.
    """

    id: int
    address: Address
    conversation: str
    private: bool = True
    queue_mode: QueueMode = QueueMode.QUEUE
    model: str | None = None
    timezone: str | None = None
    fence: int = 0
    last_seq: int = 0
    title: str = ""
    activation: Activation = Activation.MENTION
    context: bool = False
    moved_from: Address | None = None
    long_answers: LongAnswers = LongAnswers.MESSAGES
    previews: bool = False
    skill: str | None = None
    skill_lent: bool = False


@dataclass(frozen=True, slots=True)
class Conversation:
    """A stretch of a chat between two fresh starts."""

    id: str
    chat: int
    opened_at: datetime
    closed_at: datetime | None = None
    title: str = ""
    summary: str = ""
