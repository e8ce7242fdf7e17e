"""The log and the rows around it: read to go on, written by whole changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.domain.approval import Approval
from bot.domain.change import Change, Fence
from bot.domain.chat import Chat
from bot.domain.plan import Plan
from bot.domain.transcript import Entry
from bot.domain.turn import Turn
from bot.ports.inbox import InboundRow

MOST_AHEAD = 100
"""Waiting messages that are looked at when the next job is chosen."""


@dataclass(frozen=True, slots=True)
class Agenda:
    """A chat as it stands, and what it still has to do, oldest first.

    `unfinished` turns are running or parked, `queued` ones wait to start, `approvals` are the
    cards of unfinished and queued turns, whatever their state, with set-aside ones whose end the
    model has not read. `plan` is the chat's live one.
    """

    chat: Chat
    unfinished: tuple[Turn, ...] = ()
    queued: tuple[Turn, ...] = ()
    approvals: tuple[Approval, ...] = ()
    waiting: tuple[InboundRow, ...] = ()
    plan: Plan | None = None


class Journal(Protocol):
    async def claim(self, chat: int) -> Fence:
        """Makes the caller the chat's owner; every older fence is void from here on."""
        ...

    async def commit(self, change: Change) -> None:
        """Carries a change out in one transaction; raises FenceLost, Conflict or a StoreError."""
        ...

    async def entries(self, conversation: str, after: int = 0) -> Sequence[Entry]:
        """Entries of a conversation with a number above `after`, in order."""
        ...

    async def agenda(self, chat: int) -> Agenda:
        """What the chat has to do; `waiting` holds its MOST_AHEAD oldest messages at most."""
        ...

    async def chats_with_work(self) -> Sequence[int]:
        """Chats with a running or queued turn, a decided card of a parked one, or a message."""
        ...
