"""A chat, its settings and its conversations."""

from datetime import datetime
from enum import StrEnum

from bot.domain.talk.message import Address
from bot.domain.value import frozen

NONE_CLOSED = "This chat has no closed conversation yet."
"""The result of the tool `get_conversation` that quotes nothing."""


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


@frozen
class ChatSettings:
    """The switches of a chat, as its people set them; each has a column of its own."""

    queue_mode: QueueMode = QueueMode.QUEUE
    """The treatment of a message that arrives during a turn."""
    model: str | None = None
    """The model (`provider/name`) or the tier that the chat chose; None means the default one."""
    timezone: str | None = None
    """The time zone of the chat; None means UTC."""
    activation: Activation = Activation.MENTION
    """The rule for the messages of a group that are for the bot."""
    listens: bool = False
    """True when the bot reads the talk of a group that is not meant for it."""
    long_answers: LongAnswers = LongAnswers.MESSAGES
    """The form of a long answer."""
    previews: bool = False
    """True when links show a preview of their page."""
    footer: bool = False
    """True when a small line below an answer tells what it took."""
    verbose: bool = False
    """True when the input and the output of each tool call are shown, folded."""
    voice: bool = False
    """True when an answer to a voice message comes as a voice note too."""
    threads: bool = False
    """True when each message that calls the bot in a group opens a thread of its own."""


@frozen
class Chat:
    id: int
    """Numbers the chat in the store."""
    address: Address
    """The chat's place on its platform."""
    conversation: str
    """The id of the open conversation."""
    private: bool = True
    """True for a chat with one person, false for a group."""
    fence: int = 0
    """Grows with each owner of the chat."""
    last_seq: int = 0
    """The number of the last entry in its log."""
    title: str = ""
    """The title of the group."""
    moved_from: Address | None = None
    """The address before the group became a supergroup; the workspace folder keeps that name."""
    skill: str | None = None
    """The skill in use here."""
    skill_lent: bool = False
    """True when the model chose the skill; it then ends with the conversation or its pipeline."""
    offered: str | None = None
    """The edition of the skill whose wishes a card has offered to allow since it is in use."""
    screen: int | None = None
    """The chat that shows what happens here; only the home of an errand has one."""
    settings: ChatSettings = ChatSettings()
    """The switches of the chat."""

    @property
    def shown_in(self) -> int:
        """Returns the chat in which people see what happens here."""
        return self.id if self.screen is None else self.screen


@frozen
class InUse:
    """The model and the skill that a conversation used when people left it."""

    model: str | None = None
    skill: str | None = None
    skill_lent: bool = False


@frozen
class Conversation:
    """A stretch of a chat between two fresh starts.

    A branch begins with the entries of its `parent` up to the number `shared`. One that is closed
    from the start belongs to a run: no message of a person continues it.
    """

    id: str
    chat: int
    opened_at: datetime
    closed_at: datetime | None = None
    title: str = ""
    summary: str = ""
    parent: str | None = None
    """The conversation that it branched off."""
    shared: int = 0
    """The number of the last entry that it shares with its parent."""
    in_use: InUse | None = None
    """The model and skill that it was left with; None before, and in rows of older versions."""

    @property
    def openable(self) -> bool:
        """Returns False for the conversation of a run."""
        if self.closed_at is None or self.in_use is not None:
            return True
        # Those that people left in an older version tell no more.
        return self.closed_at > self.opened_at


@frozen
class ListedConversation:
    """A conversation that people can open, as a list shows it."""

    conversation: Conversation
    begins: str
    """The first words of a person in it, or in the past that it shares; empty without any."""
