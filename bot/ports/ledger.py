"""The record of usage and of people's actions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from bot.domain.model import Usage


@dataclass(frozen=True, slots=True)
class Spent:
    """The summed usage of one model; `cost` in dollars, None when a price was unknown."""

    model: str
    calls: int
    usage: Usage
    cost: float | None


@dataclass(frozen=True, slots=True)
class AuditLine:
    at: datetime
    person: int | None
    action: str
    subject: str
    details: Mapping[str, Any]


class Ledger(Protocol):
    async def spent(self, since: datetime, chat: int | None = None) -> Sequence[Spent]: ...

    async def audit(self, chat: int, limit: int) -> Sequence[AuditLine]:
        """Returns lines of the record, newest first."""
        ...

    async def ran_since(self, chat: int, since: datetime) -> Sequence[str]:
        """Returns the subjects of changing calls that ran in a chat since then, oldest first."""
        ...

    async def artifact(self, chat: int, id: str) -> str | None: ...
