"""What people do and see on a platform, in words that both platforms share.

A place is where the bot meets several people, and where it is called: a group or a topic on
Telegram, a channel or a thread on Discord.
"""

import mimetypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.standins.bot_api import BotApi, Chat, Person
from tests.standins.discord import Channel, Discord, Interaction, User
from tests.standins.discord.world import stopped_clock

DISCORD_NUMBERS = 700_000_000_000_000_000
"""What is added to a person's number on Discord."""

_BEGINNING = "b0:"
"""Stands before the data of a button on Discord."""
_ANSWERS = ("Now", "Never")


@dataclass(frozen=True)
class Topic:
    """A topic of a group."""

    group: Chat
    number: int


class TelegramHands:
    """People on Telegram; Ann does what nobody else is named for."""

    platform = "telegram"
    voice_name = "voice.ogg"
    """The name of the file that the app makes of a voice message."""
    telegram: BotApi
    ann: Person

    def person(self, number: int, name: str) -> Any:
        """Somebody else, who may write in private."""
        person = self.telegram.person(number, name)
        self.telegram.private_chat(person)
        return person

    def account(self, holder: Any) -> str:
        """The account of a person, or the address of a place."""
        if isinstance(holder, Topic):
            return f"telegram:{holder.group.id}/{holder.number}"
        return f"telegram:{holder.id}"

    @property
    def me(self) -> Any:
        """Ann, where others are named too."""
        return self.ann

    def team(
        self,
        *others: Any,
        runner: Any = None,
        hears: bool = False,
        title: str = "Team",
        with_ann: bool = True,
    ) -> Any:
        """A place of Ann and others, run by her or by another one.

        With `hears` the bot gets all that is said there; on Discord it always does.
        """
        admins = (self.telegram.bot,) if hears else ()
        people = (self.ann, *others) if with_ann else others
        return self.telegram.group(title, *people, admins=admins, creator=runner)

    def thread(self, team: Any, name: str) -> Any:
        """A place for one subject in a team's place."""
        return Topic(team, self.telegram.topic(team, name))

    def say(self, text: str, *, by: Any = None, at: Any = None, **how: Any) -> Any:
        """Write a message: Ann or somebody else, in private or at a place."""
        if at is not None:
            how |= self._place(at)
        return self.telegram.say(by or self.ann, text, **how)

    def _place(self, at: Any) -> dict[str, Any]:
        return {"chat": at.group, "topic": at.number} if isinstance(at, Topic) else {"chat": at}

    def call(self, text: str, **how: Any) -> Any:
        """Write a message that mentions the bot."""
        return self.say(f"@steward_bot {text}", **how)

    def order(self, command: str, **how: Any) -> Any:
        """Write a command for this bot where several may be."""
        name, _, rest = command.partition(" ")
        return self.say(f"{name}@steward_bot {rest}".rstrip(), **how)

    def forward(self, text: str, author: str) -> Any:
        """Bring Ann's bot words that somebody else has written elsewhere."""
        return self.say(text, forward_from=author)

    def forwarded_from(self, author: str) -> str:
        """Whose words a forward is said to hold."""
        return author

    def attach(
        self, data: bytes, name: str, caption: str = "", *, at: Any = None, called: bool = False
    ) -> Any:
        """Send a file as it is; with `called` its words mention the bot."""
        words = f"@steward_bot {caption}" if called else caption
        return self.telegram.send_document(self.ann, data, name, caption=words, chat=at)

    def photo(self, data: bytes, caption: str = "") -> Any:
        """Send a photo, which is called photo.jpg."""
        return self.telegram.send_photo(self.ann, data, caption=caption)

    def film(self, data: bytes) -> Any:
        """Send a film, which is called film.mp4."""
        return self.telegram.send_video(self.ann, data)

    def throw_out(self, team: Any) -> None:
        """Have somebody remove the bot from a team's place."""
        self.telegram.remove_bot(team, self.telegram.person(44, "Eve"))

    def take_back(self, team: Any) -> None:
        """Have somebody add the bot to the place again."""
        self.telegram.add_bot(team, self.telegram.person(44, "Eve"))

    def forbid_reactions(self, team: Any) -> None:
        """Have no reactions taken at a place."""
        team.reactions = ()

    def reactions_on(self, message: Any) -> list[str]:
        """The bot's reactions on a message that somebody has sent."""
        return [emoji for left in message.reactions.values() for emoji in left]

    def speak(self, data: bytes = b"OggS-sound", seconds: int = 3) -> Any:
        """Record a voice message."""
        return self.telegram.send_voice(self.ann, data, seconds)

    def wordless(self) -> Sequence[tuple[Callable[[], object], str]]:
        """What people can send that has no words, and what the model is told of it."""
        api, ann = self.telegram, self.ann
        return (
            (lambda: api.send_sticker(ann, "👍"), "[sticker: 👍]"),
            (
                lambda: api.send_location(ann, 48.2, 16.37),
                "[location: latitude 48.2, longitude 16.37]",
            ),
            (lambda: api.send_contact(ann, "Bob", "+43 1"), "[contact: Bob · +43 1]"),
            (lambda: api.send_poll(ann, "When?", "Now", "Never"), "[poll: When? · Now · Never]"),
            (self.speak, "[a voice message, “voice.ogg”, is a recording, which"),
            (lambda: api.send_video_note(ann), "[a video, “video.mp4”, is a recording, which"),
            (lambda: self.film(b"ftyp"), "[a video, “film.mp4”, is a recording, which"),
        )

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        """What is sent meanwhile is sent at once, however long the machine takes."""
        self.telegram.stop_clock()
        yield

    def forge(self, card: Any, data: str, by: Any = None) -> Any:
        """Press a button that the bot never showed."""
        return self.telegram.press(by or self.ann, card, data, forged=True)

    def screen(self, at: Any = None) -> list[Any]:
        """The bot's messages at a place, or in private with somebody."""
        place = at or self.ann
        if not isinstance(place, Topic):
            return self.telegram.screen(place.id).from_bot
        found = self.telegram.screen(place.group.id).from_bot
        return [one for one in found if one.thread_id == place.number]

    @property
    def typing(self) -> bool:
        """Whether Ann sees that the bot is typing."""
        return self.telegram.screen(self.ann.id).typing


class DiscordHands:
    """The same people on Discord."""

    platform = "discord"
    voice_name = "voice-message.ogg"
    discord: Discord
    someone: User

    def person(self, number: int, name: str) -> Any:
        return self.discord.person(DISCORD_NUMBERS + number, name)

    def account(self, holder: Any) -> str:
        if isinstance(holder, User):
            return f"discord:{holder.id}"
        if holder.parent is not None:
            return f"discord:-{holder.parent}/{holder.id}"
        return f"discord:-{holder.id}"

    @property
    def me(self) -> Any:
        return self.someone

    def team(
        self,
        *others: Any,
        runner: Any = None,
        hears: bool = False,
        title: str = "Team",
        with_ann: bool = True,
    ) -> Any:
        del hears
        people = (self.someone, *others) if with_ann else others
        guild = self.discord.guild(title, runner or people[0], *people)
        return guild.channels[0]

    def thread(self, team: Channel, name: str) -> Any:
        return self.discord.thread(team, name)

    def say(self, text: str, *, by: Any = None, at: Any = None, **how: Any) -> Any:
        answered = how.get("reply_to")
        how["reply_to"] = getattr(answered, "message", answered)
        return self.discord.say(by or self.someone, text, at=at, **how)

    def call(self, text: str, **how: Any) -> Any:
        return self.say(f"<@{self.discord.bot.id}> {text}", **how)

    def order(self, command: str, **how: Any) -> Any:
        return self.call(command, **how)

    def forward(self, text: str, author: str) -> Any:
        # Discord does not say whose words a forward holds.
        del author
        reference = {"type": 1, "message_id": "1200000000000000001", "channel_id": "12"}
        held = [{"message": {"content": text}}]
        return self.say("", message_reference=reference, message_snapshots=held)

    def forwarded_from(self, author: str) -> str:
        del author
        return "another chat"

    def attach(
        self, data: bytes, name: str, caption: str = "", *, at: Any = None, called: bool = False
    ) -> Any:
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        say = self.call if called else self.say
        return say(caption, at=at, files=[(name, data, kind)])

    def photo(self, data: bytes, caption: str = "") -> Any:
        return self.say(caption, files=[("photo.jpg", data, "image/jpeg")])

    def film(self, data: bytes) -> Any:
        return self.say("", files=[("film.mp4", data, "video/mp4")])

    def throw_out(self, team: Any) -> None:
        self.discord.remove_bot(self.discord.places.guilds[team.guild])

    def take_back(self, team: Any) -> None:
        self.discord.add_bot(self.discord.places.left[team.guild])

    def forbid_reactions(self, team: Any) -> None:
        team.denied.add("react")

    def reactions_on(self, message: Any) -> list[str]:
        # The app shows an emoji with the sign for its form and without it alike.
        return [emoji.removesuffix("\ufe0f") for emoji in message.reactions]

    def speak(self, data: bytes = b"OggS-sound", seconds: int = 3) -> Any:
        return self.discord.voice(self.someone, data, seconds)

    def wordless(self) -> Sequence[tuple[Callable[[], object], str]]:
        sticker = {"id": "5", "name": "Thumbs up", "format_type": 1}
        answers = [{"answer_id": n, "poll_media": {"text": w}} for n, w in enumerate(_ANSWERS, 1)]
        poll = {"question": {"text": "When?"}, "answers": answers, "layout_type": 1}
        poll |= {"allow_multiselect": False, "expiry": None}
        return (
            (lambda: self.say("", sticker_items=[sticker]), "[sticker: Thumbs up]"),
            (lambda: self.say("", poll=poll), "[poll: When? · Now · Never]"),
            (self.speak, "[a voice message, “voice-message.ogg”, is a recording, which"),
            (lambda: self.film(b"ftyp"), "[a video, “film.mp4”, is a recording, which"),
        )

    @contextmanager
    def one_moment(self) -> Iterator[None]:
        with stopped_clock():
            yield

    def forge(self, card: Any, data: str, by: Any = None) -> Any:
        sent = {"custom_id": f"{_BEGINNING}{data}", "component_type": 2}
        return self.discord.sent_off(Interaction(3, by or self.someone, card.message, sent))

    @property
    def typing(self) -> bool:
        return self.discord.places.direct(self.someone).typed > 0
