"""Tries the token, the intents and the rights of a bot on Discord, with the library loaded."""

from collections.abc import Sequence
from functools import partial

from bot.adapters.discord.account import INTENT_OFF, INTENT_ON, DiscordAccount
from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.faults import BAD_TOKEN, NEW_TOKEN
from bot.doctor import Check, Complaint
from bot.domain.talk.errors import ChannelDenied, ChannelError, SettingError
from bot.domain.text.names import brief_name
from bot.settings import Settings

_MOST_NAMED = 3
"""Servers that the doctor names."""


def checks(settings: Settings) -> Sequence[Check]:
    words = Check("words", partial(_probe_words, settings), "Look at the bot's intents.")
    rights = Check("rights", partial(_probe_rights, settings), "Look at the bot's roles.")
    token = partial(_probe_token, settings)
    return (Check("discord", token, "Look at DISCORD_BOT_TOKEN.", then=(words, rights)),)


def discord_api(settings: Settings) -> DiscordApi:
    """Returns the connection to Discord; nothing is opened yet."""
    access = settings.discord
    if access.token is None:
        raise SettingError("DISCORD_BOT_TOKEN is not set")
    token = access.token.get_secret_value()
    return DiscordApi(token, access.api_url, settings.send_seconds, access.shards)


async def try_discord(settings: Settings) -> str:
    """Returns the bot's name when Discord accepts the token; raises a Complaint."""
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
    name = await try_discord(settings)
    async with discord_api(settings) as api:
        account = DiscordAccount(api)
        servers = len(await account.servers())
        place = "no server yet" if not servers else f"{servers} server{'s'[: servers > 1]}"
        invitation = await account.invitation()
        return f"The token is good: it belongs to {name}, in {place}. Invite: {invitation}"


async def _probe_words(settings: Settings) -> str:
    async with discord_api(settings) as api:
        if not await DiscordAccount(api).reads_words():
            raise Complaint(INTENT_OFF, INTENT_ON)
    return "The intent is on with which a server's messages come with their words."


async def _probe_rights(settings: Settings) -> str:
    async with discord_api(settings) as api:
        account = DiscordAccount(api)
        servers = await account.servers()
        invitation = await account.invitation()
    lacking = [
        f"{brief_name(guild.name)}: {', '.join(guild.lacks)}" for guild in servers if guild.lacks
    ]
    if lacking:
        more = len(lacking) - _MOST_NAMED
        told = "; ".join([*lacking[:_MOST_NAMED], *([f"{more} more"] if more > 0 else [])])
        raise Complaint(
            f"The bot lacks rights in {told}.",
            f"Give its role these rights, or invite it again: {invitation}",
        )
    return "The bot has the seven rights that it needs in every server it is in."
