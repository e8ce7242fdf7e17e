"""Messages owed to people."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from bot.domain.talk.message import Address, Outbound, Piece
from bot.domain.value import frozen
from bot.ports.sightings import Sighting

MOST_OWED = 100
"""The most owed rows of a chat that are read at once."""


class DeliveryState(StrEnum):
    OWED = "owed"
    SHOWN = "shown"
    DEAD = "dead"


@frozen
class OutboxRow:
    """One visible message."""

    id: int
    """Its number, in the order of the rows."""
    key: str
    """The name that its maker gave it; the same name again changes its content."""
    chat: int
    """The chat that sees it."""
    address: Address
    """The place of that chat."""
    content: Outbound
    """The content that people should see."""
    version: int
    """The version that people should see."""
    shown_version: int
    """The version on the screen."""
    state: DeliveryState
    """Owed until the wanted version is on the screen, or given up."""
    created_at: datetime
    """The time at which the row was made or sent anew; of a stray one, when its sending began."""
    pieces: tuple[Piece, ...] = ()
    """The platform messages of the version in progress; empty before the first try."""
    message_ids: tuple[str, ...] = ()
    """The platform's ids of the pieces sent so far."""
    attempts: int = 0
    """Tries that failed for an unexpected reason."""
    error: str = ""
    """The reason why it was given up."""
    ours: bool = True
    """False when another process made it, or an earlier run where processes have numbers."""
    about: str = ""
    """The turn, card or plan whose words it shows."""


@frozen
class Delivered:
    """The result of a delivery for one version of a row, to be stored."""

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
    """Visible messages, to look at and to change."""

    async def key_of(self, chat: int, message_id: str) -> str | None:
        """Returns the key of the visible message with this platform id."""
        ...

    async def row(self, key: str) -> OutboxRow | None: ...

    async def newest(self, chat: int) -> OutboxRow | None:
        """Returns the message of a chat that came last; one that was given up does not count."""
        ...

    async def pressable(self, prefix: str) -> Sequence[OutboxRow]:
        """Returns rows with buttons whose key begins so, the newest first; not those given up.

        The newest 500 rows with such a key are looked at.
        """
        ...


class Deliveries(Protocol):
    """Visible messages, to bring them to their screens."""

    async def owed(self, chat: int, after: int = 0) -> Sequence[OutboxRow]:
        """Returns rows whose wanted version is not on the screen yet, in the order of showing.

        They are the first `MOST_OWED` with a greater id than `after`.
        """
        ...

    async def chats_owed(self) -> Sequence[int]: ...

    async def record(self, delivered: Delivered) -> None:
        """Stores the result of a delivery; a version that became wanted meanwhile stays owed."""
        ...

    async def row(self, key: str) -> OutboxRow | None: ...


class SendingNotes(Protocol):
    """The chats to which something may have been sent that is not recorded."""

    async def note_sending(
        self, chats: Collection[int], over: Collection[int], at: datetime
    ) -> None:
        """Notes chats before something is sent to them, and takes back the notes of others.

        A chat that is noted keeps its older time.
        """
        ...

    async def noted_sending(self) -> Mapping[int, datetime]:
        """Returns these chats, each with the time of its note."""
        ...


class Sights(Protocol):
    """Messages whose ids are known."""

    async def key_of(self, chat: int, message_id: str) -> str | None: ...

    async def sightings(self, channel: str, since: datetime) -> Sequence[Sighting]:
        """Returns the messages of a channel whose ids became known last, people's among them.

        In no order: those of the newest 5,000 rows and updates after `since`, and of 500 of each
        from before it.
        """
        ...


class WholeOutbox(Outbox, Deliveries, SendingNotes, Sights, Protocol):
    """All of these, as the store has them."""
