"""Messages that owners got while the database could take nothing, until it knows of them.

They are kept in a file of the home. A message that nobody knew would be taken for one whose
confirmation was lost.
"""

import asyncio
import json
import logging
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from bot.adapters.sql.store import Store
from bot.domain.change import Change, Show
from bot.domain.talk.errors import StoreUnavailable
from bot.domain.talk.message import Address, Outbound, OutboundKind, Plain
from bot.domain.value import frozen

_FILE = "notices"
_AGAIN_SECONDS = 1.0
_MOST = 1_000
"""Notices of which the newest are kept."""

_AFTERWARDS = "I could not write to my database for a while. Now I can again."
_LOG = logging.getLogger(__name__)


@frozen
class Notice:
    """A message on an owner's screen."""

    to: Address
    message_id: str


class Notices:
    """The notices that the database does not know yet."""

    def __init__(self, home: Path) -> None:
        self._file = home / _FILE
        self._unkept: list[Notice] = []
        self._settling = asyncio.Lock()
        self._at_file = threading.Lock()

    async def add(self, to: Address, message_id: str) -> None:
        """Keeps a notice; one that the disk does not take is forgotten with the process."""
        notice = Notice(to, message_id)
        try:
            await asyncio.to_thread(self._append, notice)
        except OSError:
            self._unkept = [*self._unkept, notice][-_MOST:]

    async def settle(self, store: Store) -> None:
        """Has the database know of all of them, and has each of them say that it is over.

        It waits until that is stored.
        """
        async with self._settling:
            known: set[Notice] = set()
            # More may come while they are being stored.
            while found := {*await asyncio.to_thread(self._left, known), *self._unkept} - known:
                await _stored(store, found)
                known |= found
            self._unkept = []

    def _append(self, notice: Notice) -> None:
        to = notice.to
        line = [to.channel, to.chat, to.thread, notice.message_id]
        with self._at_file, self._file.open("a", encoding="utf-8") as file:
            # A death or a full disk may have cut the line before.
            file.write(f"\n{json.dumps(line)}\n")

    def _left(self, known: Collection[Notice]) -> Collection[Notice]:
        """Returns the notices of the file; removes it if all of them are known."""
        with self._at_file:
            found = {*self._read()}
            if found.issubset(known):
                with suppress(OSError):
                    self._file.unlink(missing_ok=True)
            return found

    def _read(self) -> Sequence[Notice]:
        try:
            lines = self._file.read_text("utf-8", "replace").splitlines()[-_MOST:]
        except OSError:
            return ()
        return [*_notices(lines)]


def _notices(lines: Sequence[str]) -> Iterator[Notice]:
    """Yields the notices of whole lines; a death may have cut the last one."""
    for line in lines:
        try:
            channel, chat, thread, message_id = json.loads(line)
        except ValueError:
            continue
        yield Notice(Address(channel, chat, thread), message_id)


async def _stored(store: Store, notices: Collection[Notice]) -> None:
    """Stores them, and again where the store was away at the commit: that does no harm."""
    while True:
        try:
            shown = [await _shown(store, one) for one in notices]
            return await store.journal.commit(Change(tuple(shown), durable=True))
        except StoreUnavailable as fault:
            _LOG.warning("notices to owners have to wait: %s", fault)
        await asyncio.sleep(_AGAIN_SECONDS)


async def _shown(store: Store, notice: Notice) -> Show:
    chat = await store.chats.at(notice.to, private=True)
    words = Outbound(OutboundKind.NOTICE, (Plain(_AFTERWARDS),))
    key = f"notice:{notice.to.key}:{notice.message_id}"
    return Show(key, chat.id, words, over=notice.message_id)
