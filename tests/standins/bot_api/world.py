"""The people, chats, messages and files that exist, apart from what a bot may do with them."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import PurePath
from typing import Any

from tests.standins.bot_api.formatting import FormattedText
from tests.standins.bot_api.keyboard import Keyboard, keyboard_json
from tests.standins.bot_api.rich_shown import RichContent


@dataclass(frozen=True)
class Person:
    id: int
    first_name: str
    username: str | None = None
    language_code: str | None = None
    is_bot: bool = False

    def to_json(self) -> dict[str, Any]:
        answer: dict[str, Any] = {
            "id": self.id,
            "is_bot": self.is_bot,
            "first_name": self.first_name,
        }
        if self.username:
            answer["username"] = self.username
        if self.language_code:
            answer["language_code"] = self.language_code
        return answer


_NAMELESS = ("voice", "video_note", "sticker")
_TYPELESS = ("video_note", "sticker")


@dataclass(frozen=True)
class StoredFile:
    """A file on the server; `kind` is the field of a message that carries it.

    `traits` are what only files of its kind have: a duration, an emoji.
    """

    kind: str
    file_id: str
    name: str
    mime_type: str
    data: bytes = field(repr=False)
    traits: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def path(self) -> str:
        """Returns the place on the server, which has the file's ending and never its name."""
        ending = PurePath(self.name).suffix
        return f"{self.kind}s/{self.file_id}{ending if ending[1:].isalnum() else ''}"

    def to_json(self) -> dict[str, Any]:
        unique = hashlib.sha256(self.data).hexdigest()[:16]
        parts: dict[str, Any] = {
            "file_id": self.file_id,
            "file_unique_id": unique,
            "file_size": len(self.data),
        }
        if self.kind == "photo":
            return parts | {"width": 640, "height": 480}
        if self.kind not in _NAMELESS:
            parts["file_name"] = self.name
        if self.kind not in _TYPELESS:
            parts["mime_type"] = self.mime_type
        return parts | self.traits


@dataclass(frozen=True)
class Draft:
    """A preview of a message being written; `until` is the second at which it vanishes."""

    id: int
    content: FormattedText
    thread_id: int | None
    until: float
    rich: RichContent | None = None


@dataclass(eq=False)
class Message:
    """A message of a chat; `content` is its text, or the caption of its file.

    `asks` is the hint of the reply that it opens.
    `album` is the number of the album it is of. `things` are what stands in place of words, by the
    name of the field: a location, a contact, a poll. `service` has the
    fields of a message that the service itself puts into the chat.
    """

    id: int
    chat: "Chat"
    sender: Person
    date: int
    content: FormattedText
    service: dict[str, Any] | None = None
    keyboard: Keyboard = ()
    asks: str = ""
    file: StoredFile | None = None
    reply_to: "Message | None" = None
    quote: str | None = None
    origin: dict[str, Any] | None = None
    thread_id: int | None = None
    edited_at: int | None = None
    silent: bool = False
    preview: bool = False
    reactions: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    album: str | None = None
    things: dict[str, Any] = field(default_factory=dict[str, Any])
    rich: RichContent | None = None
    via: Person | None = None

    @property
    def chat_id(self) -> int:
        return self.chat.id

    def to_json(self, *, with_reply: bool = True) -> dict[str, Any]:
        """The message as an update or an answer carries it; replies are one level deep."""
        answer: dict[str, Any] = {
            "message_id": self.id,
            "date": self.date,
            "chat": self.chat.to_json(),
            "from": self.sender.to_json(),
        }
        answer |= self._content_json()
        if self.edited_at is not None:
            answer["edit_date"] = self.edited_at
        if self.keyboard:
            answer["reply_markup"] = keyboard_json(self.keyboard)
        if self.album is not None:
            answer["media_group_id"] = self.album
        if self.thread_id is not None:
            answer |= {"message_thread_id": self.thread_id, "is_topic_message": True}
        if self.origin is not None:
            answer["forward_origin"] = self.origin
        if self.via is not None:
            answer["via_bot"] = self.via.to_json()
        if with_reply and self.reply_to is not None:
            answer["reply_to_message"] = self.reply_to.to_json(with_reply=False)
            if self.quote is not None:
                answer["quote"] = self._quote_json(self.reply_to)
        return answer

    def _content_json(self) -> dict[str, Any]:
        if self.service is not None:
            return self.service
        if self.rich is not None:
            return {"rich_message": {"blocks": list(self.rich.blocks)}}
        text_name, entities_name, answer = "text", "entities", dict[str, Any]()
        if self.file is not None:
            text_name, entities_name = "caption", "caption_entities"
            shown: Any = self.file.to_json()
            answer[self.file.kind] = [shown] if self.file.kind == "photo" else shown
        answer |= self.things
        if self.content.text or (self.file is None and not self.things):
            answer[text_name] = self.content.text
        if self.content.entities:
            answer[entities_name] = [entity.to_json() for entity in self.content.entities]
        return answer

    def _quote_json(self, quoted: "Message") -> dict[str, Any]:
        before = quoted.content.text.partition(self.quote or "")[0]
        position = len(before.encode("utf-16-le", "surrogatepass")) // 2
        return {"text": self.quote, "position": position, "is_manual": True}


@dataclass(eq=False)
class Chat:
    """A chat; `type` is private, group or supergroup.

    `blocked` counts for private chats: the person does not want to hear from the bot. `muted` are
    members who may not write, `banned` those who were thrown out. `upgraded_to` is the supergroup
    a group became. `reactions` are those the chat takes; all of them when None. A `voiceless` chat
    takes no voice messages: a person's privacy settings, or a group's permissions, forbid them.
    """

    id: int
    type: str
    title: str
    ids: Iterator[int]
    username: str | None = None
    started: bool = True
    blocked: bool = False
    members: dict[int, Person] = field(default_factory=dict[int, Person])
    admins: set[int] = field(default_factory=set[int])
    creator: int | None = None
    muted: set[int] = field(default_factory=set[int])
    banned: set[int] = field(default_factory=set[int])
    upgraded_to: int | None = None
    topics: dict[int, str] = field(default_factory=dict[int, str])
    closed_topics: set[int] = field(default_factory=set[int])
    messages: dict[int, Message] = field(default_factory=dict[int, Message])
    drafts: dict[int, Draft] = field(default_factory=dict[int, Draft])
    action: tuple[str, float] | None = None
    reactions: tuple[str, ...] | None = None
    voiceless: bool = False

    @property
    def is_private(self) -> bool:
        return self.type == "private"

    def to_json(self) -> dict[str, Any]:
        name = "first_name" if self.is_private else "title"
        answer: dict[str, Any] = {"id": self.id, "type": self.type, name: self.title}
        if self.username:
            answer["username"] = self.username
        if self.topics:
            answer["is_forum"] = True
        return answer


class World:
    """Everything that exists; numbers are given out in order."""

    def __init__(self, bot: Person) -> None:
        self.bot = bot
        self.people: dict[int, Person] = {bot.id: bot}
        self.chats: dict[int, Chat] = {}
        self.files: dict[str, StoredFile] = {}
        self._group_ids = count(1)
        self._file_ids = count(1)
        # Private chats and basic groups share one count of messages; each supergroup has its own.
        self._message_ids = count(1)

    def add_private_chat(self, person: Person, *, started: bool) -> Chat:
        members = {person.id: person, self.bot.id: self.bot}
        chat = Chat(
            person.id,
            "private",
            person.first_name,
            self._message_ids,
            username=person.username,
            started=started,
            members=members,
        )
        self.chats[chat.id] = chat
        return chat

    def add_group(self, kind: str, title: str, members: list[Person]) -> Chat:
        number = next(self._group_ids)
        supergroup = kind == "supergroup"
        chat = Chat(
            (-1_000_000_000_000 if supergroup else 0) - 4_000 - number,
            kind,
            title,
            count(1) if supergroup else self._message_ids,
            members={member.id: member for member in [*members, self.bot]},
        )
        self.chats[chat.id] = chat
        return chat

    def add_file(
        self, kind: str, name: str, mime_type: str, data: bytes, **traits: Any
    ) -> StoredFile:
        file_id = f"{kind[:3].upper()}{next(self._file_ids):08d}"
        self.files[file_id] = StoredFile(kind, file_id, name, mime_type, data, traits)
        return self.files[file_id]
