"""The form of Discord: opened, listened to, checked and listed like every channel.

The library takes time and memory to load, so a run without a token never loads it.
"""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

from bot.bootstrap.channel_form import OpenChannel
from bot.doctor import Check, Finding
from bot.ports.clock import Clock
from bot.settings import Settings


class DiscordForm:
    """Discord, for a bot that has a token."""

    title = "Discord"

    def missing(self, settings: Settings) -> str:
        return "DISCORD_BOT_TOKEN" if settings.discord.token is None else ""

    def opened(self, settings: Settings, clock: Clock) -> AbstractAsyncContextManager[OpenChannel]:
        from bot.bootstrap import discord_opening

        return discord_opening.opened(settings, clock)

    def checks(self, settings: Settings) -> Sequence[Check | Finding]:
        if settings.discord.token is None:
            return ()
        from bot.bootstrap import discord_trials

        return discord_trials.checks(settings)


async def try_discord_token(settings: Settings) -> str:
    """Returns whose token it is and how the bot is invited; raises a Complaint."""
    from bot.bootstrap import discord_trials

    return await discord_trials.try_discord_token(settings)
