"""The words of recordings, and the answers that are owed as voice notes."""

from collections.abc import Sequence
from typing import Protocol

from bot.domain.turn.voice import VoiceNote


class VoiceRows(Protocol):
    async def heard(self, chat: int, key: str) -> str | None:
        """Returns the words of a recording as they were heard; None when it was not heard yet."""
        ...

    async def owed(self, limit: int) -> Sequence[VoiceNote]:
        """Returns the answers that are owed as voice notes, the oldest first."""
        ...
