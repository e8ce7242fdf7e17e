"""The record of usage and of people's actions."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from bot.domain.money.budget import Budgets
from bot.domain.money.model import Usage
from bot.domain.money.money import Nano
from bot.domain.value import frozen


class By(StrEnum):
    """The thing that the calls of a bill have in common; a task is a message and all it led to."""

    MODEL = "model"
    CHAT = "chat"
    PERSON = "person"
    TASK = "task"
    SKILL = "skill"


@frozen
class Spender:
    """The calls of a chat, of a person, or of a turn; every call where all are open."""

    chat: int | None = None
    person: int | None = None
    turn: str | None = None


@frozen
class Spent:
    """The summed usage of one model; `cost` is None when a price was unknown."""

    model: str
    calls: int
    usage: Usage
    cost: Nano | None


@frozen
class Bill:
    """Calls of one stretch of time that have something in common, summed up."""

    slot: int
    """The number of the stretch of time."""
    of: str
    """The common thing as text: a model, a skill, or the number of a chat or a person."""
    calls: int
    usage: Usage
    cost: Nano
    """The cost of all calls with a known price."""
    unknown: int
    """Calls whose price is not known."""
    estimated: int
    """Calls whose tokens are estimated."""


@frozen
class BilledTurn:
    """A turn, as a bill names it."""

    at: datetime
    asker: int
    asker_name: str
    words: str
    """The person's words; empty when they are not remembered."""


@frozen
class AuditLine:
    at: datetime
    person: int | None
    action: str
    subject: str
    details: Mapping[str, Any]


class Ledger(Protocol):
    """Paid calls and budgets."""

    async def spent(self, since: datetime, chat: int | None = None) -> Sequence[Spent]: ...

    async def bills(self, slots: Sequence[datetime], by: By, whose: Spender) -> Sequence[Bill]:
        """Returns a bill for each stretch of time and subject; `slots` are the beginnings.

        Calls before the first beginning do not count.
        """
        ...

    async def total(
        self,
        since: datetime,
        whose: Spender,
        besides: Collection[str] = (),
        until: datetime | None = None,
    ) -> Nano:
        """Returns the cost of all calls since then whose price is known, but for those named.

        Calls at the time `until` or later do not count.
        """
        ...

    async def tasks(self, turns: Sequence[str]) -> Mapping[str, BilledTurn]:
        """Returns what is known of these turns."""
        ...

    async def budgets(self) -> Budgets:
        """Returns the budgets that owners have set in chats."""
        ...


class AuditRows(Protocol):
    """The permanent record."""

    async def audit(self, chat: int, limit: int) -> Sequence[AuditLine]:
        """Returns lines of the record, newest first."""
        ...

    async def newest_of(self, action: str, beginning: str) -> Sequence[AuditLine]:
        """Returns the newest line of each subject that begins so, of all chats."""
        ...

    async def ran_since(self, chat: int, since: datetime) -> Sequence[str]:
        """Returns the subjects of changing calls that ran in a chat since then, oldest first."""
        ...


class KeptTexts(Protocol):
    """Texts of which the log holds a part."""

    async def artifact(self, chat: int, id: str) -> str | None: ...


class WholeLedger(Ledger, AuditRows, KeptTexts, Protocol):
    """All of these, as the store has them."""
