"""Opinions of people about answers."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from bot.domain.talk.feedback import Feedback


class FeedbackRows(Protocol):
    async def answer_at(self, chats: Sequence[int], message_id: str) -> str | None:
        """Returns the turn whose answer is this message of one of the chats; None for others."""
        ...

    async def newest_answer(self, chat: int) -> str | None:
        """Returns the turn of the newest answer of a chat."""
        ...

    async def newest(self, limit: int) -> Sequence[Feedback]:
        """Returns the opinions that came last, the newest first."""
        ...

    async def since(self, at: datetime | None) -> Sequence[Feedback]:
        """Returns everything since a time, or everything, the oldest first."""
        ...

    async def of_person(self, person: int) -> Sequence[Feedback]:
        """Returns the opinions of one person, the oldest first."""
        ...
