"""Deletes files that people sent, once they are old and no open work may need them."""

import logging
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from bot.domain.change import Change, SaveReceived
from bot.domain.talk.errors import NoSuchChat, StoreError, ToolFailure
from bot.domain.talk.received import ReceivedFile
from bot.domain.value import frozen, replace
from bot.flow.world import Workspaces
from bot.ports.chats import Chats
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.received import InboxFolder, Received

_LOG = logging.getLogger(__name__)

_EVERY_SECONDS = 3600.0
_BATCH = 100


@frozen
class InboxSweep:
    """Looks through the kept files at the start and every hour; `days` of 0 keep them for ever.

    A file stays as long as a turn, a card, a plan or a message is open in a workspace that holds
    it. A file that was changed since it came is not deleted: it is somebody's work.
    """

    _received: Received
    _folder: InboxFolder
    _chats: Chats
    _journal: Journal
    _workspaces: Workspaces
    _clock: Clock
    _days: int

    async def run(self) -> None:
        """Sweeps until it is cancelled."""
        while self._days:
            try:
                await self.sweep()
            except StoreError as fault:
                _LOG.warning("old files have to wait: %s", fault)
            await self._clock.sleep(_EVERY_SECONDS)

    async def sweep(self) -> None:
        """Deletes what is due now."""
        before = self._clock.now() - timedelta(days=self._days)
        after = 0
        while files := await self._received.due(before, after, _BATCH):
            for file in files:
                where = Path(file.folder, file.path)
                # Looked up for each file: a message may have come since the last one.
                if not any(where.is_relative_to(one) for one in await self._busy()):
                    await self._discard(file)
            after = files[-1].id

    async def _busy(self) -> Sequence[Path]:
        """Returns the workspaces in which something is open."""
        found: set[Path] = set()
        for chat, person in await self._received.in_use():
            try:
                found.add((await self._workspaces(await self._chats.get(chat), person)).path)
            except NoSuchChat:
                continue
        return sorted(found)

    async def _discard(self, file: ReceivedFile) -> None:
        try:
            await self._folder.discard(file)
        except ToolFailure as fault:
            _LOG.warning("an old file stays: %s", fault, extra={"chat": file.chat})
            return
        await self._journal.commit(Change((SaveReceived(replace(file, swept=True)),)))
