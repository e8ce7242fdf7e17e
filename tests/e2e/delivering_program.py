"""The delivery alone, with the real channel and the real store, as a process that can be killed."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.channel import DiscordChannel
from bot.adapters.sql.store import open_store
from bot.adapters.system_clock import SystemClock
from bot.adapters.telegram.api import TelegramApi
from bot.adapters.telegram.channel import TelegramChannel
from bot.domain.talk.limits import Limits
from bot.flow.delivery.delivery import Delivery
from bot.flow.delivery.outlet import Outlet, Reports
from bot.ports.channel import Channel
from tests.standins.bot_api import TOKEN
from tests.standins.discord import TOKEN as DISCORD_TOKEN

_LOOK_EVERY = 0.01


def deliver(platform: str, url: str, database: str) -> None:
    """Delivers what is owed in a database, until somebody kills this process."""
    logging.disable()
    asyncio.run(_deliver(platform, url, database))


async def _deliver(platform: str, url: str, database: str) -> None:
    async with open_store(database) as store, _channel(platform, url) as channel:
        delivery = Delivery(
            Outlet(store.outbox, {platform: channel}, SystemClock()),
            Reports(_ignore, _ignore),
            Limits().card_seconds,
        )
        async with delivery:
            while True:
                for chat in await store.outbox.chats_owed():
                    delivery.wake(chat)
                await asyncio.sleep(_LOOK_EVERY)


async def _ignore(*_: object) -> None:
    pass


@asynccontextmanager
async def _channel(platform: str, url: str) -> AsyncIterator[Channel]:
    if platform == "telegram":
        async with TelegramApi(TOKEN, url) as telegram:
            yield TelegramChannel(telegram, gated=False)
    else:
        async with DiscordApi(DISCORD_TOKEN, url) as discord:
            yield DiscordChannel(discord, gated=False)
