"""Finds cards and standing rules."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from bot.domain.consent.approval import Approval, Rule


class Approvals(Protocol):
    async def by_token(self, token: str) -> Approval | None: ...

    async def get(self, id: str) -> Approval | None: ...

    async def open_in(self, chat: int) -> Sequence[Approval]:
        """Returns the open cards of a chat, oldest first."""
        ...

    async def of_turn(self, turn: str) -> Sequence[Approval]: ...

    async def overdue(self, now: datetime, limit: int) -> Sequence[Approval]:
        """Returns open cards whose time to decide is over."""
        ...


class Rules(Protocol):
    async def of(self, person: int, chat: int) -> Sequence[Rule]: ...
