"""The form of Discord: opened, listened to, checked and listed like every channel.

The library takes time and memory to load, so a run without a token never loads it.
"""

import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from bot.bootstrap.channel_form import Host, OpenChannel
from bot.bootstrap.first_lines import served_line
from bot.doctor import Check, Complaint, Finding
from bot.domain.talk.errors import ChannelDenied, ChannelError, SettingError
from bot.domain.talk.limits import Rate, SendRates
from bot.flow.delivery.flood_gate import FloodGate, GatedChannel
from bot.ports.clock import Clock
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.adapters.discord.api import DiscordApi
    from bot.adapters.discord.listener import DiscordListener

_RATES = SendRates(chat=Rate(1, 1.0), group=None, all=Rate(40, 1.0), burst=4)
"""Discord takes five messages in five seconds in a channel, and fifty calls a second in all."""

_MOST_NAMED = 3
"""Servers that the doctor names."""


class DiscordForm:
    """Discord, for a bot that has a token."""

    title = "Discord"

    def missing(self, settings: Settings) -> str:
        return "DISCORD_BOT_TOKEN" if settings.discord.token is None else ""

    @asynccontextmanager
    async def opened(self, settings: Settings, clock: Clock) -> AsyncGenerator[OpenChannel]:
        from bot.adapters.discord.addresses import is_server
        from bot.adapters.discord.channel import DiscordChannel
        from bot.adapters.discord.files import DiscordFiles
        from bot.adapters.discord.groups import DiscordGroups
        from bot.adapters.discord.listener import DiscordListener

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
                prepare=partial(_prepare, listener),
                greet=partial(_greet, api, clock),
            )

    def checks(self, settings: Settings) -> Sequence[Check | Finding]:
        if settings.discord.token is None:
            return ()
        words = Check("words", partial(_probe_words, settings), "Look at the bot's intents.")
        rights = Check("rights", partial(_probe_rights, settings), "Look at the bot's roles.")
        token = partial(_probe_token, settings)
        return (Check("discord", token, "Look at DISCORD_BOT_TOKEN.", then=(words, rights)),)


def discord_api(settings: Settings) -> "DiscordApi":
    """Returns the connection to Discord; nothing is opened yet."""
    from bot.adapters.discord.api import DiscordApi

    access = settings.discord
    if access.token is None:
        raise SettingError("DISCORD_BOT_TOKEN is not set")
    token = access.token.get_secret_value()
    return DiscordApi(token, access.api_url, settings.send_seconds, access.shards)


async def try_discord(settings: Settings) -> str:
    """Returns the bot's name when Discord accepts the token; raises a Complaint."""
    from bot.adapters.discord.account import DiscordAccount
    from bot.adapters.discord.faults import BAD_TOKEN, NEW_TOKEN

    try:
        async with discord_api(settings) as api:
            return await DiscordAccount(api).check()
    except ChannelDenied:
        raise Complaint(f"{BAD_TOKEN}.", NEW_TOKEN) from None
    except ChannelError as fault:
        told = f"{fault} ({settings.discord.api_url})."
        raise Complaint(told, "Look at this machine's network.", fleeting=True) from None


async def try_discord_token(settings: Settings) -> str:
    """Returns whose token it is and how the bot is invited; raises a Complaint."""
    from bot.adapters.discord.account import (
        INTENT_OFF,
        INTENT_ON,
        DiscordAccount,
    )

    name = await try_discord(settings)
    async with discord_api(settings) as api:
        account = DiscordAccount(api)
        try:
            intent = "" if await account.reads_words() else f" {INTENT_OFF} {INTENT_ON}"
            invited = f" Bring it into a server: {await account.invitation()}"
        except ChannelError:
            # The token is good all the same; the doctor looks again.
            intent = invited = ""
        return f"This is {name}.{intent}{invited}"


async def _probe_token(settings: Settings) -> str:
    from bot.adapters.discord.account import DiscordAccount

    name = await try_discord(settings)
    async with discord_api(settings) as api:
        account = DiscordAccount(api)
        servers = len(await account.servers())
        place = "no server yet" if not servers else f"{servers} server{'s'[: servers > 1]}"
        invitation = await account.invitation()
        return f"The token is good: it belongs to {name}, in {place}. Invite: {invitation}"


async def _probe_words(settings: Settings) -> str:
    from bot.adapters.discord.account import (
        INTENT_OFF,
        INTENT_ON,
        DiscordAccount,
    )

    async with discord_api(settings) as api:
        if not await DiscordAccount(api).reads_words():
            raise Complaint(INTENT_OFF, INTENT_ON)
    return "The intent is on with which a server's messages come with their words."


async def _probe_rights(settings: Settings) -> str:
    from bot.adapters.discord.account import DiscordAccount

    async with discord_api(settings) as api:
        account = DiscordAccount(api)
        servers = await account.servers()
        invitation = await account.invitation()
    lacking = [f"“{one.name}”: {', '.join(one.lacks)}" for one in servers if one.lacks]
    if lacking:
        more = len(lacking) - _MOST_NAMED
        told = "; ".join([*lacking[:_MOST_NAMED], *([f"{more} more"] if more > 0 else [])])
        raise Complaint(
            f"The bot lacks rights in {told}.",
            f"Give its role these rights, or invite it again: {invitation}",
        )
    return "The bot has the seven rights that it needs in every server it is in."


async def _prepare(listener: "DiscordListener", host: Host) -> None:
    listener.interactions.usages = host.usages
    listener.interactions.present_words = host.present_words
    await listener.missed.prepare(host)
    await listener.stays.prepare(host)


async def _greet(api: "DiscordApi", clock: Clock, host: Host) -> None:
    """Says as whom the bot is served, and how the first person becomes its owner."""
    from bot.adapters.discord.account import DiscordAccount
    from bot.adapters.discord.menu import Menu, listed

    await host.warm_up()
    try:
        name = await DiscordAccount(api).introduced(clock)
    except ChannelDenied:
        # The listener is told the same, and says so.
        return
    names = await host.owner_names()
    _tell(served_line(f"{name} on Discord", host.model, names))
    if not await host.owned():
        code = await host.pairing_code()
        _tell(f"To become the owner on Discord, write to {name} within 15 minutes: /start {code}")
    await Menu(api).set(listed(host.commands, host.usages))


def _tell(text: str) -> None:
    # Not to the log: anyone who reads the code in time becomes the owner.
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
