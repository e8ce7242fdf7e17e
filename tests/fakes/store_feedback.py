"""What people think of answers, in memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from bot.domain.change import DropFeedback, SaveFeedback
from bot.domain.talk.feedback import ANSWER, Feedback

if TYPE_CHECKING:
    from tests.fakes.store_rows import Rows


@dataclass(frozen=True, slots=True)
class MemoryFeedback:
    rows: "Rows"

    async def answer_at(self, chats: Sequence[int], message_id: str) -> str | None:
        keys = (self.rows.seen.get((chat, message_id), "") for chat in chats)
        found = (key.removeprefix(ANSWER) for key in keys if key.startswith(ANSWER))
        return next(found, None)

    async def newest_answer(self, chat: int) -> str | None:
        rows = [r for r in self.rows.outbox.values() if r.chat == chat and r.key.startswith(ANSWER)]
        newest = max(rows, key=lambda row: row.id, default=None)
        return None if newest is None else newest.key.removeprefix(ANSWER)

    async def newest(self, limit: int) -> Sequence[Feedback]:
        return sorted(self.rows.feedback.values(), key=lambda one: one.at, reverse=True)[:limit]

    async def since(self, at: datetime | None) -> Sequence[Feedback]:
        return [one for one in self._oldest_first() if at is None or one.at >= at]

    async def of_person(self, person: int) -> Sequence[Feedback]:
        return [one for one in self._oldest_first() if one.person == person]

    def _oldest_first(self) -> list[Feedback]:
        return sorted(self.rows.feedback.values(), key=lambda r: (r.at, r.turn, r.person))


def think(rows: "Rows", write: SaveFeedback | DropFeedback) -> None:
    if isinstance(write, SaveFeedback):
        rows.chat(write.feedback.chat)
        rows.feedback[write.feedback.turn, write.feedback.person] = write.feedback
        return
    known = rows.feedback.get((write.turn, write.person))
    if known is not None and known.verdict is write.verdict:
        del rows.feedback[write.turn, write.person]
