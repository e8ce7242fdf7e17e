"""Opens Discord for one run, with the library loaded."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

from bot.adapters.discord.account import DiscordAccount
from bot.adapters.discord.addresses import is_server
from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.channel import DiscordChannel
from bot.adapters.discord.files import DiscordFiles
from bot.adapters.discord.groups import DiscordGroups
from bot.adapters.discord.listener import DiscordListener
from bot.adapters.discord.menu import Menu, listed
from bot.bootstrap.channel_form import Host, OpenChannel
from bot.bootstrap.discord_trials import discord_api
from bot.bootstrap.first_lines import served_line, show
from bot.domain.talk.errors import ChannelDenied
from bot.domain.talk.limits import Rate, SendRates
from bot.flow.delivery.flood_gate import FloodGate, GatedChannel
from bot.ports.clock import Clock
from bot.settings import Settings

_RATES = SendRates(chat=Rate(1, 1.0), group=None, all=Rate(40, 1.0), burst=4)
"""Discord takes five messages in five seconds in a channel, and fifty calls a second in all."""


@asynccontextmanager
async def opened(settings: Settings, clock: Clock) -> AsyncGenerator[OpenChannel]:
    rates = None if settings.send_rates is None else _RATES
    async with discord_api(settings) as api:
        listener = DiscordListener(api, clock)
        gated = rates is not None
        channel = DiscordChannel(api, gated=gated, has_left=listener.stays.has_left)
        yield OpenChannel(
            GatedChannel(channel, FloodGate(rates, clock, is_server)),
            listener.listen,
            DiscordFiles(api),
            DiscordGroups(api),
            reached=lambda: listener.reached,
            prepare=partial(_prepare, listener),
            greet=partial(_greet, api, clock),
            alone=True,
        )


async def _prepare(listener: DiscordListener, host: Host) -> None:
    listener.interactions.usages = host.usages
    listener.interactions.present_words = host.present_words
    await listener.prepare(host)


async def _greet(api: DiscordApi, clock: Clock, host: Host) -> None:
    """Says as whom the bot is served, and how the first person becomes its owner."""
    await host.warm_up()
    try:
        name = await DiscordAccount(api).introduced(clock)
    except ChannelDenied:
        # The listener is told the same, and says so.
        return
    names = await host.owner_names()
    show(served_line(f"{name} on Discord", host.model, names))
    if not await host.owned():
        code = await host.pairing_code()
        show(f"To become the owner on Discord, write to {name} within 15 minutes: /start {code}")
    await Menu(api).set(listed(host.commands, host.usages))
