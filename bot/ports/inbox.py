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

    `person` is who wrote it, of a message that was taken; a `fragment` goes on with one before it.
    """

    id: int
    channel: str
    key: str
    body: str
    state: InboundState
    received_at: datetime
    chat: int | None = None
    message_id: str | None = None
    person: int | None = None
    fragment: bool = False


class Inbox(Protocol):
    async def accept(self, channel: str, updates: Sequence[RawUpdate], at: datetime) -> int:
        """Stores updates in one durable transaction; returns how many had not been seen before."""
        ...

    async def get(self, id: int) -> InboundRow | None: ...

    async def asked(self, chat: int, span: int) -> Sequence[InboundRow]:
        """Messages of a chat about which a card asks, of the newest `span` updates."""
        ...

    async def unrouted(self, limit: int) -> Sequence[InboundRow]:
        """New updates, oldest first."""
        ...

    async def waiting(self, chat: int, limit: int | None = None) -> Sequence[InboundRow]:
        """Messages of a chat that wait for their turn, oldest first; with a limit the oldest."""
        ...

    async def message(self, chat: int, message_id: str) -> InboundRow | None:
        """A message of a chat by its number, as long as it waits for its turn."""
        ...

    async def last_taken(self, span: int) -> Sequence[InboundRow]:
        """Messages taken from people among the `span` updates before the first new one."""
        ...

    async def heard(self, chat: int, limit: int) -> Sequence[InboundRow]:
        """The newest updates of a chat that were only heard, oldest of them first."""
        ...
