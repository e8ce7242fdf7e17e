"""Reads the rows of a turn and folds its story, with those of its helpers."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta

from bot.domain.assignments.errand import Errand
from bot.domain.turn.transcript import Entry
from bot.domain.turn.turn import Turn
from bot.domain.value import frozen, replace
from bot.flow.explaining.story import Helper, TurnStory, story_of
from bot.ports.approvals import Approvals
from bot.ports.journal import Journal
from bot.ports.records import TurnRecords
from bot.ports.turns import TurnRows

_MOST_HELPERS = 20
"""Helpers whose own stories are read."""

_A_MOMENT = timedelta(milliseconds=1)


@frozen
class StoryTeller:
    """Folds stories from rows when somebody asks; it writes nothing."""

    _turns: TurnRows
    _journal: Journal
    _cards: Approvals
    _records: TurnRecords

    async def told(self, turn: Turn, log: Sequence[Entry] | None = None) -> TurnStory:
        """Returns the story of a turn as far as it has come; `log` is its conversation, if read."""
        story, record = await self._alone(turn, log), await self._records.of_turn(turn.id)
        helpers = [await self._helper(one) for one in record.errands[:_MOST_HELPERS]]
        first = story.begins[0] if story.begins else turn.created_at
        last = turn.ended_at or (story.begins[-1] if story.begins else turn.created_at)
        began = await self._records.began(first + _A_MOMENT, last)
        return replace(story, record=record, helpers=tuple(helpers), restarts=tuple(began))

    async def _alone(self, turn: Turn, log: Sequence[Entry] | None = None) -> TurnStory:
        if log is None:
            log = await self._journal.entries(turn.conversation)
        cards = await self._cards.of_turn(turn.id)
        late = None if turn.approval is None else await self._cards.get(turn.approval)
        return await asyncio.to_thread(story_of, turn, log, cards, late)

    async def _helper(self, errand: Errand) -> Helper:
        turn = await self._turns.get(errand.id)
        if turn is None:
            return Helper(errand, None)
        record = await self._records.of_turn(turn.id)
        return Helper(errand, await self._alone(turn), record.paid)
