"""People, servers, channels and messages, as Discord writes them in JSON."""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import Any

_EPOCH_MS = 1_420_070_400_000
_low = count(1)


_stopped: list[float] = []


@contextmanager
def stopped_clock() -> Iterator[None]:
    """Have all that is made meanwhile be of one moment, however long the machine takes."""
    _stopped.append(time.time())
    try:
        yield
    finally:
        _stopped.pop()


def snowflake() -> int:
    """Returns a new number, which holds the time and is larger than all before."""
    now = _stopped[0] if _stopped else time.time()
    return (int(now * 1000) - _EPOCH_MS) << 22 | next(_low) & 0x3FFFFF


@dataclass(eq=False)
class User:
    id: int
    username: str
    global_name: str | None = None
    bot: bool = False
    blocks: bool = False
    """True for a person who takes no direct messages of the bot."""

    @property
    def json(self) -> dict[str, Any]:
        return {
            "id": str(self.id),
            "username": self.username,
            "global_name": self.global_name,
            "discriminator": "0",
            "avatar": None,
            **({"bot": True} if self.bot else {}),
        }


@dataclass(eq=False)
class Channel:
    """A place of messages: of a server (0), direct (1), or a thread (11) below a channel."""

    id: int
    type: int
    name: str = ""
    guild: int | None = None
    parent: int | None = None
    people: list[User] = field(default_factory=list[User])
    denied: set[str] = field(default_factory=set[str])
    """Permissions that the bot lacks: view, send, attach, react, thread, voice."""
    role: int | None = None
    """The number of the bot's role in the server."""
    archived: bool = False
    locked: bool = False
    typed: int = 0

    @property
    def json(self) -> dict[str, Any]:
        shown: dict[str, Any] = {"id": str(self.id), "type": self.type}
        if self.guild is None:
            return shown | {"recipients": [person.json for person in self.people]}
        shown |= {"guild_id": str(self.guild), "name": self.name}
        shown["parent_id"] = None if self.parent is None else str(self.parent)
        if self.type != 11:
            return shown | {"position": 0, "permission_overwrites": self._rules, "nsfw": False}
        times = {"auto_archive_duration": 1440, "archive_timestamp": "2026-01-01T00:00:00+00:00"}
        shown["thread_metadata"] = {"archived": self.archived, "locked": self.locked, **times}
        return shown | {"owner_id": str(self.guild), "message_count": 0, "member_count": 1}

    @property
    def _rules(self) -> list[dict[str, Any]]:
        taken = sum(_BITS[name] for name in self.denied)
        rule = {"id": str(self.role), "type": 0, "allow": "0", "deny": str(taken)}
        return [rule] if taken else []


_BITS = {
    "view": 1 << 10,
    "send": 1 << 11,
    "attach": 1 << 15,
    "react": 1 << 6,
    "thread": 1 << 35,
    "voice": 1 << 46,
}


def role(number: int, name: str, **tags: str) -> dict[str, Any]:
    """What Discord says of a role of a server."""
    levels: dict[str, Any] = {"color": 0, "position": 0, "permissions": "0"}
    marks = dict.fromkeys(("hoist", "managed", "mentionable"), False)
    return {"id": str(number), "name": name, "tags": tags, **levels, **marks}


@dataclass(eq=False)
class Guild:
    id: int
    name: str
    owner: User
    role: int
    """The number of the bot's own role."""
    members: list[User] = field(default_factory=list[User])
    managers: list[User] = field(default_factory=list[User])
    """Members with a role that may manage the server."""
    managing: int = field(default_factory=snowflake)
    """The number of that role."""
    channels: list[Channel] = field(default_factory=list[Channel])
    rights: int = 0x4800018C40
    """The bot may see, send, also in threads, open them, attach, read the history, and react."""
    joined_at: str = "2026-01-01T00:00:00+00:00"
    invited_by: User | None = None
    shows_log: bool = False
    """True where the bot may read the audit log."""

    @property
    def json(self) -> dict[str, Any]:
        threads = [one.json for one in self.channels if one.type == 11]
        return {
            "id": str(self.id),
            "name": self.name,
            "owner_id": str(self.owner.id),
            "member_count": len(self.members),
            "channels": [one.json for one in self.channels if one.type != 11],
            "threads": threads,
            "roles": [
                role(self.id, "@everyone"),
                role(self.managing, "Managers") | {"permissions": str(1 << 5)},
            ],
            "emojis": [],
            "features": [],
            **dict.fromkeys(("verification_level", "mfa_level", "premium_tier", "nsfw_level"), 0),
        }


@dataclass(eq=False)
class Message:
    channel: Channel
    author: User
    content: str
    id: int = field(default_factory=snowflake)
    components: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    attachments: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    answers: "Message | None" = None
    nonce: str | None = None
    flags: int = 0
    sent_flags: int = field(init=False)
    """The flags that it was sent with: an edit makes no sound, whatever its own flags are."""
    reactions: list[str] = field(default_factory=list[str])
    thumbs: dict[str, list["User"]] = field(default_factory=dict[str, list["User"]])
    """The people who reacted, by emoji."""
    deleted: bool = False
    edited_at: str | None = None
    more: dict[str, Any] = field(default_factory=dict[str, Any])
    """Fields of a message that a person's app adds: stickers, polls, forwards."""

    def __post_init__(self) -> None:
        self.sent_flags = self.flags

    @property
    def text(self) -> str:
        return self.content

    @property
    def labels(self) -> list[str]:
        """The words on its buttons and options, in order."""
        return [one["label"] for one in self.choices]

    @property
    def choices(self) -> list[dict[str, Any]]:
        """Buttons, and options with the menu that they are in."""
        found: list[dict[str, Any]] = []
        for row in self.components:
            for one in row["components"]:
                if one["type"] == 3:
                    options = one["options"]
                    found += [{**o, "custom_id": one["custom_id"], "type": 3} for o in options]
                else:
                    found.append(one)
        return found

    def json(self, mentions: list[User], *, deep: bool = True) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "id": str(self.id),
            "channel_id": str(self.channel.id),
            "author": self.author.json,
            "content": self.content,
            "timestamp": datetime.now(UTC).isoformat(),
            "edited_timestamp": self.edited_at,
            "tts": False,
            "mention_everyone": False,
            "mentions": [one.json for one in mentions],
            "mention_roles": [],
            "attachments": [{k: v for k, v in a.items() if k != "data"} for a in self.attachments],
            "embeds": [],
            "pinned": False,
            "type": 0 if self.answers is None else 19,
            "flags": self.flags,
            "components": self.components,
            **self.more,
        }
        counts = {emoji: len(people) for emoji, people in self.thumbs.items()}
        counts |= {emoji: counts.get(emoji, 0) + 1 for emoji in self.reactions}
        if counts:
            shown["reactions"] = [
                {
                    "emoji": {"id": None, "name": emoji},
                    "count": number,
                    "me": emoji in self.reactions,
                }
                for emoji, number in counts.items()
            ]
        if self.nonce is not None:
            shown["nonce"] = self.nonce
        if self.channel.guild is not None:
            shown["guild_id"] = str(self.channel.guild)
            shown["member"] = {"nick": None, "roles": [], "joined_at": "2026-01-01T00:00:00+00:00"}
        if self.answers is not None and deep:
            reference = {"message_id": str(self.answers.id), "channel_id": str(self.channel.id)}
            shown["message_reference"] = {"type": 0, **reference}
            shown["referenced_message"] = self.answers.json([], deep=False)
        return shown


@dataclass(eq=False)
class Interaction:
    """A press or a filled dialogue, with what the bot answered to it."""

    kind: int
    user: User
    message: Message | None
    data: dict[str, Any]
    id: int = field(default_factory=snowflake)
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    made_at: float = field(default_factory=time.monotonic)
    at: Channel | None = None
    answer: dict[str, Any] | None = None
    failed: bool = False
    """Whether the answer came too late, which the app tells the one who pressed."""
    notices: list[str] = field(default_factory=list[str])
    """Texts that this person alone sees."""

    @property
    def dialogue(self) -> dict[str, Any] | None:
        return self.answer["data"] if self.answer is not None and self.answer["type"] == 9 else None

    @property
    def json(self) -> dict[str, Any]:
        channel = self.at if self.message is None else self.message.channel
        assert channel is not None
        shown: dict[str, Any] = {
            "id": str(self.id),
            "application_id": "0",
            "type": self.kind,
            "token": self.token,
            "version": 1,
            "data": self.data,
            "channel_id": str(channel.id),
            "channel": channel.json,
        }
        if self.message is not None:
            shown["message"] = self.message.json([])
        if channel.guild is None:
            return shown | {"user": self.user.json}
        member = {"user": self.user.json, "nick": None, "roles": []}
        return shown | {"guild_id": str(channel.guild), "member": member}
