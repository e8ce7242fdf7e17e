"""Other processes on the same store."""

from collections.abc import Sequence
from typing import Protocol

from bot.domain.value import frozen


@frozen
class QueuedRun:
    """A queued turn that nobody waits for: of a task, of a hook, or a reflection."""

    turn: str
    chat: int
    origin: str


@frozen
class LeftBehind:
    """The work of dead processes that this one has taken over."""

    updates: int = 0
    """Updates that were not routed."""
    runs: Sequence[QueuedRun] = ()
    owed: Sequence[int] = ()
    """Chats to which messages are owed, while no process delivers there."""


class Peers(Protocol):
    """Each update, each queued run, and the delivery to each chat has one process at a time."""

    @property
    def possible(self) -> bool:
        """Returns False where one process alone can use the store."""
        ...

    async def take_over(self) -> LeftBehind:
        """Takes over what was left behind when the last look saw it, too.

        Two looks: a living process may be without its connection for a moment. The first look of a
        process takes all that it sees: it may be its own from before the start.
        """
        ...

    async def take_delivery(self, chat: int) -> bool:
        """Returns True when this process delivers to the chat now, False when another one does."""
        ...

    def leave_delivery(self, chat: int) -> None: ...


class NoPeers:
    """Says that there is no other process."""

    possible = False

    async def take_over(self) -> LeftBehind:
        return LeftBehind()

    async def take_delivery(self, chat: int) -> bool:
        return True

    def leave_delivery(self, chat: int) -> None: ...
