"""Raw updates, kept before anyone is told that they arrived."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.domain.change import InboundState
from bot.domain.message import RawUpdate


@dataclass(frozen=True, slots=True)
class InboundRow:
    """A stored raw update; `chat` and `message_id` are known once it is routed.

    `person` is who wrote it, of a message that was taken."""

    id: int
    channel: str
    key: str
    body: str
    state: InboundState
    received_at: datetime
    chat: int | None = None
    message_id: str | None = None
    person: int | None = None


class Inbox(Protocol):
    async def accept(self, channel: str, updates: Sequence[RawUpdate], at: datetime) -> int:
        """Stores updates in one durable transaction; returns how many had not been seen before."""
        ...

    async def unrouted(self, limit: int) -> Sequence[InboundRow]:
        """New updates, oldest first."""
        ...

    async def waiting(self, chat: int) -> Sequence[InboundRow]:
        """Messages of a chat that wait for their turn, oldest first."""
        ...

    async def heard(self, chat: int, limit: int) -> Sequence[InboundRow]:
        """The newest updates of a chat that were only heard, oldest of them first."""
        ...
