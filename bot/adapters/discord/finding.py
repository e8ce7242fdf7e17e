"""Finds a message of the bot in its channel, where its confirmation was lost.

For some minutes the name of a message does the same; this is for the time after them.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.fields import Fields
from bot.adapters.discord.messages import number_at
from bot.domain.talk.errors import ChannelUnreachable
from bot.ports.sightings import Traces

SILENT = 1 << 12
"""The flag of a message that makes no sound."""

_MESSAGES = "/channels/{channel_id}/messages"
_MARGIN = timedelta(minutes=2)
"""Clocks differ."""


async def found_in(
    api: DiscordApi, channel: str, body: Mapping[str, Any] | None, traces: Traces
) -> str | None:
    """Returns the first unknown message of the bot that shows this body, among the next hundred.

    Without a body it is one that came without a sound, as those come in which an answer grows.
    """
    query = {"after": number_at(traces.since - _MARGIN), "limit": "100"}
    told = await api.call("GET", _MESSAGES, names={"channel_id": channel}, query=query)
    if not isinstance(told, list):
        raise ChannelUnreachable("Discord sent a list of another form", maybe_done=False)
    known = {*traces.before, *(one.message_id for one in traces.seen)}
    messages = [one for one in map(Fields, told) if one.inner("author").id("id") == api.own_id]
    numbers = [int(one.id("id") or 0) for one in messages if _shows(one, body)]
    for number in map(str, sorted(numbers)):
        if number not in known and not await traces.is_known(number):
            return number
    return None


def _shows(message: Fields, body: Mapping[str, Any] | None) -> bool:
    files = sum(1 for _ in message.items("attachments"))
    if body is None:
        return not files and bool((message.number("flags") or 0) & SILENT)
    words = (message.text("content") or "").strip()
    return words == body["text"].strip() and files == ("file" in body)
