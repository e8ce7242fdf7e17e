"""Raw updates, stored before the platform hears that they arrived."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from bot.domain.change import InboundState
from bot.domain.talk.message import RawUpdate
from bot.domain.value import frozen

LATELY = 1_000
"""Updates among which questions about a message are looked for."""


@frozen
class InboundRow:
    id: int
    channel: str
    key: str
    body: str
    state: InboundState
    received_at: datetime
    chat: int | None = None
    """Known once the update is routed."""
    message_id: str | None = None
    """Known once the update is routed."""
    person: int | None = None
    """The sender, once the message was taken."""
    fragment: bool = False
    """True when the message continues an earlier one."""


class Inbox(Protocol):
    """Updates that belong to a chat, or wait for their turn."""

    async def get(self, id: int) -> InboundRow | None: ...

    async def asked(self, chat: int, span: int) -> Sequence[InboundRow]:
        """Returns a chat's messages that a card asks about, in the newest `span` updates."""
        ...

    async def waiting(self, chat: int, limit: int | None = None) -> Sequence[InboundRow]:
        """Returns messages of a chat that wait for their turn, oldest first, at most `limit`."""
        ...

    async def message(self, chats: Collection[int], message_id: str) -> InboundRow | None:
        """Returns a message of these chats by its platform id, as long as it waits for its turn."""
        ...

    async def heard(self, chat: int, limit: int) -> Sequence[InboundRow]:
        """Returns the newest updates of a chat that were only heard, oldest first."""
        ...


class Accepting(Protocol):
    """Updates as they come in."""

    async def accept(
        self, channel: str, updates: Sequence[RawUpdate], at: datetime
    ) -> Sequence[InboundRow]:
        """Stores updates, and the positions behind them, in one durable transaction.

        Returns the rows of the new ones.
        """
        ...

    async def reached(self, stream: str, since: datetime) -> str:
        """Returns the last position of a stream; empty where none was stored since this time."""
        ...

    async def unrouted(self, limit: int, besides: Collection[int] = ()) -> Sequence[InboundRow]:
        """Returns the new updates of this process, oldest first, without those `besides`."""
        ...

    async def last_taken(self, span: int) -> Sequence[InboundRow]:
        """Returns people's taken messages, from `span` updates before the first new one on."""
        ...

    async def newest(self, channel: str) -> datetime | None:
        """Returns the time at which the newest update of a channel came in; None for no update."""
        ...


class OtherHands(Protocol):
    """Updates that other processes have taken."""

    async def elsewhere(self, since: datetime) -> Sequence[InboundRow]:
        """Returns the updates that came since then and that another process has still to route."""
        ...


class WholeInbox(Inbox, Accepting, OtherHands, Protocol):
    """All of these, as the store has them."""
