"""The HTTP API: each route does its work or raises a refusal."""

import os
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

from tests.standins.discord.faults import Refusal, bad_form
from tests.standins.discord.places import Places
from tests.standins.discord.rules import check_components, check_dialogue, check_message
from tests.standins.discord.world import Channel, Interaction, Message, User, snowflake

_NONCE_SECONDS = 300
_ANSWER_SECONDS = 3.0
_VOICE_MESSAGE = 1 << 13
_EDITABLE = ("content", "components", "flags")


def answer_seconds() -> float:
    """Returns the seconds in which a press is to be answered.

    A machine that many programs share gives each of them its part of the time alone, so there are
    as many times more as it has work for each processor.
    """
    return _ANSWER_SECONDS * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


class Routes:
    """What an authorised bot may do; `self.told` collects the events that follow from it."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.called: list[str] = []
        """Everybody that a message of the bot has rung up."""
        self._nonces: dict[tuple[int, str], tuple[float, Message]] = {}

    def messages_post(self, channel: Channel, body: Any, files: Sequence[bytes]) -> dict[str, Any]:
        self._may(channel, "send")
        if files:
            self._may(channel, "attach")
        check_message(body, files)
        if body.get("flags", 0) & _VOICE_MESSAGE and "voice" in channel.denied:
            raise Refusal(403, 50173, "Cannot send voice messages in this channel")
        self._may_in_thread(channel)
        answers = self._answered(channel, body.get("message_reference"))
        nonce = str(body["nonce"]) if "nonce" in body else None
        known = self._nonces.get((channel.id, nonce or ""))
        if body.get("enforce_nonce") and known and time.monotonic() - known[0] < _NONCE_SECONDS:
            return known[1].json([])
        message = Message(
            channel,
            self._places.bot,
            (body.get("content") or "").strip(),
            components=body.get("components") or [],
            answers=answers,
            nonce=nonce,
            flags=body.get("flags") or 0,
        )
        named = body.get("attachments", [])
        for at, content in enumerate(files):
            told = {k: v for k, v in named[at].items() if k not in ("id", "filename")}
            message.attachments.append(
                self._places.attachment(message, named[at]["filename"], content, **told)
            )
        if nonce is not None:
            self._nonces[channel.id, nonce] = time.monotonic(), message
        self._ring(body)
        self._places.messages.append(message)
        self.told.append(("MESSAGE_CREATE", message.json([])))
        return message.json([])

    def forget_names(self) -> None:
        self._nonces.clear()

    def channel_get(self, channel: Channel) -> dict[str, Any]:
        self._may(channel, "view")
        return channel.json

    def messages_get(self, channel: Channel, query: dict[str, str]) -> list[dict[str, Any]]:
        self._may(channel, "view")
        limit = int(query.get("limit", "50"))
        if not 1 <= limit <= 100:
            raise bad_form("limit: Must be between 1 and 100.")
        held = [m for m in self._places.messages if m.channel is channel and not m.deleted]
        held.sort(key=lambda m: m.id)
        after = query.get("after")
        behind = [m for m in held if m.id > int(after or 0)]
        if (before := query.get("before")) is not None:
            behind = [m for m in behind if m.id < int(before)]
        found = behind[-limit:] if after is None else behind[:limit]
        # The API leaves out what the gateway says of the server.
        shown = [m.json([]) for m in reversed(found)]
        for one in shown:
            # A name is told when its message is made, and never again.
            one.pop("nonce", None)
        return [{k: v for k, v in m.items() if k not in ("guild_id", "member")} for m in shown]

    def _ring(self, body: Any) -> None:
        allowed = body.get("allowed_mentions")
        parse = ["everyone", "users", "roles"] if allowed is None else allowed.get("parse", [])
        content = body.get("content") or ""
        if "everyone" in parse and "@everyone" in content:
            self.called.append("everyone")
        if "users" in parse and "<@" in content:
            self.called.append(content)
        if "message_reference" in body and (allowed or {}).get("replied_user", allowed is None):
            self.called.append("the one who is answered")

    def _answered(self, channel: Channel, reference: Any) -> Message | None:
        if reference is None:
            return None
        found = self._places.message(reference.get("message_id"))
        if found is None or found.channel is not channel:
            if reference.get("fail_if_not_exists", True):
                raise bad_form("message_reference: Unknown message")
            return None
        return found

    def message_patch(
        self, channel: Channel, message: Message, body: Any, files: Sequence[bytes] = ()
    ) -> dict[str, Any]:
        self._may(channel, "view")
        if channel.archived:
            raise Refusal(400, 50083, "Thread is archived")
        if files:
            self._may(channel, "attach")
        if message.author is not self._places.bot:
            raise Refusal(403, 50005, "Cannot edit a message authored by another user")
        if message.flags & _VOICE_MESSAGE:
            raise Refusal(400, 50161, "Cannot edit voice messages")
        check_message(body, files or [b"" for _ in message.attachments], edit=True)
        if "attachments" in body:
            # What is not named goes; a number within the files names a new one.
            named = {str(one["id"]): one for one in body["attachments"]}
            kept = [one for one in message.attachments if one["id"] in named]
            new = [(named[str(at)], content) for at, content in enumerate(files)]
            message.attachments[:] = [
                *kept,
                *(self._places.attachment(message, one["filename"], data) for one, data in new),
            ]
        elif files:
            raise bad_form("attachments: each file needs its name")
        for name in _EDITABLE:
            if name in body:
                setattr(message, name, body[name])
        if not message.content.strip() and not message.attachments:
            raise Refusal(400, 50006, "Cannot send an empty message")
        message.edited_at = datetime.now(UTC).isoformat()
        self.told.append(("MESSAGE_UPDATE", message.json([])))
        return message.json([])

    def message_delete(self, channel: Channel, message: Message) -> None:
        self._may(channel, "view")
        if message.author is not self._places.bot:
            raise Refusal(403, 50013, "Missing Permissions")
        message.deleted = True
        gone = {"id": str(message.id), "channel_id": str(channel.id)}
        if channel.guild is not None:
            gone["guild_id"] = str(channel.guild)
        self.told.append(("MESSAGE_DELETE", gone))

    def reaction(self, channel: Channel, message: Message, emoji: str, *, put: bool) -> None:
        shown = unquote(emoji)
        if shown.isascii():
            raise Refusal(400, 10014, "Unknown Emoji")
        if put:
            self._may(channel, "react")
            if shown not in message.reactions:
                message.reactions.append(shown)
        elif shown in message.reactions:
            message.reactions.remove(shown)
        else:
            raise Refusal(404, 10014, "Unknown Emoji")

    def reactions_get(
        self, channel: Channel, message: Message, emoji: str, query: dict[str, str]
    ) -> list[dict[str, Any]]:
        self._may(channel, "view")
        if not 1 <= int(query.get("limit", "25")) <= 100:
            raise bad_form("limit: Must be between 1 and 100.")
        return [person.json for person in message.thumbs.get(unquote(emoji), [])]

    def thread_post(self, channel: Channel, message: Message, body: Any) -> dict[str, Any]:
        """Opens the thread of a message; it has the message's number."""
        self._may(channel, "view")
        guild = self._places.guilds.get(channel.guild or 0)
        if guild is None or channel.type not in (0, 5):
            raise Refusal(400, 50024, "Cannot execute action on this channel type")
        if not guild.rights & 1 << 35:
            raise Refusal(403, 50013, "Missing Permissions")
        self._may(channel, "thread")
        if self._places.channel(message.id) is not None:
            raise Refusal(400, 160004, "A thread has already been created for this message")
        if set(body) - {"name", "auto_archive_duration"} or not 1 <= len(body["name"]) <= 100:
            raise bad_form("name: Must be between 1 and 100 in length.")
        thread = Channel(message.id, 11, body["name"], channel.guild, channel.id, role=guild.role)
        guild.channels.append(self._places.add(thread))
        self.told.append(("THREAD_CREATE", thread.json))
        # The app shows the message once more, at the top of its thread.
        again = message.json([]) | {"channel_id": str(thread.id), "id": str(snowflake())}
        self.told.append(("MESSAGE_CREATE", again | {"type": 21, "content": ""}))
        return thread.json

    def thread_patch(self, channel: Channel, body: Any) -> dict[str, Any]:
        """Wakes an archived thread; one that is locked is for those who manage threads."""
        self._may(channel, "view")
        if channel.type != 11 or body != {"archived": False}:
            raise Refusal(403, 50013, "Missing Permissions")
        if channel.locked:
            raise Refusal(403, 50013, "Missing Permissions")
        channel.archived = False
        self.told.append(("THREAD_UPDATE", channel.json))
        return channel.json

    def leave(self, guild: str) -> None:
        if self._places.guilds.pop(int(guild), None) is None:
            raise Refusal(404, 10004, "Unknown Guild")
        self.told.append(("GUILD_DELETE", {"id": guild}))

    def typing(self, channel: Channel) -> None:
        self._may(channel, "send")
        channel.typed += 1

    def direct(self, body: Any) -> dict[str, Any]:
        person = self._places.person(body.get("recipient_id"))
        if person is None or person.bot:
            raise Refusal(400, 50033, "Invalid Recipient(s)")
        return self._places.direct(person).json

    def callback(self, interaction: Interaction, body: Any) -> None:
        late = time.monotonic() - interaction.made_at > answer_seconds()
        if late and interaction.answer is None:
            interaction.failed = True
            raise Refusal(404, 10062, "Unknown interaction")
        if interaction.answer is not None:
            raise Refusal(400, 40060, "Interaction has already been acknowledged.")
        match body.get("type"):
            case 6 if interaction.kind in (3, 5):
                pass
            case 9 if interaction.kind == 3:
                check_dialogue(body["data"])
            case 8 if interaction.kind == 4:
                if len(body["data"]["choices"]) > 25:
                    raise bad_form("choices: Must be 25 or fewer in length.")
            case 4 if interaction.kind != 4:
                check_message({**body["data"], "flags": 0}, [])
                interaction.notices.append(body["data"]["content"])
            case _:
                raise bad_form("type: this is no answer to such an interaction")
        interaction.answer = body

    def follow_up(self, interaction: Interaction, body: Any) -> dict[str, Any]:
        if interaction.answer is None:
            raise Refusal(404, 10015, "Unknown Webhook")
        check_message({k: v for k, v in body.items() if k != "flags"}, [])
        check_components(body.get("components") or [])
        if body.get("flags") != 1 << 6:
            raise bad_form("flags: an answer that everybody sees was not expected")
        interaction.notices.append(body["content"])
        return {"id": str(snowflake()), "content": body["content"]}

    def _may(self, channel: Channel, right: str) -> None:
        if channel.guild is None:
            if right == "send" and any(person.blocks for person in channel.people):
                raise Refusal(403, 50007, "Cannot send messages to this user")
            return
        if "view" in channel.denied:
            raise Refusal(403, 50001, "Missing Access")
        if right in channel.denied:
            raise Refusal(403, 50013, "Missing Permissions")

    def _may_in_thread(self, channel: Channel) -> None:
        if channel.locked and channel.archived:
            raise Refusal(400, 50083, "Thread is archived")
        if channel.locked:
            raise Refusal(403, 160005, "Thread is locked")
        channel.archived = False


def invitations(places: Places, guild: int) -> dict[str, Any]:
    """The lines of the audit log about the bot's invitation, with the people that they name."""
    found = places.guilds.get(guild)
    if found is None:
        raise Refusal(404, 10004, "Unknown Guild")
    if not found.shows_log:
        raise Refusal(403, 50013, "Missing Permissions")
    by = found.invited_by
    line = {"action_type": 28, "target_id": str(places.bot.id), "id": str(snowflake())}
    lines = [] if by is None else [line | {"user_id": str(by.id)}]
    return {"audit_log_entries": lines, "users": [] if by is None else [by.json]}


def member_of(places: Places, guild: int, person: User | None) -> dict[str, Any]:
    found = places.guilds.get(guild)
    if found is None:
        raise Refusal(404, 10004, "Unknown Guild")
    if person is not None and person is places.bot:
        return {"user": person.json, "roles": [str(found.role)], "nick": None}
    if person is None or person not in found.members:
        raise Refusal(404, 10007, "Unknown Member")
    roles = [str(found.managing)] if person in found.managers else list[str]()
    return {"user": person.json, "roles": roles, "nick": None}
