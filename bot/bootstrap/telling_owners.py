"""Tells owners in their chats what keeps the database from working, without that database."""

import asyncio
import logging
import time
from collections.abc import Collection, Mapping
from typing import NoReturn

from bot.adapters.sql.store import Store
from bot.bootstrap.database import mend_database
from bot.domain.talk.errors import ChannelError, StoreError
from bot.domain.talk.message import Address, Outbound, OutboundKind, Plain
from bot.ports.channel import Channel
from bot.settings import Settings

_TELLING_SECONDS = 10.0
_READING_SECONDS = 5.0
_AGAIN_SECONDS = 3_600.0
"""Seconds in which owners are told once, however often a disk is full."""

_UNWRITABLE = (
    "I cannot write to my database, so I answer nobody now. Nothing is lost: what you write "
    "waits, and I answer it when I can write again. On the machine: {mend}"
)
_LOG = logging.getLogger(__name__)


async def owner_keys(store: Store) -> Collection[str]:
    """Returns the accounts of owners; none where they cannot be read."""
    try:
        return {key for key, person in await store.people.accounts() if person.is_owner}
    except StoreError:
        return ()


async def tell_owners(owners: Collection[str], channels: Mapping[str, Channel], words: str) -> None:
    """Sends words to owners; one who cannot be reached is left to the log."""
    async with asyncio.TaskGroup() as group:
        for key in owners:
            name, _, number = key.partition(":")
            if name in channels:
                group.create_task(_tell(channels[name], Address(name, number), words))


async def tell_when_unwritable(
    settings: Settings, store: Store, channels: Mapping[str, Channel]
) -> NoReturn:
    """Tells owners once that nothing can be written, as on a full disk, until cancelled."""
    told_at = float("-inf")
    while True:
        fault = await store.unwritable()
        if time.monotonic() < told_at + _AGAIN_SECONDS:
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
        await tell_owners(owners, channels, words)


async def _tell(channel: Channel, owner: Address, words: str) -> None:
    notice = Outbound(OutboundKind.NOTICE, (Plain(words),))
    try:
        async with asyncio.timeout(_TELLING_SECONDS):
            for piece in channel.split(notice):
                await channel.send(owner, piece)
    except (ChannelError, TimeoutError) as fault:
        _LOG.warning("an owner cannot be told: %s", fault or "no answer in time")
