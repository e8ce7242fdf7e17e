"""Tells if a task asks people already: a turn and its helpers are one task."""

from bot.domain.assignments.errand import DELEGATE
from bot.domain.value import frozen
from bot.flow.log.work import Work
from bot.ports.approvals import Approvals
from bot.ports.errands import Errands


@frozen
class AskedBeside:
    _approvals: Approvals
    _errands: Errands

    async def by(self, work: Work) -> bool:
        """Returns True while a card of another turn of the same task is open in this chat."""
        if work.turn.parent is None and DELEGATE not in work.called and not work.agenda.errands:
            return False
        for card in await self._approvals.open_in(work.log.chat.shown_in):
            errand = await self._errands.get(card.turn) if card.home is not None else None
            if (card.turn if errand is None else errand.parent) == work.task:
                return True
        return False
