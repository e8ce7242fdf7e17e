"""What people do in their chats, as the updates a real service would make of it."""

import mimetypes
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, Protocol

from tests.standins.bot_api.entity import Entity, parse_entities, utf16_length
from tests.standins.bot_api.formatting import FormattedText
from tests.standins.bot_api.keyboard import Button
from tests.standins.bot_api.looking import member_json
from tests.standins.bot_api.sending import MAX_TEXT
from tests.standins.bot_api.service import Press, Service
from tests.standins.bot_api.world import Chat, Message, Person, StoredFile

_COMMAND = re.compile(r"(?<![\w/])/[a-zA-Z0-9_]{1,64}(@\w{3,32})?\b")
_MENTION = re.compile(r"(?<![\w@])@\w{3,32}\b")
_URL = re.compile(r"https?://[^\s<>\"']+[^\s<>\"'.,;:!?)]")
_ANONYMOUS = Person(1_087_968_824, "Group", "GroupAnonymousBot", is_bot=True)
"""The account in whose name Telegram shows what is written in the name of a group."""

_FOUND = ((_COMMAND, "bot_command"), (_MENTION, "mention"), (_URL, "url"))


class OnScreen(Protocol):
    """A message as a person points at it: a `Message` or what the screen shows of it."""

    @property
    def id(self) -> int: ...

    @property
    def chat_id(self) -> int: ...


class PersonActions:
    """Actions of people; each returns what it made and queues the bot's update."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._world = service.world
        self._person_ids = count(1_001)
        self._press_ids = count(7_000_000_001)
        self._album_ids = count(13_000_000_001)

    def person(
        self,
        id: int | None = None,
        first_name: str = "Ann",
        username: str | None = None,
        language_code: str | None = "en",
    ) -> Person:
        number = next(self._person_ids) if id is None else id
        person = Person(number, first_name, username, language_code)
        self._world.people[number] = person
        return person

    def private_chat(self, person: Person, *, started: bool = True) -> Chat:
        """The person's chat with the bot, made on first use; `started=False`: never written."""
        chat = self._world.chats.get(person.id)
        return chat or self._world.add_private_chat(person, started=started)

    def group(
        self,
        title: str,
        *members: Person,
        kind: str = "supergroup",
        admins: tuple[Person, ...] = (),
        creator: Person | None = None,
    ) -> Chat:
        """A group (`kind` group or supergroup) with the bot in it; the bot is told.

        Whoever adds it is the first of all, or the group's creator.
        """
        chat = self._world.add_group(kind, title, [*members, *admins])
        chat.admins = {admin.id for admin in admins}
        adder = next(iter(chat.members.values()))
        if creator is not None:
            chat.members[creator.id] = adder = creator
            chat.creator = creator.id
        del chat.members[self._service.bot.id]
        self.add_bot(chat, adder)
        return chat

    def upgrade(
        self, group: Chat, by: Person, *, tells: tuple[str, ...] = ("joined", "to", "from")
    ) -> Chat:
        """Make a group a supergroup with a number of its own; the old one takes nothing more.

        The bot hears that it joined the new one, and of the move `to` it in the old and `from`
        there in the new, in the order of `tells`; what is not named is lost on the way.
        """
        new = self._world.add_group("supergroup", group.title, list(group.members.values()))
        new.admins, new.creator, new.muted = set(group.admins), group.creator, set(group.muted)
        group.upgraded_to = new.id
        inside = member_json(new, self._service.bot)
        outside = {"user": inside["user"], "status": "left"}
        told = {
            "joined": ("my_chat_member", self._change(new, by, outside, inside)),
            "to": ("message", self._announced(group, by, migrate_to_chat_id=new.id)),
            "from": ("message", self._announced(new, _ANONYMOUS, migrate_from_chat_id=group.id)),
        }
        for one in tells:
            self._tell(*told[one])
        return new

    def _announced(self, chat: Chat, by: Person, **fields: Any) -> dict[str, Any]:
        """A message of the service itself, on the screen and as the bot reads it."""
        named = {"sender_chat": chat.to_json()} if by is _ANONYMOUS else {}
        message = Message(next(chat.ids), chat, by, self._service.date, FormattedText("", ()))
        message.service = {**named, **fields}
        chat.messages[message.id] = message
        return message.to_json()

    def topic(self, group: Chat, name: str) -> int:
        """Open a topic; returns its message_thread_id, never 1, which is the General topic's."""
        thread_id = next(number for number in group.ids if number > 1)
        group.topics[thread_id] = name
        return thread_id

    def close_topic(self, group: Chat, topic: int) -> None:
        """Only admins write into it from now on."""
        group.closed_topics.add(topic)

    def reopen_topic(self, group: Chat, topic: int) -> None:
        group.closed_topics.discard(topic)

    def delete_topic(self, group: Chat, topic: int) -> None:
        """With all its messages."""
        del group.topics[topic]
        for message in [m for m in group.messages.values() if m.thread_id == topic]:
            del group.messages[message.id]

    def say(
        self,
        person: Person,
        text: str,
        *,
        chat: Chat | None = None,
        topic: int | None = None,
        reply_to: OnScreen | None = None,
        quote: str | None = None,
        forward_from: Person | str | None = None,
        entities: list[dict[str, Any]] | None = None,
    ) -> Message:
        """Send a text. Forwarded from a person, or from a hidden user known by name alone."""
        if len(text) > MAX_TEXT:
            raise ValueError("an app cuts such a text into pieces: use paste")
        listed = parse_entities(entities) if entities is not None else _found(text)
        message = self._new(person, chat, FormattedText(text, tuple(listed)), topic)
        message.reply_to = self._message(reply_to) if reply_to is not None else None
        message.quote = quote
        if forward_from is not None:
            message.origin = self._origin(forward_from)
        return self._sent(message)

    def paste(self, person: Person, text: str, *, chat: Chat | None = None) -> list[Message]:
        """Send a text of any length, cut into messages as an app cuts it."""
        pieces = [text[at : at + MAX_TEXT] for at in range(0, len(text), MAX_TEXT)]
        return [self.say(person, piece, chat=chat) for piece in pieces]

    def say_through(self, person: Person, bot: Person, text: str) -> Message:
        """Send what a bot wrote in its inline mode."""
        message = self._new(person, None, FormattedText(text, tuple(_found(text))), None)
        message.via = bot
        return self._sent(message)

    def start(self, person: Person, payload: str = "") -> Message:
        """Press Start, or open a link with a payload."""
        return self.say(person, f"/start {payload}".rstrip())

    def send_document(
        self,
        person: Person,
        data: bytes,
        name: str,
        *,
        caption: str = "",
        mime_type: str | None = None,
        chat: Chat | None = None,
    ) -> Message:
        guessed = mime_type or mimetypes.guess_type(name)[0] or "application/octet-stream"
        stored = self._world.add_file("document", name, guessed, data)
        return self._send_file(person, stored, caption, chat)

    def send_photo(
        self,
        person: Person,
        data: bytes,
        name: str = "photo.jpg",
        *,
        caption: str = "",
        chat: Chat | None = None,
        album: str | None = None,
    ) -> Message:
        """Send a photo by itself, or as the next part of an album (see `album`)."""
        stored = self._world.add_file("photo", name, "image/jpeg", data)
        return self._send_file(person, stored, caption, chat, album)

    def album(self) -> str:
        """The number of a new album, which each of its parts carries."""
        return str(next(self._album_ids))

    def send_album(
        self, person: Person, *photos: bytes, caption: str = "", chat: Chat | None = None
    ) -> list[Message]:
        """Send two to ten photos as one: an update for each, the caption on the first."""
        if not 2 <= len(photos) <= 10:
            raise ValueError("an album has two to ten parts")
        album, captions = self.album(), [caption, *[""] * (len(photos) - 1)]
        return [
            self.send_photo(person, data, caption=words, chat=chat, album=album)
            for data, words in zip(photos, captions, strict=True)
        ]

    def send_voice(self, person: Person, data: bytes = b"OggS", seconds: int = 7) -> Message:
        stored = self._world.add_file("voice", "voice", "audio/ogg", data, duration=seconds)
        return self._send_file(person, stored, "", None)

    def send_video_note(self, person: Person, data: bytes = b"ftyp", seconds: int = 7) -> Message:
        """Send one of the round films an app records itself."""
        stored = self._world.add_file(
            "video_note", "note", "video/mp4", data, length=240, duration=seconds
        )
        return self._send_file(person, stored, "", None)

    def send_video(self, person: Person, data: bytes = b"ftyp", *, caption: str = "") -> Message:
        stored = self._world.add_file(
            "video", "film.mp4", "video/mp4", data, width=640, height=480, duration=7
        )
        return self._send_file(person, stored, caption, None)

    def send_sticker(self, person: Person, emoji: str = "👍") -> Message:
        traits = {"type": "regular", "width": 512, "height": 512}
        traits |= {"is_animated": False, "is_video": False, "emoji": emoji, "set_name": "thumbs"}
        stored = self._world.add_file("sticker", "sticker.webp", "image/webp", b"RIFF", **traits)
        return self._send_file(person, stored, "", None)

    def send_location(
        self,
        person: Person,
        latitude: float,
        longitude: float,
        *,
        reply_to: OnScreen | None = None,
    ) -> Message:
        place = {"location": {"latitude": latitude, "longitude": longitude}}
        return self._send_thing(person, place, reply_to)

    def send_contact(self, person: Person, name: str, phone: str) -> Message:
        return self._send_thing(person, {"contact": {"phone_number": phone, "first_name": name}})

    def send_poll(self, person: Person, question: str, *options: str) -> Message:
        listed = [
            {"persistent_id": str(n), "text": option, "voter_count": 0}
            for n, option in enumerate(options)
        ]
        poll = {"id": "5", "question": question, "options": listed, "total_voter_count": 0}
        poll |= {"is_closed": False, "is_anonymous": True, "type": "regular"}
        poll |= dict.fromkeys(("allows_multiple_answers", "allows_revoting", "members_only"), False)
        return self._send_thing(person, {"poll": poll})

    def edit(self, person: Person, message: OnScreen, text: str) -> Message:
        edited = self._message(message)
        if edited.sender != person:
            raise ValueError("people edit their own messages only")
        edited.content = FormattedText(text, tuple(_found(text)))
        edited.edited_at = self._service.date
        self._tell("edited_message", edited.to_json())
        return edited

    def remove(self, message: OnScreen) -> None:
        """Delete a message for both sides; bots are not told."""
        shown = self._message(message)
        del shown.chat.messages[shown.id]
        self._service.pulse.beat()

    def press(
        self, person: Person, message: OnScreen, button: str, *, forged: bool = False
    ) -> Press:
        """Press a button by its label or data; a forged press sends any data at all."""
        pressed = self._message(message)
        data = button if forged else _data(pressed, button)
        press = Press(
            str(next(self._press_ids)),
            person,
            pressed.chat_id,
            pressed.id,
            data,
            self._service.clock.now(),
        )
        self._service.presses[press.id] = press
        self._tell(
            "callback_query",
            {
                "id": press.id,
                "from": person.to_json(),
                "message": pressed.to_json(),
                "chat_instance": str(pressed.chat_id),
                "data": data,
            },
        )
        return press

    def react(self, person: Person, message: OnScreen, emoji: str | None) -> None:
        """Leave a reaction, or take it back with None."""
        reacted = self._message(message)
        old = reacted.reactions.get(person.id, [])
        new = [emoji] if emoji else []
        reacted.reactions[person.id] = new
        update = {
            "chat": reacted.chat.to_json(),
            "message_id": reacted.id,
            "user": person.to_json(),
            "date": self._service.date,
            "old_reaction": [{"type": "emoji", "emoji": one} for one in old],
            "new_reaction": [{"type": "emoji", "emoji": one} for one in new],
        }
        chat, bot = reacted.chat, self._service.bot
        # In groups an administrator alone is told of reactions.
        if chat.is_private or bot.id in chat.admins:
            self._tell("message_reaction", update)

    def block(self, person: Person) -> None:
        self._set_blocked(person, blocked=True)

    def unblock(self, person: Person) -> None:
        self._set_blocked(person, blocked=False)

    def add_bot(self, group: Chat, by: Person) -> None:
        with self._changing(group, by) as bot:
            group.banned.discard(bot.id)
            group.members[bot.id] = bot

    def remove_bot(self, group: Chat, by: Person) -> None:
        """Throw the bot out; nothing it sends is taken any more."""
        with self._changing(group, by) as bot:
            del group.members[bot.id]
            group.admins.discard(bot.id)
            group.muted.discard(bot.id)
            group.banned.add(bot.id)

    def promote_bot(self, group: Chat, by: Person) -> None:
        with self._changing(group, by) as bot:
            group.muted.discard(bot.id)
            group.admins.add(bot.id)

    def demote_bot(self, group: Chat, by: Person) -> None:
        with self._changing(group, by) as bot:
            group.admins.discard(bot.id)

    def mute_bot(self, group: Chat, by: Person) -> None:
        """Let the bot read on and write nothing."""
        with self._changing(group, by) as bot:
            group.admins.discard(bot.id)
            group.muted.add(bot.id)

    def unmute_bot(self, group: Chat, by: Person) -> None:
        with self._changing(group, by) as bot:
            group.muted.discard(bot.id)

    def _set_blocked(self, person: Person, *, blocked: bool) -> None:
        chat = self.private_chat(person)
        with self._changing(chat, person):
            chat.blocked = blocked

    @contextmanager
    def _changing(self, chat: Chat, by: Person) -> Iterator[Person]:
        """Tell the bot of its membership before and after the block."""
        bot = self._service.bot
        before = member_json(chat, bot)
        yield bot
        after = member_json(chat, bot)
        self._tell("my_chat_member", self._change(chat, by, before, after))

    def _change(
        self, chat: Chat, by: Person, before: dict[str, Any], after: dict[str, Any]
    ) -> dict[str, Any]:
        return {
            "chat": chat.to_json(),
            "from": by.to_json(),
            "date": self._service.date,
            "old_chat_member": before,
            "new_chat_member": after,
        }

    def _send_file(
        self,
        person: Person,
        stored: StoredFile,
        caption: str,
        chat: Chat | None,
        album: str | None = None,
    ) -> Message:
        message = self._new(person, chat, FormattedText(caption, tuple(_found(caption))), None)
        message.file, message.album = stored, album
        return self._sent(message)

    def _send_thing(
        self, person: Person, things: dict[str, Any], reply_to: OnScreen | None = None
    ) -> Message:
        message = self._new(person, None, FormattedText("", ()), None)
        message.things = things
        message.reply_to = self._message(reply_to) if reply_to is not None else None
        return self._sent(message)

    def _new(
        self, person: Person, chat: Chat | None, content: FormattedText, topic: int | None
    ) -> Message:
        place = chat or self.private_chat(person)
        if place.upgraded_to is not None:
            raise ValueError("nobody writes in a group that became a supergroup")
        if place.is_private:
            place.started = True
        message = Message(next(place.ids), place, person, self._service.date, content)
        message.thread_id = topic
        return message

    def _sent(self, message: Message) -> Message:
        message.chat.messages[message.id] = message
        if self._bot_sees(message):
            self._tell("message", message.to_json())
        self._service.pulse.beat()
        return message

    def _bot_sees(self, message: Message) -> bool:
        """Privacy mode: in a group only what is addressed to the bot, unless it is an admin."""
        chat, bot = message.chat, self._service.bot
        if bot.id not in chat.members:
            return False
        if chat.is_private or self._service.reads_all or bot.id in chat.admins:
            return True
        replied = message.reply_to is not None and message.reply_to.sender.id == bot.id
        text = message.content.text
        return replied or text.startswith("/") or f"@{bot.username}".lower() in text.lower()

    def _tell(self, kind: str, content: dict[str, Any]) -> None:
        self._service.updates.add(kind, content)

    def _message(self, shown: OnScreen) -> Message:
        return self._world.chats[shown.chat_id].messages[shown.id]

    def _origin(self, source: Person | str) -> dict[str, Any]:
        if isinstance(source, Person):
            origin = {"type": "user", "sender_user": source.to_json()}
        else:
            origin = {"type": "hidden_user", "sender_user_name": source}
        return origin | {"date": self._service.date}


def _found(text: str) -> list[Entity]:
    """Commands, mentions and links as the service finds them in any text."""
    found = [
        Entity(kind, utf16_length(text[: hit.start()]), utf16_length(hit.group()))
        for pattern, kind in _FOUND
        for hit in pattern.finditer(text)
    ]
    return sorted(found, key=lambda entity: entity.offset)


def _data(message: Message, wanted: str) -> str:
    buttons: list[Button] = [button for row in message.keyboard for button in row]
    for button in buttons:
        if button.data is not None and wanted in (button.text, button.data):
            return button.data
    shown = [button.text for button in buttons]
    raise LookupError(f"no button {wanted!r} on message {message.id}; it shows {shown}")
