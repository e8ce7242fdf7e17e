"""A paid call while it is made: money is set aside for it until its cost is known."""

import secrets
from dataclasses import dataclass, field, replace
from datetime import datetime

from bot.domain.change import AddUsage
from bot.domain.money.budget import Cause
from bot.domain.money.model import Price, Usage
from bot.domain.money.money import Nano
from bot.domain.turn.view import ModelReply
from bot.domain.value import frozen
from bot.flow.money.sums import Sums, Tab, torn_call

_CHARACTERS_A_TOKEN = 4


def new_call() -> str:
    """Returns a name that no call has yet."""
    return secrets.token_hex(8)


@dataclass(slots=True, eq=False)
class Receipt:
    """Belongs to one call; `least` is set aside in the sums until it is closed."""

    cause: Cause
    model: str
    price: Price | None
    tokens: int
    """The tokens of its prompt, as far as they can be estimated."""
    at: datetime
    sums: Sums
    least: Nano = 0
    written: int = 0
    """The characters that have come so far."""
    on_record: bool = False
    """True when the least cost is on record too."""
    closed: bool = False
    torn: tuple[AddUsage, ...] = ()
    """The records of earlier tries that broke off."""
    call: str = field(default_factory=new_call)
    _tab: Tab = field(init=False)

    def __post_init__(self) -> None:
        self._tab = Tab(self.call, self.cause, self.at)

    def open(self) -> None:
        """Counts the call from now on."""
        self.sums.open(self._tab, self.least)

    def heard(self, characters: int) -> None:
        """Notes that so many characters have come: from now on the provider wants its money."""
        self.written = max(self.written, characters)

    def set_aside(self) -> AddUsage:
        """Returns the record of the call before it is made, which counts if nothing follows."""
        self.on_record = True
        return self._record(Usage(self.tokens), self.least, estimated=True)

    def tear(self) -> None:
        """Notes that the call is made again; what had come of it until now is paid for."""
        if self.written:
            torn = self._record(self._guess, self._cost(self._guess), estimated=True)
            self.torn = (*self.torn, replace(torn, call=torn_call(self.call, len(self.torn))))
            self._tab.torn = len(self.torn)
            self.sums.put(self._tab, self.least + self._lost)
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
        """Frees the money that was set aside: the call cost nothing, but for what broke off."""
        self._count(0)

    @property
    def _guess(self) -> Usage:
        return Usage(self.tokens, self.written // _CHARACTERS_A_TOKEN)

    @property
    def _lost(self) -> Nano:
        return sum(record.cost or 0 for record in self.torn)

    def _cost(self, usage: Usage) -> Nano | None:
        return self.price.cost(usage) if self.price is not None else None

    def _closed(self, usage: Usage, *, estimated: bool) -> tuple[AddUsage, ...]:
        cost = self._cost(usage)
        self._count(cost or 0)
        return (*self.torn, self._record(usage, cost, estimated=estimated))

    def _count(self, cost: Nano) -> None:
        if not self.closed:
            self.closed = True
            self.sums.close(self._tab, cost + self._lost)

    def _record(self, usage: Usage, cost: Nano | None, *, estimated: bool) -> AddUsage:
        return AddUsage(self.call, self.cause, self.model, self.at, usage, cost, estimated)


@frozen
class PaidReply:
    """A reply with the records of its cost, which the caller writes with it."""

    reply: ModelReply
    records: tuple[AddUsage, ...]
