"""Reads the rows of a turn and folds its story, with those of its helpers."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta

from bot.domain.assignments.errand import Errand
from bot.domain.turn.transcript import Entry
from bot.domain.turn.turn import Turn
from bot.domain.value import frozen, replace
from bot.flow.explaining.story import Helper, TurnStory, story_of
from bot.ports.approvals import Approvals
from bot.ports.journal import Journal
from bot.ports.records import RoundRecord, TurnRecord, TurnRecords
from bot.ports.turns import TurnRows

_MOST_HELPERS = 20
"""Helpers whose own stories are read."""

_A_MOMENT = timedelta(milliseconds=1)


def _life(one: RoundRecord) -> str:
    """Returns the life of the program in which a reply came; empty in old rows."""
    return str(one.details.get("life", ""))


@frozen
class StoryTeller:
    """Folds stories from rows when somebody asks; it writes nothing."""

    _turns: TurnRows
    _journal: Journal
    _cards: Approvals
    _records: TurnRecords
    _alone: bool
    """True when no other process can work on the store."""

    async def told(self, turn: Turn, log: Sequence[Entry] | None = None) -> TurnStory:
        """Returns the story of a turn as far as it has come; `log` is its conversation, if read."""
        story, record = await self._of_rows(turn, log), await self._records.of_turn(turn.id)
        helpers = [await self._helper(one) for one in record.errands[:_MOST_HELPERS]]
        first = story.begins[0] if story.begins else turn.created_at
        last = turn.ended_at or (story.begins[-1] if story.begins else turn.created_at)
        story = replace(story, record=record, helpers=tuple(helpers))
        if taken_up := await self._taken_up(turn, first):
            return replace(story, restarts=tuple(taken_up), taken_up=True)
        began = await self._records.began(first + _A_MOMENT, last)
        return replace(story, restarts=self.own_starts(began, record))

    async def restarted(self, chat: int, since: datetime, until: datetime) -> bool:
        """Returns True when an answer of a chat may have been cut off between two moments."""
        if self._alone:
            return bool(await self._records.began(since, until))
        return any(line.at <= until for line in await self._records.taken_up(chat, since))

    async def _taken_up(self, turn: Turn, since: datetime) -> list[datetime]:
        """Returns when other processes went on with a turn; alone, starts of the program tell."""
        if self._alone:
            return []
        lines = await self._records.taken_up(turn.chat, since)
        return [line.at for line in lines if line.subject == turn.id]

    def own_starts(self, began: Sequence[datetime], record: TurnRecord) -> tuple[datetime, ...]:
        """Returns the starts after which another life of the program went on with the turn.

        The start of another process is none of them: the turn went on in the same life.
        """
        return tuple(at for at in began if self._went_on_elsewhere(at, record))

    def _went_on_elsewhere(self, start: datetime, record: TurnRecord) -> bool:
        before = next((_life(one) for one in reversed(record.rounds) if one.at <= start), "")
        after = next((_life(one) for one in record.rounds if one.at > start), "")
        return before != after if before and after else self._alone

    async def _of_rows(self, turn: Turn, log: Sequence[Entry] | None = None) -> TurnStory:
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
        return Helper(errand, await self._of_rows(turn), record.paid)
