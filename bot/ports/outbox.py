"""Messages owed to people."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from bot.domain.message import Address, Outbound, Piece


class DeliveryState(StrEnum):
    OWED = "owed"
    SHOWN = "shown"
    DEAD = "dead"


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """One visible message: wanted in `version`, on the screen in `shown_version`.

    `pieces` and `message_ids` tell how far a long one got; they are empty before the first try.
    """

    id: int
    key: str
    chat: int
    address: Address
    content: Outbound
    version: int
    shown_version: int
    state: DeliveryState
    created_at: datetime
    pieces: tuple[Piece, ...] = ()
    message_ids: tuple[str, ...] = ()
    attempts: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True)
class Delivered:
    """What the delivery achieved for a row in the `version` it worked on, to be remembered."""

    id: int
    version: int
    state: DeliveryState
    shown_version: int
    pieces: tuple[Piece, ...]
    message_ids: tuple[str, ...]
    attempts: int
    at: datetime
    error: str = ""


class Outbox(Protocol):
    async def owed(self, chat: int) -> Sequence[OutboxRow]:
        """Rows whose wanted version is not on the screen, in the order they were first shown."""
        ...

    async def chats_owed(self) -> Sequence[int]: ...

    async def record(self, delivered: Delivered) -> None:
        """Stores what was delivered; a version wanted meanwhile stays owed."""
        ...

    async def key_of(self, chat: int, message_id: str) -> str | None:
        """The key of the visible message with this platform id."""
        ...

    async def row(self, key: str) -> OutboxRow | None: ...
