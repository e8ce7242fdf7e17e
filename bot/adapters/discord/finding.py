"""Finds a message of the bot in its channel, where its confirmation was lost.

For some minutes the name of a message does the same; this is for the time after them.
"""

from collections.abc import Mapping
from datetime import timedelta
from operator import itemgetter
from typing import Any

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.fields import Fields
from bot.adapters.discord.messages import number_at
from bot.domain.talk.errors import ChannelUnreachable
from bot.domain.talk.message import Address
from bot.ports.sightings import Pace, Traces

SILENT = 1 << 12
"""The flag of a message that makes no sound."""

_MESSAGES = "/channels/{channel_id}/messages"
_PAGE = 100
MOST_PAGES = 5
"""Pages of a hundred messages that are read."""

_MARGIN = timedelta(minutes=2)
"""Clocks differ."""


class Hindsight:
    """A look at the messages of a channel behind the last one that was known before."""

    def __init__(self, api: DiscordApi, to: Address, channel: str, traces: Traces) -> None:
        self._api = api
        self._names = {"channel_id": channel}
        self._traces = traces
        self._known = {*traces.before, *(one.message_id for one in traces.seen)}
        earlier = [
            int(one.message_id)
            for one in traces.seen
            if one.address == to and one.at <= traces.since and one.message_id.isdecimal()
        ]
        self._after = max([int(number_at(traces.since - _MARGIN)), *earlier])

    async def found(self, body: Mapping[str, Any] | None, pace: Pace) -> str | None:
        """Returns the first unknown message of the bot that shows this body.

        Without a body it is one that came without a sound, as those come in which an answer grows.
        """
        for _ in range(MOST_PAGES):
            async with pace():
                page = await self._page()
            for number, message in page:
                if await self._is_lost(number, message) and _shows(message, body):
                    return str(number)
            if len(page) < _PAGE:
                break
            self._after = page[-1][0]
        return None

    async def _page(self) -> list[tuple[int, Fields]]:
        query = {"after": str(self._after), "limit": str(_PAGE)}
        told = await self._api.call("GET", _MESSAGES, names=self._names, query=query)
        if not isinstance(told, list):
            raise ChannelUnreachable("Discord sent a list of another form", maybe_done=False)
        messages = [(int(one.id("id") or 0), one) for one in map(Fields, told)]
        return sorted(messages, key=itemgetter(0))

    async def _is_lost(self, number: int, message: Fields) -> bool:
        if message.inner("author").id("id") != self._api.own_id or str(number) in self._known:
            return False
        return not await self._traces.is_known(str(number))


def _shows(message: Fields, body: Mapping[str, Any] | None) -> bool:
    files = sum(1 for _ in message.items("attachments"))
    silent = bool((message.number("flags") or 0) & SILENT)
    if body is None:
        return silent and not files
    words = (message.text("content") or "").strip()
    # An answer that grew to its end has the same words, and came without a sound.
    same = silent is bool(body.get("silent")) and files == ("file" in body)
    return same and words == body["text"].strip()
