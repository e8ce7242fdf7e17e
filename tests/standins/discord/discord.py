"""Discord as a test sees it: people write and press, and look at their screens."""

import asyncio
import base64
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, TypeVar

from aiohttp import web

from tests.patience import PATIENCE
from tests.standins.discord.faults import Call, Faults
from tests.standins.discord.gateway import Gateway
from tests.standins.discord.places import Places
from tests.standins.discord.server import Rates, Server
from tests.standins.discord.world import (
    Channel,
    Guild,
    Interaction,
    Message,
    User,
    role,
    snowflake,
)

T = TypeVar("T")
BOT_ID = 900_000_000_000_000_001
APPLICATION_ID = 900_000_000_000_000_444
"""An old bot's: those made since have one number for both."""

TOKEN = ".".join(
    (
        base64.urlsafe_b64encode(str(BOT_ID).encode()).decode().rstrip("="),
        "GxYzAb",
        "a-secret-of-discord-nobody-may-see-1234",
    )
)


class Discord:
    """Actions return at once; their events reach the bot in their order."""

    def __init__(self) -> None:
        self.bot = User(BOT_ID, "Steward", bot=True)
        self.places = Places(self.bot, APPLICATION_ID)
        self._happened = asyncio.Condition()
        self.gateway = Gateway(TOKEN, self._ready, self._greeting, self._note)
        self._server = Server(TOKEN, self.places, self.gateway)
        self._server.changed = self._note
        self._server.tell = self._tell
        self._events: asyncio.Queue[tuple[str, dict[str, Any]]] = asyncio.Queue()
        self._notes: set[asyncio.Task[None]] = set()

    @property
    def faults(self) -> Faults:
        return self._server.faults

    @property
    def rates(self) -> Rates:
        return self._server.rates

    @property
    def calls(self) -> list[Call]:
        return self._server.calls

    @property
    def called(self) -> list[str]:
        """Everybody that a message of the bot has rung up."""
        return self._server.routes.called

    def portal(self, *, reads_words: bool = True, starts_left: int = 1000) -> None:
        """Set what the developer portal says of the bot."""
        self._server.reads_words = reads_words
        self._server.starts_left = starts_left
        self.gateway.refused_intents = 0 if reads_words else 1 << 15

    @asynccontextmanager
    async def serving(self, port: int = 0) -> AsyncIterator[str]:
        """Serve on a port of the loopback, 0 for any that is free; yields the API's address."""
        runner = web.AppRunner(self._server.app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", port)
        await site.start()
        assert runner.addresses
        self.places.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        worker = asyncio.create_task(self._work())
        try:
            yield self.places.url
        finally:
            worker.cancel()
            self.gateway.cut()
            await asyncio.gather(worker, *self._notes, return_exceptions=True)
            await runner.cleanup()

    async def _work(self) -> None:
        while True:
            name, data = await self._events.get()
            await self.gateway.tell(name, data)
            self._events.task_done()

    async def sent(self) -> None:
        """Wait until every event was sent to the bot."""
        await self._events.join()

    async def _tell(self, name: str, data: dict[str, Any]) -> None:
        self._events.put_nowait((name, data))

    def _note(self) -> None:
        async def note() -> None:
            async with self._happened:
                self._happened.notify_all()

        task = asyncio.get_running_loop().create_task(note())
        self._notes.add(task)
        task.add_done_callback(self._notes.discard)

    def _ready(self) -> dict[str, Any]:
        guilds = [{"id": str(one), "unavailable": True} for one in self.places.guilds]
        application = {"id": str(APPLICATION_ID), "flags": 1 << 19}
        return {"v": 10, "user": self.bot.json, "guilds": guilds, "application": application}

    def _greeting(self) -> list[tuple[str, Any]]:
        return [("GUILD_CREATE", self._told(one)) for one in self.places.guilds.values()]

    def _told(self, guild: Guild) -> dict[str, Any]:
        if guild.id in self.places.out:
            return {"id": str(guild.id), "unavailable": True}
        shown: dict[str, Any] = {**guild.json, "joined_at": guild.joined_at}
        shown["roles"].append(role(guild.role, "Steward", bot_id=str(self.bot.id)))
        return shown

    async def wait_for(self, condition: Callable[[], T | None], within: float = PATIENCE) -> T:
        """Return the first truthy value; looked at whenever something happens here."""
        async with asyncio.timeout(within), self._happened:
            while not (value := condition()):
                await self._happened.wait()
            return value

    async def listening(self, begun: int = 1) -> None:
        """Wait until the bot has begun so many sessions."""
        await self.wait_for(lambda: self.gateway.begun >= begun)

    def person(self, number: int, name: str) -> User:
        person = User(number, name.lower(), name)
        self.places.people[number] = person
        return person

    def guild(self, name: str, owner: User, *members: User) -> Guild:
        guild = Guild(snowflake(), name, owner, snowflake(), [owner, *members])
        self.places.guilds[guild.id] = guild
        self.channel(guild, "general")
        return guild

    def remove_bot(self, guild: Guild) -> None:
        """Throw the bot out of a server; nobody is told who did it."""
        self.places.left[guild.id] = self.places.guilds.pop(guild.id)
        self._events.put_nowait(("GUILD_DELETE", {"id": str(guild.id)}))

    def add_bot(self, guild: Guild, by: User | None = None, *, told: bool = True) -> None:
        """Invite the bot into a server, perhaps again; it need not listen just then."""
        self.places.guilds[guild.id] = guild
        guild.joined_at, guild.invited_by = datetime.now(UTC).isoformat(), by
        if told:
            self._events.put_nowait(("GUILD_CREATE", {**self._told(guild), "unavailable": False}))

    def outage(self, guild: Guild, *, over: bool = False) -> None:
        """Make a server unreachable, or reachable again; the bot is in it all the time."""
        if over:
            self.places.out.discard(guild.id)
            self._events.put_nowait(("GUILD_CREATE", self._told(guild)))
        else:
            self.places.out.add(guild.id)
            self._events.put_nowait(("GUILD_DELETE", self._told(guild)))

    def delete_channel(self, channel: Channel) -> None:
        """Delete a channel of a server, and the threads below it."""
        guild = self.places.guilds[channel.guild or 0]
        for one in [c for c in guild.channels if channel.id in (c.id, c.parent)]:
            guild.channels.remove(one)
            del self.places.channels[one.id]
        self._events.put_nowait(("CHANNEL_DELETE", channel.json))

    def delete_thread(self, thread: Channel, *, told: bool = True) -> None:
        """Delete a thread; the bot need not listen just then."""
        self.places.guilds[thread.guild or 0].channels.remove(thread)
        del self.places.channels[thread.id]
        names = ("id", "guild_id", "parent_id", "type")
        if told:
            gone = {name: thread.json[name] for name in names}
            self._events.put_nowait(("THREAD_DELETE", gone))

    def close(self, thread: Channel, *, locked: bool = True, archived: bool = True) -> None:
        """Archive a thread, lock it, or do the opposite."""
        thread.locked, thread.archived = locked, archived
        self._events.put_nowait(("THREAD_UPDATE", thread.json))

    def mute(self, channel: Channel, *, over: bool = False) -> None:
        """Take from the bot the right to write in a channel, or give it back."""
        (channel.denied.discard if over else channel.denied.add)("send")
        self._events.put_nowait(("CHANNEL_UPDATE", channel.json))

    def hide(self, channel: Channel, *, shown: bool = False) -> None:
        """Take from the bot the right to see a channel, or give it back."""
        (channel.denied.discard if shown else channel.denied.add)("view")
        self._events.put_nowait(("CHANNEL_UPDATE", channel.json))

    def channel(self, guild: Guild, name: str) -> Channel:
        channel = self.places.add(Channel(snowflake(), 0, name, guild.id, role=guild.role))
        guild.channels.append(channel)
        return channel

    def thread(self, below: Channel, name: str, *, told: bool = True) -> Channel:
        thread = self.places.add(Channel(snowflake(), 11, name, below.guild, below.id))
        self.places.guilds[below.guild or 0].channels.append(thread)
        if told:
            self._events.put_nowait(("THREAD_CREATE", thread.json))
        return thread

    def say(
        self,
        person: User,
        text: str,
        *,
        at: Channel | None = None,
        reply_to: Message | None = None,
        files: Sequence[tuple[str, bytes, str]] = (),
        **more: Any,
    ) -> Message:
        """Write a message, in private where no channel is named."""
        channel = at or self.places.direct(person)
        message = Message(channel, person, text, answers=reply_to, more=more)
        for name, content, kind in files:
            message.attachments.append(self.places.attachment(message, name, content, kind))
        self.places.messages.append(message)
        self._events.put_nowait(("MESSAGE_CREATE", message.json(self._mentioned(text))))
        return message

    def voice(self, person: User, content: bytes, seconds: float) -> Message:
        """Record a voice message as the app does."""
        channel = self.places.direct(person)
        message = Message(channel, person, "", flags=1 << 13)
        told = {"duration_secs": seconds, "waveform": "AAAA"}
        file = self.places.attachment(message, "voice-message.ogg", content, "audio/ogg", **told)
        message.attachments.append(file)
        self.places.messages.append(message)
        self._events.put_nowait(("MESSAGE_CREATE", message.json([])))
        return message

    def _mentioned(self, text: str) -> list[User]:
        return [one for one in self.places.people.values() if f"<@{one.id}>" in text]

    def edit(self, message: Message, text: str) -> None:
        message.content = text
        message.edited_at = datetime.now(UTC).isoformat()
        self._events.put_nowait(("MESSAGE_UPDATE", message.json(self._mentioned(text))))

    def forget_names(self) -> None:
        """Let the minutes pass for which names of messages are known."""
        self._server.routes.forget_names()

    def look_at_link(self, message: Message) -> None:
        """Tell that a link of a message got its preview, which is no edit."""
        self._events.put_nowait(("MESSAGE_UPDATE", message.json([])))

    def delete(self, message: Message) -> None:
        message.deleted = True
        gone = {"id": str(message.id), "channel_id": str(message.channel.id)}
        if message.channel.guild is not None:
            gone["guild_id"] = str(message.channel.guild)
        self._events.put_nowait(("MESSAGE_DELETE", gone))

    def react(self, person: User, message: Message, emoji: str, *, gone: bool = False) -> None:
        """Put a reaction on a message, or take it away."""
        people = message.thumbs.setdefault(emoji, [])
        people.remove(person) if gone else people.append(person)
        if not people:
            del message.thumbs[emoji]
        told: dict[str, Any] = {
            "user_id": str(person.id),
            "channel_id": str(message.channel.id),
            "message_id": str(message.id),
            "emoji": {"id": None, "name": emoji},
            "type": 0,
            "burst": False,
        }
        if message.channel.guild is not None:
            told["guild_id"] = str(message.channel.guild)
        if not gone:
            told["message_author_id"] = str(message.author.id)
            if message.channel.guild is not None:
                told["member"] = {"user": person.json, "nick": None, "roles": []}
        self._events.put_nowait((f"MESSAGE_REACTION_{'REMOVE' if gone else 'ADD'}", told))

    def press(self, person: User, message: Message, label: str) -> Interaction:
        """Press the button, or choose the option, whose label begins so."""
        found = next(one for one in message.choices if one["label"].startswith(label))
        data = {"custom_id": found["custom_id"], "component_type": found["type"]}
        if found["type"] == 3:
            data["values"] = [found["value"]]
        return self.sent_off(Interaction(3, person, message, data))

    def fill(self, dialogue: Interaction, words: str) -> Interaction:
        """Send words off in the dialogue that a press opened."""
        asked = dialogue.dialogue
        assert asked is not None, "no dialogue is open"
        field = {"type": 4, "custom_id": asked["components"][0]["components"][0]["custom_id"]}
        rows = [{"type": 1, "components": [{**field, "value": words}]}]
        data = {"custom_id": asked["custom_id"], "components": rows}
        return self.sent_off(Interaction(5, dialogue.user, dialogue.message, data))

    def command(
        self, person: User, name: str, words: str = "", *, at: Channel | None = None
    ) -> Interaction:
        """Choose a command from the list; it has to be there."""
        known = next(one for one in self.places.commands if one["name"] == name)
        data: dict[str, Any] = {"id": known["id"], "name": name, "type": 1}
        if words:
            data["options"] = [{"type": 3, "name": "words", "value": words}]
        place = at or self.places.direct(person)
        return self.sent_off(Interaction(2, person, None, data, at=place))

    def typing(self, person: User, name: str, begun: str) -> Interaction:
        """Type the words of a command, and ask what may follow."""
        option = {"type": 3, "name": "words", "value": begun, "focused": True}
        data = {"id": "1", "name": name, "type": 1, "options": [option]}
        place = self.places.direct(person)
        return self.sent_off(Interaction(4, person, None, data, at=place))

    def ask_about(self, person: User, message: Message) -> Interaction:
        """Press on a message with the right button, and choose the bot's command."""
        known = next(one for one in self.places.commands if one["type"] == 3)
        found = {"messages": {str(message.id): message.json([])}}
        told = {"target_id": str(message.id), "resolved": found}
        data = {"id": known["id"], "name": known["name"], "type": 3, **told}
        return self.sent_off(Interaction(2, person, None, data, at=message.channel))

    def sent_off(self, interaction: Interaction) -> Interaction:
        """Bring an interaction of a person's app to the bot."""
        self.places.interactions[interaction.token] = interaction
        self._events.put_nowait(("INTERACTION_CREATE", interaction.json))
        return interaction

    def event(self, name: str, data: dict[str, Any]) -> None:
        """Send any event."""
        self._events.put_nowait((name, data))

    def screen(self, at: Channel | User) -> list[Message]:
        """The bot's messages in a channel or in private, oldest first."""
        channel = self.places.direct(at) if isinstance(at, User) else at
        shown = [m for m in self.places.messages if m.channel is channel and not m.deleted]
        return [message for message in shown if message.author is self.bot]
