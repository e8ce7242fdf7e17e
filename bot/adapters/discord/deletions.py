"""Asks which waiting messages were deleted while nobody listened."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.faults import Unknown
from bot.adapters.discord.fields import Fields
from bot.adapters.discord.gateway import Event
from bot.domain.talk.errors import ContentRefused, RecipientGone
from bot.domain.talk.message import RawUpdate

_POSTED = "message:"
"""Begins the keys of messages; words of dialogues and commands of the list stand nowhere."""

_MESSAGE = "/channels/{channel_id}/messages/{message_id}"


async def deletions_of(
    api: DiscordApi,
    waiting: Iterable[RawUpdate],
    seen: Sequence[Mapping[str, Any]],
    where: Mapping[str, Any],
) -> Sequence[Event]:
    """Returns an event for each waiting message that is gone; those just `seen` are there."""
    there = {Fields(one).id("id") for one in seen}
    found: list[Event] = []
    for update in waiting:
        message = _message_in(update)
        number, channel = message.id("id"), message.id("channel_id")
        if number is None or channel is None or number in there:
            continue
        names = {"channel_id": channel, "message_id": number}
        try:
            await api.call("GET", _MESSAGE, names=names)
        except Unknown:
            gone = {"id": number, "channel_id": channel, **where}
            found.append(Event("MESSAGE_DELETE", None, gone))
        except (ContentRefused, RecipientGone):
            # Without the right to look back, nobody can tell.
            continue
    return found


def _message_in(update: RawUpdate) -> Fields:
    posted = update.key.startswith(_POSTED)
    return Fields(json.loads(update.body) if posted else None).inner("d")
