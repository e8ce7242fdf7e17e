"""Removes old contents of files, once they are old or too many."""

import logging
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

from bot.domain.change import Change, DropFileChange
from bot.domain.talk.errors import StoreError
from bot.domain.talk.limits import UndoBounds
from bot.domain.tools.file_change import FileChange, Stage
from bot.domain.turn.turn import TurnState
from bot.domain.value import frozen
from bot.flow.undoing.cards_back import CardsBack
from bot.ports.clock import Clock
from bot.ports.file_changes import KeptContents
from bot.ports.journal import Journal
from bot.ports.turns import TurnRows

_LOG = logging.getLogger(__name__)

_EVERY_SECONDS = 600.0
_BATCH = 50


@frozen
class UndoSweep:
    """Looks at the start and every ten minutes; the newest contents of a chat stay the longest."""

    _changes: KeptContents
    _turns: TurnRows
    _cards: CardsBack
    _journal: Journal
    _clock: Clock
    _bounds: UndoBounds

    async def run(self) -> None:
        """Sweeps until it is cancelled."""
        while True:
            try:
                await self.sweep()
            except StoreError as fault:
                _LOG.warning("old contents have to wait: %s", fault)
            await self._clock.sleep(_EVERY_SECONDS)

    async def sweep(self) -> None:
        """Removes what is due now, and what does not fit into the bound of its chat."""
        before = self._clock.now() - timedelta(days=self._bounds.days)
        while due := await self._changes.due(before, _BATCH):
            left = [one for one in due if not await self._drop(one)]
            if left:
                break
        for id in await self._too_many():
            change = await self._changes.get(id)
            if change is not None:
                await self._drop(change)

    async def _too_many(self) -> Sequence[str]:
        kept = Counter[int]()
        found: list[str] = []
        for one in await self._changes.sizes():
            kept[one.chat] += one.bytes
            if kept[one.chat] > self._bounds.bytes:
                found.append(one.id)
        return found

    async def _drop(self, change: FileChange) -> bool:
        """Removes a change and its button, unless it is being put back just now."""
        if change.stage in (Stage.ASKED, Stage.BEGUN):
            turn = await self._turns.get(change.by)
            if turn is not None and turn.state is not TurnState.SETTLED:
                return False
        shown = await self._cards.ended(change)
        await self._journal.commit(Change((DropFileChange(change.id), *shown)))
        return True
