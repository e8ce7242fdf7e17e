"""Asks what was written, changed, deleted and thumbed in known chats while nobody listened."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.adapters.discord.addresses import CHANNEL, channel_in, is_server
from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.deletions import deletions_of
from bot.adapters.discord.fields import Fields
from bot.adapters.discord.gateway import Event
from bot.adapters.discord.known import KnownPositions
from bot.adapters.discord.known_channels import KnownChannels
from bot.adapters.discord.messages import number_at, time_of
from bot.adapters.discord.stays import Stays
from bot.adapters.discord.thumbs import Thumbs
from bot.domain.talk.brought_back import ALL_READ
from bot.domain.talk.errors import (
    ChannelError,
    ChannelUnreachable,
    ContentRefused,
    RecipientGone,
    StoreError,
)
from bot.domain.talk.message import Address
from bot.domain.value import frozen

_MARGIN = timedelta(minutes=2)
"""Looked back beyond the newest event: messages come in, and are numbered, in no strict order."""

_BEHIND_TIME = 22
"""Bits of a number below its time, which says to which shard a server belongs."""

_NEWEST = 50
"""Messages that are looked at in any case: what was missed, and answers that may have thumbs."""

_PAGE = 100
MOST_PAGES = 20
"""Pages that are read from the newest message of a chat back; what is older is left out."""

LEFT_OUT = "MESSAGES_LEFT_OUT"
"""The name of our own event about messages that are too many to be read."""

_FIRST_WORDS = timedelta(hours=24)
"""The time that the first words of an owner wait for the program, as long as on Telegram."""

_AT_ONCE = 8
"""Chats that are asked side by side; Discord takes fifty calls a second."""

_log = logging.getLogger(__name__)


@frozen
class _Answer:
    """The events that a chat missed, or the reason why it could not be asked."""

    events: Sequence[Event]
    trouble: StoreError | ChannelError | None = None


class Missed:
    """Finds what a new session does not send; a message that was stored before is known by its key.

    Discord keeps what comes during a break only for a session that is gone on with.
    """

    def __init__(self, api: DiscordApi, places: KnownChannels, stays: Stays) -> None:
        self._api = api
        self._places = places
        self._stays = stays
        self._known: KnownPositions | None = None
        self._before: datetime | None = None
        self._looked_back = False
        self._owners_asked = False
        self._unheard: set[Address] = set()
        self._gaps: dict[int, datetime | None] = {}
        self._owed: dict[int, dict[Address, str]] = {}

    async def prepare(self, known: KnownPositions) -> None:
        self._known = known

    async def messages(self, shard: int, until: datetime | None) -> Sequence[Event]:
        """Returns what known chats of a shard missed, the oldest first.

        `until` is when the shard brought its last event; None if it brought none in this run.
        """
        self._gaps[shard] = until
        return await self.rest(shard)

    def left(self, shard: int) -> int:
        """Returns how many questions of a shard are not answered yet, one of them to the store."""
        return len(self._owed.get(shard, ())) + (shard in self._gaps)

    async def rest(self, shard: int) -> Sequence[Event]:
        """Returns what the chats missed that were not asked yet; stops at the first trouble.

        A chat that gives trouble is asked last the next time, so it keeps no other one waiting.
        """
        owed = self._owed.setdefault(shard, {})
        found: list[Event] = []
        trouble: StoreError | ChannelError | None = None
        try:
            await self._note_gap(shard, owed)
            thumbs, chats = Thumbs(self._api), list(owed)
            for at in range(0, len(chats), _AT_ONCE):
                some = chats[at : at + _AT_ONCE]
                asking = (self._asked(shard, owed, address, thumbs) for address in some)
                for answer in await asyncio.gather(*asking):
                    found += answer.events
                    trouble = trouble or answer.trouble
                if trouble is not None:
                    break
        except StoreError as fault:
            trouble = fault
        if trouble is not None:
            _log.warning("Missed messages cannot be asked for: %s. I try again.", trouble)
        return sorted(found, key=lambda event: int(event.fields.id("id") or 0))

    async def _asked(
        self, shard: int, owed: dict[Address, str], address: Address, thumbs: Thumbs
    ) -> _Answer:
        """Returns what a chat missed, which is no longer owed then."""
        found: Sequence[Event] = ()
        try:
            if await self._shard_of(address) == shard:
                found = await self._of(address, owed[address], thumbs)
        except (ContentRefused, RecipientGone):
            if is_server(address):
                self._stays.doubt({address.chat.removeprefix("-"), channel_in(address)})
        except (StoreError, ChannelError) as fault:
            owed[address] = owed.pop(address)
            return _Answer((), fault)
        del owed[address]
        return _Answer(found)

    async def _note_gap(self, shard: int, owed: dict[Address, str]) -> None:
        """Adds the chats that a gap concerns; one that is owed already keeps its earlier number."""
        if shard not in self._gaps:
            return
        until, chats = self._gaps[shard] or await self._before_this_run(), await self._chats()
        since = await self._since(datetime.now(UTC) - _FIRST_WORDS)
        behind = None if until is None else await self._since(until - _MARGIN)
        first = await self._first_words(shard, chats)
        del self._gaps[shard]
        for address in first:
            owed.setdefault(address, since)
        if behind is not None:
            for address in chats:
                owed.setdefault(address, behind)

    async def _since(self, at: datetime) -> str:
        """Returns the number behind which is asked: none from before a backup was brought back."""
        back = "" if self._known is None else await self._known.reached(ALL_READ, at)
        return number_at(datetime.fromisoformat(back) if back else at)

    async def _first_words(self, shard: int, chats: Sequence[Address]) -> Sequence[Address]:
        """Returns, once in a run, the private chats of owners from whom nothing was heard yet."""
        if self._owners_asked or self._known is None or shard != 0:
            return ()
        accounts = (Address(*one.split(":", 1)) for one in await self._known.owners())
        self._unheard = {one for one in accounts if one.channel == CHANNEL} - {*chats}
        self._owners_asked = True
        return sorted(self._unheard, key=lambda one: one.key)

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

    async def _of(self, address: Address, after: str, thumbs: Thumbs) -> Sequence[Event]:
        server = is_server(address)
        channel = channel_in(address) if server else await self._api.channel_of(address.chat)
        newest = await self._page(channel, {"limit": str(_NEWEST)})
        more = await self._where(channel) if server else {}
        if address in self._unheard:
            # What stands above words of the bot was answered, whoever remembers it.
            own = [_number(one) for one in newest if self._is_own(one)]
            after = str(max([int(after), *own]))
        missed = [one for one in newest if _number(one) > int(after)]
        left: Sequence[Event] = ()
        if len(missed) == _NEWEST:
            older, whole = await self._older(channel, min(map(_number, missed)), int(after))
            missed += older
            left = () if whole else (_left_out(channel, min(map(_number, missed)), more),)
        edited = [one for one in newest if _is_edited_since(Fields(one), time_of(after))]
        found = [Event("MESSAGE_CREATE", None, {**one, **more}) for one in missed]
        found += [Event("MESSAGE_UPDATE", None, {**one, **more}) for one in edited]
        waiting = () if self._known is None else await self._known.waiting_in(address)
        found += await deletions_of(self._api, waiting, newest, more)
        return [*left, *found, *await thumbs.below(map(Fields, newest), more)]

    async def _older(
        self, channel: str, oldest: int, after: int
    ) -> tuple[Sequence[dict[str, Any]], bool]:
        """Returns what came between two numbers, from the newest back, and if that is all of it."""
        found: list[dict[str, Any]] = []
        for _ in range(MOST_PAGES):
            page = await self._page(channel, {"before": str(oldest), "limit": str(_PAGE)})
            found += [one for one in page if _number(one) > after]
            if len(page) < _PAGE or min(map(_number, page)) <= after:
                return found, True
            oldest = min(map(_number, page))
        _log.warning(
            "More than %d messages were missed in channel %s; those before %s are left out.",
            MOST_PAGES * _PAGE,
            channel,
            f"{time_of(str(oldest)):%Y-%m-%d %H:%M} UTC",
        )
        return found, False

    async def _page(self, channel: str, query: Mapping[str, str]) -> Sequence[dict[str, Any]]:
        names, path = {"channel_id": channel}, "/channels/{channel_id}/messages"
        told = await self._api.call("GET", path, names=names, query=query)
        if not isinstance(told, list):
            raise ChannelUnreachable("Discord sent a list of another form", maybe_done=False)
        return [one for one in told if Fields(one).id("id")]

    def _is_own(self, message: Mapping[str, Any]) -> bool:
        return Fields(message).inner("author").id("id") == self._api.own_id

    async def _where(self, channel: str) -> dict[str, Any]:
        """Returns what the gateway says of a message and the API leaves out."""
        number = await self._places.server_of(channel)
        return {} if number is None else {"guild_id": number}


def _left_out(channel: str, oldest: int, more: Mapping[str, Any]) -> Event:
    """Returns our own event: what stands before the message `oldest` was left out."""
    told = {"id": str(oldest), "channel_id": channel, "read": MOST_PAGES * _PAGE, **more}
    return Event(LEFT_OUT, None, told)


def _is_edited_since(message: Fields, at: datetime) -> bool:
    edited = message.time("edited_timestamp")
    return edited is not None and edited >= at


def _number(message: Mapping[str, Any]) -> int:
    return int(Fields(message).id("id") or 0)
