"""Asks for the messages of known chats that came while nobody listened."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from bot.adapters.discord.addresses import CHANNEL, channel_in, is_server
from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.fields import Fields
from bot.adapters.discord.gateway import Event
from bot.adapters.discord.places import Places
from bot.domain.errors import ChannelError, ContentRefused, RecipientGone, StoreError
from bot.domain.message import Address

_EPOCH = datetime(2015, 1, 1, tzinfo=UTC)
_MARGIN = timedelta(minutes=2)
"""Looked back beyond the newest event: messages come in, and are numbered, in no strict order."""

_BEHIND_TIME = 22
"""Bits of a number below its time, which says to which shard a server belongs."""

_PAGE = 100
_MOST_PAGES = 5
_log = logging.getLogger(__name__)


class Known(Protocol):
    """Tells the program's chats on this platform, and until when it listened."""

    @property
    def chats_of(self) -> Callable[[str], Awaitable[Sequence[Address]]]: ...

    @property
    def heard_until(self) -> Callable[[str], Awaitable[datetime | None]]: ...


class Missed:
    """Finds what a new session does not send; a message that was stored before is known by its key.

    Discord keeps what comes during a break only for a session that is gone on with.
    """

    def __init__(self, api: DiscordApi, places: Places) -> None:
        self._api = api
        self._places = places
        self._known: Known | None = None
        self._before: datetime | None = None
        self._looked_back = False

    async def prepare(self, known: Known) -> None:
        self._known = known

    async def messages(self, shard: int, until: datetime | None) -> Sequence[Event]:
        """Returns what known chats of a shard missed, the oldest first.

        `until` is when the shard brought its last event; None if it brought none in this run.
        """
        try:
            until, chats = until or await self._before_this_run(), await self._chats()
        except StoreError as fault:
            _log.warning("Missed messages are not asked for: %s", fault)
            return ()
        if until is None:
            return ()
        found: list[Event] = []
        after = _number_at(until - _MARGIN)
        for address in chats:
            try:
                if await self._shard_of(address) == shard:
                    found += await self._of(address, after)
            except (ContentRefused, RecipientGone):
                continue
            except ChannelError as fault:
                _log.warning("Missed messages cannot be asked for: %s", fault)
                break
        return sorted(found, key=lambda event: int(event.fields.id("id") or 0))

    async def _chats(self) -> Sequence[Address]:
        return () if self._known is None else await self._known.chats_of(CHANNEL)

    async def _before_this_run(self) -> datetime | None:
        """Returns when the newest event came, as it was before any shard brought one."""
        if not self._looked_back and self._known is not None:
            self._before = await self._known.heard_until(CHANNEL)
            self._looked_back = True
        return self._before

    async def _shard_of(self, address: Address) -> int:
        """Returns the shard to which Discord sends a chat's events."""
        if self._api.shards == 1 or not is_server(address):
            return 0
        server = await self._places.server_of(channel_in(address))
        return (int(server or 0) >> _BEHIND_TIME) % self._api.shards

    async def _of(self, address: Address, after: str) -> Sequence[Event]:
        server = is_server(address)
        channel = channel_in(address) if server else await self._api.channel_of(address.chat)
        names = {"channel_id": channel}
        found: list[Event] = []
        for _ in range(_MOST_PAGES):
            query = {"after": after, "limit": str(_PAGE)}
            told = await self._api.call(
                "GET", "/channels/{channel_id}/messages", names=names, query=query
            )
            page = [one for one in told if Fields(one).id("id")] if isinstance(told, list) else []
            more = await self._where(channel) if server else {}
            found += [Event("MESSAGE_CREATE", None, {**one, **more}) for one in page]
            if len(page) < _PAGE:
                break
            after = max((Fields(one).id("id") or "" for one in page), key=int)
        return found

    async def _where(self, channel: str) -> dict[str, Any]:
        """Returns what the gateway says of a message and the API leaves out."""
        number = await self._places.server_of(channel)
        return {} if number is None else {"guild_id": number}


def _number_at(at: datetime) -> str:
    """Returns the smallest number of a message that was written at a time."""
    return str(max(int((at - _EPOCH).total_seconds() * 1000), 0) << _BEHIND_TIME)
