"""The floor on Discord: discord.py and the model's SDK with nothing around them.

It answers direct messages, keeps its histories in memory, and does nothing with the talk of
servers. No bot on these SDKs can cost less.
"""

import asyncio
import os
from collections import defaultdict
from typing import Any

import discord
from anthropic import AsyncAnthropic
from discord.gateway import DiscordWebSocket
from discord.http import Route
from yarl import URL

from benchmarks.bare_bot import answered

_INTENTS = discord.Intents(guilds=True, guild_messages=True, dm_messages=True, message_content=True)


class BareDiscord(discord.Client):
    """Answers every direct message in a task of its own, until the process is ended."""

    def __init__(self, model: AsyncAnthropic) -> None:
        super().__init__(intents=_INTENTS)
        self._model = model
        self._histories: defaultdict[int, list[Any]] = defaultdict(list)

    async def on_message(self, message: discord.Message) -> None:
        if message.guild is None and not message.author.bot:
            history = self._histories[message.channel.id]
            history.append({"role": "user", "content": message.content})
            await message.channel.send(await answered(self._model, history))


async def main() -> None:
    url = URL(os.environ["DISCORD_API_URL"])
    Route.BASE = str(url).rstrip("/")
    DiscordWebSocket.DEFAULT_GATEWAY = url.with_scheme("ws") / "gateway"
    async with AsyncAnthropic() as model, BareDiscord(model) as client:
        await client.start(os.environ["DISCORD_BOT_TOKEN"])


if __name__ == "__main__":
    asyncio.run(main())
