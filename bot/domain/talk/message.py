"""Messages from a channel and to it, in words that belong to no platform."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, TypeAlias

from bot.domain.talk.feedback import Opinion
from bot.domain.talk.person import Sender
from bot.domain.text.names import plain_name
from bot.domain.value import field, frozen, replace


@frozen
class Address:
    """The address of a chat: the channel, its id there and, on some platforms, a thread."""

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


@frozen
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
    foreign: str | None = None
    """Names content that nobody typed in that message, a picture or a poll for instance."""
    asked: str = ""
    """The data of the button of that message that asked for the words; empty for a plain reply."""

    @property
    def foreign_attachments(self) -> Sequence["Attachment"]:
        """Returns the files but for the sender's own voice, as it was recorded for that message."""
        return [one for one in self.attachments if not (self.own and one.recorded)]


@frozen
class Attachment:
    """A file beside a message; `handle` is the channel's way to fetch it.

    `identity` names the same file in every message that holds it, where the channel knows one.
    """

    kind: Literal["photo", "document", "voice", "video", "other"]
    name: str
    size: int | None
    handle: str
    identity: str = ""
    seconds: int | None = None
    """The length of a recording, where the channel tells it."""
    recorded: bool = False
    """True when the sender's app recorded the sender's own voice."""
    kept_by: str = ""
    """The channel that hands it out, where that is another one than its chat is on."""


_KINDS = {
    "photo": "a picture",
    "document": "a document",
    "voice": "a voice message",
    "video": "a video",
    "other": "an attachment",
}


class Cut(StrEnum):
    """The likelihood that an app cut a longer text where this one ends.

    A sharp cut is exactly at the platform's bound, perhaps within a word.
    """

    NO = "no"
    PERHAPS = "perhaps"
    LIKELY = "likely"
    SHARP = "sharp"


@frozen
class InboundMessage:
    """A person's message."""

    address: Address
    """The chat it was written in."""
    sender: Sender
    """The account that wrote it."""
    message_id: str
    """The platform's id of the message."""
    text: str
    """The words, with a caption where there is one."""
    sent_at: datetime
    """The time on the platform's clock."""
    private: bool = True
    """True in a chat with one person, false in a group."""
    quote: Quote | None = None
    """The message that it replies to."""
    forwarded_from: str | None = None
    """The name of the source of a forward; None for the sender's own message."""
    echoes: bool = False
    """True for a forward whose words may be Steward's own, as far as the platform tells."""
    attachments: tuple[Attachment, ...] = ()
    """The files that came with it."""
    edited: bool = False
    """True when it replaces an earlier message with the same id."""
    addressed: bool = True
    """True when it is meant for the bot, as everything in a private chat is."""
    anonymous: bool = False
    """True when it is written in the name of a chat; the bot obeys no such message."""
    title: str = ""
    """The title of the group."""
    number: int = 0
    """The place among the messages of the chat; 0 on channels that do not number them."""
    album: str = ""
    """Names the album that the message is part of."""
    cut: Cut = Cut.NO
    """Tells if an app probably cut a longer text here."""
    foreign: str | None = None
    """Names content that the sender did not type, a picture or a poll for instance."""
    language: str = ""
    """The language code of the sender's app, as in `de`; empty where the platform tells none."""
    posted: bool = True
    """True when the message stands in the chat; a command chosen from a list does not."""
    composed: bool = False
    """True when another bot wrote the words and the sender only sent them; they command nothing."""
    elsewhere: str = ""
    """Says where it was written if not in its chat, as “in the terminal”; the chat then shows it.

    It has no id, since no message of its sender stands in the chat.
    """
    as_guest: bool = False
    """True where its sender answers a card in the chat of somebody else, as owners may."""
    named: tuple[tuple[str, str], ...] = ()
    """The accounts that the text mentions by number, each with the name that it chose itself."""

    @property
    def commands(self) -> bool:
        """Returns True when the sender typed the words now; no other words are an order."""
        return self.writer is None and not self.edited

    @property
    def writer(self) -> str | None:
        """Returns whose words the text is; None when the sender typed them."""
        if self.forwarded_from is not None:
            return f"a forward from {plain_name(self.forwarded_from)}"
        return (self.foreign or "a message of another bot") if self.composed else None

    @property
    def untrusted(self) -> str | None:
        """Returns the source of foreign content, None when the sender wrote it all."""
        if self.forwarded_from is not None:
            return self.writer
        if self.quote is not None and not self.quote.own:
            return f"a quote of {plain_name(self.quote.author)}"
        if self.foreign is not None:
            return self.foreign
        if self.quote is not None and self.quote.foreign is not None:
            return self.quote.foreign
        quoted = () if self.quote is None else self.quote.foreign_attachments
        # A voice that the app recorded for this message is the sender's own, as typed words are.
        sent = (a for a in self.attachments if not a.recorded)
        return next((_KINDS[a.kind] for a in (*sent, *quoted)), None)


@frozen
class Press:
    """A button pressed; `handle` is what the channel needs to acknowledge it."""

    address: Address
    sender: Sender
    data: str
    handle: str
    message_id: str | None = None
    private: bool = True

    def typed(self, text: str, at: datetime) -> InboundMessage:
        """Returns the message that would have said the same as the press."""
        number = self.message_id or ""
        return InboundMessage(self.address, self.sender, number, text, at, private=self.private)


@frozen
class PressAnswer:
    """The private answer to a press; a refusal is worth an interruption, a success is not."""

    text: str = ""
    """The words; empty when the card says it all."""
    refused: bool = False
    """True when the press did nothing."""
    alone: bool = False
    """True when nothing on the screen tells the same."""


@frozen
class Moved:
    """A chat has another address now; its messages belong to it as before."""

    old: Address
    new: Address


class Presence(StrEnum):
    """The bot's membership in a chat; muted, it reads and may not write."""

    GONE = "gone"
    MUTED = "muted"
    MEMBER = "member"
    ADMIN = "administrator"


@frozen
class PresenceChange:
    """The bot was added, removed, blocked, promoted or restricted."""

    address: Address
    by: Sender | None
    """The person who did it. None where the platform names nobody: it may then be told twice."""
    before: Presence
    now: Presence
    kind: Literal["private", "group", "channel", "server"]
    title: str = ""
    besides: tuple[Address, ...] = ()
    """More groups that it concerns, as the other channels of a server."""


@frozen
class Withdrawn:
    """A person's message was deleted; the bot drops it if nobody has begun to answer it."""

    address: Address
    message_id: str
    private: bool = True


@frozen
class Reaction:
    """A person put a thumb on a message, or took it away.

    The address may lack the thread: not every platform tells it.
    """

    address: Address
    sender: Sender
    message_id: str
    verdict: Opinion
    taken_back: bool = False


@frozen
class LeftOut:
    """Messages that came to a place while the bot was off, and that were too many to read."""

    address: Address
    before: datetime
    """The time of the oldest message that was read; those before it were left out."""
    read: int
    """The number of messages that are read at most."""
    private: bool = True
    title: str = ""
    """The title of the group."""


@frozen
class Unreadable:
    """An update that cannot be understood: kept and marked, never tried again."""

    reason: str


@frozen
class Ignored:
    """An update that does not concern the bot."""

    reason: str


Inbound: TypeAlias = (
    InboundMessage
    | Press
    | Moved
    | PresenceChange
    | Withdrawn
    | Reaction
    | LeftOut
    | Unreadable
    | Ignored
)


@frozen
class Reached:
    """A position in a platform's stream of updates: everything before it is stored."""

    stream: str
    position: str


@frozen
class RawUpdate:
    """An update as the channel received it; `key` is unique within the channel."""

    key: str
    body: str
    reached: Reached | None = None
    """The position behind it, where its platform lets another process go on there."""


class Hint(StrEnum):
    """The words that a message or button asks for; a channel may show them where people type."""

    DIFFERENT = "What should be different? This version then does not run."
    NOTE = "What should the note say?"
    TIMES = "When should it run? For example: every weekday 09:00"
    WORK = "What should each run do?"
    CITY = "Which city has your time? For example: Lisbon"


@frozen
class Button:
    label: str
    data: str
    asks: str = ""
    """A hint for the words that the press asks for; a channel may take both at once.

    The words then come as a reply to the message with the button, and not as a press. The reply
    names the data of the button.
    """


ButtonRows: TypeAlias = tuple[tuple[Button, ...], ...]


@frozen
class Markdown:
    """Text written by the model or by us, to be formatted."""

    text: str
    kind: Literal["markdown"] = "markdown"
    points: bool = False
    """True for words that only point to a card which has just changed.

    A channel that tells each change of a card need not show them.
    """
    said: bool = False
    """True for words that were said on the way to an answer.

    A channel may show them smaller; one that kept them on the screen as they came need not show
    them again.
    """
    links: tuple[str, ...] | None = ()
    """The targets that links of it may hide behind their words, each as a link has it.

    All others are shown behind the words. None when words may hide any target.
    """

    @property
    def hideable(self) -> Collection[str] | None:
        """Returns the targets that words may hide, to look each link up in."""
        return None if self.links is None else frozenset(self.links)

    @classmethod
    def joined(cls, parts: Sequence["Markdown"], *, said: bool = False) -> "Markdown":
        """Returns several texts as one; it hides no target that one of them may not hide."""
        bound = [one.links for one in parts if one.links is not None]
        links = tuple(dict.fromkeys(link for links in bound for link in links))
        text = "\n\n".join(one.text for one in parts)
        return cls(text, said=said, links=links if bound else None)


@frozen
class Plain:
    """Text to be shown as it is."""

    text: str
    kind: Literal["plain"] = "plain"
    style: Literal["", "line", "title", "aside"] = ""
    """Its weight: a title stands out, an aside stands back, a line does neither.

    In each of the three, words between two backticks are code.
    """


@frozen
class CodeBlock:
    """Text to be shown as it is, in a fixed-width block."""

    text: str
    language: str = ""
    kind: Literal["code"] = "code"
    folds: bool = False
    """True when a channel may show the beginning of a long text, and the rest on a tap."""


@frozen
class CallBlock:
    """A call of a tool for people who want to see it whole; folded where a channel can.

    Nothing in it comes alive: a channel shows input and output as code, each apart from its label.
    """

    text: str
    """One line that names the call; words between two backticks are code."""
    given: str = ""
    """The input, bounded."""
    result: str = ""
    """The output, bounded."""
    more: str = ""
    """The command that shows the call whole; empty where none does."""
    kind: Literal["call"] = "call"


Block: TypeAlias = Markdown | Plain | CodeBlock | CallBlock

HOW_TO_PRESS = "To approve, press the button on the card. Or reply with what should be different."
"""The answer to words that decide nothing; a channel with keys instead of buttons names them."""

REPLY_WITH = "Reply to this message with "
"""The beginning of a block that asks for a reply; a channel where people just type says so."""


@frozen
class FileRef:
    """A file to be sent: its path on this machine, or its `text`; name and caption people see."""

    path: str
    name: str
    caption: str = ""
    text: str | None = None
    voice: int | None = None
    """The length of a voice note in seconds; None for any other file."""
    origin: str = ""
    """The file that `path` is a copy of, for people at this machine."""


class OutboundKind(StrEnum):
    """The purpose of an outbound message; the delivery treats each kind in its own way.

    The buttons of a MENU can be typed as commands too. An OPTION is news with buttons that nobody
    waits for. A message that is GONE was shown in passing and must leave the screen. A STRAY must
    leave it too: it may be there, and its id is unknown. A VOICE is an answer, spoken; a chat may
    take none. CALLS of tools are shown beside an answer, and never delay it.
    """

    ANSWER = "answer"
    CARD = "card"
    NOTICE = "notice"
    MENU = "menu"
    OPTION = "option"
    PROGRESS = "progress"
    VOICE = "voice"
    CALLS = "calls"
    GONE = "gone"
    STRAY = "stray"


VANISHING = (OutboundKind.GONE, OutboundKind.STRAY)
"""The kinds of messages that must leave the screen."""


class Call(StrEnum):
    """The reason for which a new message of a turn calls people; most messages have none.

    It needs their decision or answer, or it tells that the work has ended.
    """

    NONE = ""
    NEEDS = "needs"
    DONE = "done"


@frozen
class Outbound:
    """The content of one visible message; shown again under the same key, it becomes an edit."""

    kind: OutboundKind
    blocks: tuple[Block, ...]
    buttons: ButtonRows = ()
    files: tuple[FileRef, ...] = ()
    reply_to: str | None = None
    silent: bool = False
    """True for a message without a sound; for those of turns, `with_one_sound` decides it."""
    folded: bool = False
    """True when a channel with short messages may show the opening and send the whole as a file."""
    previews: bool = False
    """True when a link may show a preview of its page."""
    asks: str = ""
    """A hint for the words that the message asks for; a channel may open a reply to it."""
    waits: bool = False
    """True for an option that is a question: a channel keeps its keys until it is answered."""
    decided: bool = False
    """True for a card that is decided: its buttons only lead back, and nobody waits for them."""

    @property
    def points(self) -> bool:
        """Tells if its words only point to a card."""
        pointing = (isinstance(block, Markdown) and block.points for block in self.blocks)
        return bool(self.blocks) and all(pointing)

    def linking_freely(self) -> "Outbound":
        """Returns it with links that may lead anywhere: nobody talked its writer into one."""
        free = (replace(b, links=None) if isinstance(b, Markdown) else b for b in self.blocks)
        return replace(self, blocks=tuple(free))


@frozen
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
