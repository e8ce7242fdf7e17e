"""Finds people, servers, channels and messages by their numbers."""

from typing import Any
from urllib.parse import quote

from tests.standins.discord.world import Channel, Guild, Interaction, Message, User, snowflake


class Places:
    """All that there is on this Discord."""

    def __init__(self, bot: User, application: int) -> None:
        self.bot = bot
        self.application = application
        self.url = ""
        self.people: dict[int, User] = {bot.id: bot}
        self.guilds: dict[int, Guild] = {}
        self.left: dict[int, Guild] = {}
        """Servers that the bot was thrown out of."""
        self.out: set[int] = set()
        """Servers that nobody can reach in an outage."""
        self.channels: dict[int, Channel] = {}
        self.messages: list[Message] = []
        self.commands: list[dict[str, Any]] = []
        self.interactions: dict[str, Interaction] = {}

    def person(self, number: Any) -> User | None:
        return self.people.get(_number(number))

    def channel(self, number: Any) -> Channel | None:
        return self.channels.get(_number(number))

    def message(self, number: Any) -> Message | None:
        wanted = _number(number)
        return next((m for m in self.messages if m.id == wanted and not m.deleted), None)

    def direct(self, person: User) -> Channel:
        for channel in self.channels.values():
            if channel.guild is None and channel.people == [person]:
                return channel
        return self.add(Channel(snowflake(), 1, people=[person]))

    def add(self, channel: Channel) -> Channel:
        self.channels[channel.id] = channel
        return channel

    def attachment(
        self, message: Message, name: str, content: bytes, kind: str = "", **more: Any
    ) -> dict[str, Any]:
        number = snowflake()
        url = f"{self.url}/files/{message.channel.id}/{number}/{quote(name, safe='')}"
        return {
            "id": str(number),
            "filename": name,
            "size": len(content),
            "url": url,
            "proxy_url": url,
            **({"content_type": kind} if kind else {}),
            **more,
            "data": content,
        }

    def file(self, number: str) -> bytes | None:
        held = (a for m in self.messages if not m.deleted for a in m.attachments)
        return next((a["data"] for a in held if a["id"] == number), None)


def _number(word: Any) -> int:
    return int(word) if isinstance(word, int) or str(word).isdecimal() else -1
