"""A paid call while it is made: money is set aside for it until its cost is known."""

import secrets
from dataclasses import dataclass, field, replace
from datetime import datetime

from bot.domain.budget import Cause
from bot.domain.change import AddUsage
from bot.domain.model import Price, Usage
from bot.domain.money import Nano
from bot.domain.view import ModelReply
from bot.flow.money.sums import Mark, Sums

_CHARACTERS_A_TOKEN = 4


@dataclass(slots=True, eq=False)
class Receipt:
    """Belongs to one call; `least` is set aside in the sums of its `marks` until it is closed."""

    cause: Cause
    model: str
    price: Price | None
    tokens: int
    """The tokens of its prompt, as far as they can be estimated."""
    at: datetime
    sums: Sums
    marks: tuple[Mark, ...] = ()
    least: Nano = 0
    written: int = 0
    """The characters that have come so far."""
    closed: bool = False
    torn: tuple[AddUsage, ...] = ()
    """The records of earlier tries that broke off."""
    call: str = field(default_factory=lambda: secrets.token_hex(8))

    def heard(self, characters: int) -> None:
        """Notes that so many characters have come: from now on the provider wants its money."""
        self.written = max(self.written, characters)

    def set_aside(self) -> AddUsage:
        """Returns the record of the call before it is made, which counts if nothing follows."""
        return self._record(Usage(self.tokens), self.least, estimated=True)

    def tear(self) -> None:
        """Notes that the call is made again; what had come of it until now is paid for."""
        if self.written:
            torn = self._record(self._guess, self._cost(self._guess), estimated=True)
            self.torn = (*self.torn, replace(torn, call=f"{self.call}-{len(self.torn)}"))
            self.sums.add(self.marks, torn.cost or 0)
        self.written = 0

    def paid(self, usage: Usage) -> tuple[AddUsage, ...]:
        """Returns the records of the call; the tokens are estimated if the provider told none."""
        if not usage.told:
            return self.broken_off()
        return self._closed(usage, estimated=False)

    def broken_off(self) -> tuple[AddUsage, ...]:
        """Returns the records of a call that ended without word of its tokens."""
        return self._closed(self._guess, estimated=True)

    def taken_back(self) -> None:
        """Frees the money that was set aside: the call cost nothing."""
        self._count(0)

    @property
    def _guess(self) -> Usage:
        return Usage(self.tokens, self.written // _CHARACTERS_A_TOKEN)

    def _cost(self, usage: Usage) -> Nano | None:
        return self.price.cost(usage) if self.price is not None else None

    def _closed(self, usage: Usage, *, estimated: bool) -> tuple[AddUsage, ...]:
        cost = self._cost(usage)
        self._count(cost or 0)
        return (*self.torn, self._record(usage, cost, estimated=estimated))

    def _count(self, cost: Nano) -> None:
        if not self.closed:
            self.closed = True
            self.sums.add(self.marks, cost - self.least)

    def _record(self, usage: Usage, cost: Nano | None, *, estimated: bool) -> AddUsage:
        return AddUsage(self.call, self.cause, self.model, self.at, usage, cost, estimated)


@dataclass(frozen=True, slots=True)
class PaidReply:
    """A reply with the records of its cost, which the caller writes with it."""

    reply: ModelReply
    records: tuple[AddUsage, ...]
