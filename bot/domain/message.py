"""What comes in from a channel and what goes out to it, in no platform's words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, TypeAlias

from bot.domain.person import Sender


@dataclass(frozen=True, slots=True)
class Address:
    """Where a chat lives: the channel, its chat id and, where chats have threads, the thread."""

    channel: str
    chat: str
    thread: str | None = None

    @property
    def key(self) -> str:
        base = f"{self.channel}:{self.chat}"
        return base if self.thread is None else f"{base}/{self.thread}"

    @classmethod
    def from_key(cls, key: str) -> "Address":
        channel, _, rest = key.partition(":")
        chat, _, thread = rest.partition("/")
        return cls(channel, chat, thread or None)


@dataclass(frozen=True, slots=True)
class Quote:
    """A message the sender answers or cites; `own` when the bot wrote it, or the sender did.

    `account` is whose words they are (`channel:id`), where the platform vouches for it.
    """

    text: str
    author: str
    own: bool
    message_id: str | None = None
    account: str | None = None
    attachments: tuple["Attachment", ...] = ()


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file beside a message; `handle` is the channel's way to fetch it."""

    kind: Literal["photo", "document", "voice", "video", "other"]
    name: str
    size: int | None
    handle: str


class Cut(StrEnum):
    """Whether a text ends where an app cuts a longer one, or where its writer did.

    A sharp cut is at the platform's bound itself, within a word perhaps.
    """

    NO = "no"
    PERHAPS = "perhaps"
    LIKELY = "likely"
    SHARP = "sharp"


@dataclass(frozen=True, slots=True)
class InboundMessage:
    """A person's message; `edited` when it replaces an earlier one with the same id.

    `addressed` when it is said to the bot, as everything in a private chat is. `anonymous` when it
    is written in the name of a chat: nobody's order. `title` is that of the group. `number` is the
    place among the messages of the chat, 0 where they have none; `album` names the album it is of.
    """

    address: Address
    sender: Sender
    message_id: str
    text: str
    sent_at: datetime
    private: bool = True
    quote: Quote | None = None
    forwarded_from: str | None = None
    attachments: tuple[Attachment, ...] = ()
    edited: bool = False
    addressed: bool = True
    anonymous: bool = False
    title: str = ""
    number: int = 0
    album: str = ""
    cut: Cut = Cut.NO

    @property
    def untrusted(self) -> str | None:
        """The source of foreign content in this message, or None when all of it is the sender's."""
        if self.forwarded_from is not None:
            return f"a forward from {self.forwarded_from}"
        if self.quote is not None and not self.quote.own:
            return f"a quote of {self.quote.author}"
        quoted = () if self.quote is None else self.quote.attachments
        if any(a.kind == "document" for a in (*self.attachments, *quoted)):
            return "a document"
        return None


@dataclass(frozen=True, slots=True)
class Press:
    """A button pressed; `handle` is what the channel needs to acknowledge it."""

    address: Address
    sender: Sender
    data: str
    handle: str
    message_id: str | None = None
    private: bool = True


@dataclass(frozen=True, slots=True)
class Moved:
    """A chat that lives elsewhere now, with all that was said in it."""

    old: Address
    new: Address


class Presence(StrEnum):
    """What the bot is in a chat; a muted one reads and may not write."""

    GONE = "gone"
    MUTED = "muted"
    MEMBER = "member"
    ADMIN = "administrator"


@dataclass(frozen=True, slots=True)
class PresenceChange:
    """The bot was added, removed, blocked, promoted or restricted by someone."""

    address: Address
    by: Sender
    before: Presence
    now: Presence
    kind: Literal["private", "group", "channel"]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An update that cannot be understood: kept and marked, never tried again."""

    reason: str


@dataclass(frozen=True, slots=True)
class Ignored:
    """An update that is none of our business."""

    reason: str


Inbound: TypeAlias = InboundMessage | Press | Moved | PresenceChange | Unreadable | Ignored


@dataclass(frozen=True, slots=True)
class RawUpdate:
    """An update as the channel received it; `key` is unique within the channel."""

    key: str
    body: str


@dataclass(frozen=True, slots=True)
class Button:
    label: str
    data: str


@dataclass(frozen=True, slots=True)
class Markdown:
    """Text written by the model or by us, to be formatted."""

    text: str
    kind: Literal["markdown"] = "markdown"


@dataclass(frozen=True, slots=True)
class Plain:
    """Text to be shown as it is."""

    text: str
    kind: Literal["plain"] = "plain"


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Text to be shown as it is, in a fixed-width block."""

    text: str
    language: str = ""
    kind: Literal["code"] = "code"


Block: TypeAlias = Markdown | Plain | CodeBlock


@dataclass(frozen=True, slots=True)
class FileRef:
    """A file to be sent: its path on this machine, or its `text`; name and caption people see."""

    path: str
    name: str
    caption: str = ""
    text: str | None = None


class OutboundKind(StrEnum):
    """What an outbound message is for; the delivery treats each kind its own way.

    One that is GONE was shown in passing and is to be taken off the screen.
    """

    ANSWER = "answer"
    CARD = "card"
    NOTICE = "notice"
    PROGRESS = "progress"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Outbound:
    """The content of one visible message; shown again under the same key it becomes an edit.

    `folded` when a channel whose messages are short may show the opening and send the whole as a
    file; `previews` when a link may show what stands behind it.
    """

    kind: OutboundKind
    blocks: tuple[Block, ...]
    buttons: tuple[tuple[Button, ...], ...] = ()
    files: tuple[FileRef, ...] = ()
    reply_to: str | None = None
    silent: bool = False
    folded: bool = False
    previews: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """One platform message: what an outbound content becomes after splitting.

    `body` is the channel's own form of it and is stored as it is, so that pieces not yet
    sent are the same after a restart.
    """

    body: Mapping[str, Any] = field(default_factory=dict[str, Any])


class Sign(StrEnum):
    """A small sign of life in a chat; all but typing stand on a message, NONE takes it away."""

    TYPING = "typing"
    QUEUED = "queued"
    WORKING = "working"
    DONE = "done"
    NONE = "none"
