"""Translates errors of the library into the faults the program knows."""

import aiohttp
import discord

from bot.domain.talk.errors import (
    ChannelDenied,
    ChannelError,
    ChannelUnreachable,
    ContentRefused,
    FloodWait,
    RecipientGone,
)
from bot.domain.talk.unreached import why_unreached

BAD_TOKEN = "Discord does not accept the bot token"
PORTAL = "https://discord.com/developers/applications"
NEW_TOKEN = f"Copy it again from {PORTAL} (your application, Bot), set it, and restart."

_BLOCKED_PAUSE = 60.0
"""Seconds without a call after Discord's edge refused this machine; each call prolongs that."""

_NEVER_SENT = (aiohttp.ClientConnectorError, aiohttp.InvalidURL, aiohttp.ServerTimeoutError)
_UNKNOWN_CHANNEL = 10003
_CLOSED_THREAD = 50083
_LOCKED_THREAD = 160005
_THREAD_IS_THERE = 160004
_NO_VOICE = 50173
_GONE = frozenset({_LOCKED_THREAD, 10013, 50001, 50007, 50013, 50033, 50278})
"""Codes after which nobody can be written to there: unknown, closed, or without permission."""


class Unknown(ContentRefused):
    """Discord does not know the message or whatever else is named."""


class ThreadIsThere(ContentRefused):
    """The message has opened a thread already."""


class NoVoice(ContentRefused):
    """Nobody may send voice messages there; a file may still be taken."""


class UnknownChannel(RecipientGone):
    """Discord does not know the channel or thread, or not any more."""


class Archived(RecipientGone):
    """The thread is archived; a message wakes it, if it is not locked."""


class Barred(FloodWait):
    """Discord's edge refuses this machine for a while; no rate limit of the API is meant."""


_BY_CODE = {
    _UNKNOWN_CHANNEL: UnknownChannel,
    _CLOSED_THREAD: Archived,
    _THREAD_IS_THERE: ThreadIsThere,
    _NO_VOICE: NoVoice,
}


def translated(error: Exception) -> ChannelError:
    """Returns the fault for an error of the library."""
    match error:
        case discord.RateLimited():
            return FloodWait(error.retry_after)
        case discord.DiscordServerError():
            return ChannelUnreachable(f"Discord answered {error.status}", maybe_done=True)
        case discord.LoginFailure():
            return ChannelDenied(BAD_TOKEN)
        case discord.HTTPException():
            return _refused(error)
        case TimeoutError():
            return ChannelUnreachable("Discord did not answer in time", maybe_done=True)
        case _:
            told = f"Discord cannot be reached: {why_unreached(error)}"
            return ChannelUnreachable(told, maybe_done=not isinstance(error, _NEVER_SENT))


def _refused(error: discord.HTTPException) -> ChannelError:
    text = " ".join((error.text or f"error {error.code}").split())[:300]
    if (named := _BY_CODE.get(error.code)) is not None:
        return named(text)
    match error.status:
        case 401:
            return ChannelDenied(f"{BAD_TOKEN} ({text})")
        case 429:
            return Barred(_pause(error))
        case 403 | 404 | 400 if error.code in _GONE:
            return RecipientGone(text)
        case 403:
            return RecipientGone(text)
        case 404:
            return Unknown(text)
        case 400 | 413:
            return ContentRefused(text)
        case status:
            return ChannelUnreachable(f"Discord answered {status}: {text}", maybe_done=True)


def _pause(error: discord.HTTPException) -> float:
    headers = getattr(error.response, "headers", {})
    told = str(headers.get("Retry-After", ""))
    return max(float(told) if told.isdecimal() else 0.0, _BLOCKED_PAUSE)
