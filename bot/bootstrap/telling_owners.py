"""Tells owners in their chats what keeps the database from working, without that database."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import NoReturn, TypeAlias

from bot.adapters.sql.store import Store
from bot.bootstrap.database import mend_database
from bot.bootstrap.notices import Notices
from bot.bootstrap.opening import Running
from bot.domain.talk.errors import ChannelError, StoreError
from bot.domain.talk.message import Address, Outbound, OutboundKind, Plain
from bot.ports.channel import Channel
from bot.ports.duties import Duty
from bot.settings import Settings

_TELLING_SECONDS = 10.0
_READING_SECONDS = 5.0
_BLIP_SECONDS = 3.0
"""Seconds for which nothing can be written before owners hear of it."""

_AGAIN_SECONDS = 3_600.0
"""Seconds in which owners are told once, however often a disk is full."""

_UNWRITABLE = (
    "I cannot write to my database, so I answer nobody now. Nothing is lost: what you write "
    "waits, and I answer it when I can write again. On the machine: {mend}"
)
_LOG = logging.getLogger(__name__)

Sent: TypeAlias = Callable[[Address, str], Awaitable[None]]


async def unheeded(_to: Address, _message_id: str) -> None:
    """Stands for nobody who wants to know what was sent."""


async def owner_keys(store: Store) -> Collection[str]:
    """Returns the accounts of owners; none where they cannot be read."""
    try:
        return {key for key, person in await store.people.accounts() if person.is_owner}
    except StoreError:
        return ()


async def tell_owners(
    owners: Collection[str], channels: Mapping[str, Channel], words: str, sent: Sent = unheeded
) -> None:
    """Sends words to owners, and tells `sent` of each message; the log has who is out of reach."""
    async with asyncio.TaskGroup() as group:
        for key in owners:
            name, _, number = key.partition(":")
            if name in channels:
                to = Address(name, number)
                group.create_task(_tell(channels[name], to, words, sent))


async def tell_when_unwritable(settings: Settings, running: Running, notices: Notices) -> NoReturn:
    """Tells owners once that nothing can be written, as on a full disk, until cancelled.

    Of several processes those tell it that take updates: they notice it first. Once it is over,
    the notice says so.
    """
    store, world = running.store, running.application.parts.world
    told_at = float("-inf")
    while True:
        fault = await store.unwritable()
        await asyncio.sleep(_BLIP_SECONDS)
        lately = time.monotonic() < told_at + _AGAIN_SECONDS
        if store.works() or lately or Duty.RECEIVE not in world.duties:
            continue
        told_at = time.monotonic()
        owners = set(settings.owners)
        try:
            # A full disk can be read, and a broken one may not.
            async with asyncio.timeout(_READING_SECONDS):
                owners.update(await owner_keys(store))
        except TimeoutError:
            _LOG.warning("the owners of chats cannot be read")
        words = _UNWRITABLE.format(mend=mend_database(settings, fault))
        await tell_owners(owners, world.channels, words, notices.add)
        # This waits until it is over.
        await notices.settle(store)


async def _tell(channel: Channel, owner: Address, words: str, sent: Sent) -> None:
    notice = Outbound(OutboundKind.NOTICE, (Plain(words),))
    try:
        async with asyncio.timeout(_TELLING_SECONDS):
            for piece in channel.split(notice):
                await sent(owner, await channel.send(owner, piece))
    except (ChannelError, TimeoutError) as fault:
        _LOG.warning("an owner cannot be told: %s", fault or "no answer in time")
