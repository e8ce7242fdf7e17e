"""The sums of budgets: read from the record once, then counted in memory."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.domain.budget import Scope
from bot.domain.money import Nano
from bot.ports.ledger import Ledger, Spender

_KEPT = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class Mark:
    """Names one sum: of everybody's day, of a person's day, or of a turn."""

    scope: Scope
    since: datetime
    subject: str = ""
    """The number of the person, or the turn."""

    @property
    def whose(self) -> Spender:
        match self.scope:
            case Scope.DAY:
                return Spender()
            case Scope.PERSON:
                return Spender(person=int(self.subject))
            case Scope.TURN:
                return Spender(turn=self.subject)


class Sums:
    """Holds one sum for each mark in use, with the least cost of calls under way."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._sums: dict[Mark, Nano] = {}

    async def load(self, marks: Iterable[Mark], now: datetime) -> None:
        """Reads the sums that are not known yet, and forgets those of days long past."""
        for mark in [m for m in marks if m not in self._sums]:
            self._sums = {
                m: sum
                for m, sum in self._sums.items()
                if m.scope is Scope.TURN or now - m.since < _KEPT
            }
            self._sums[mark] = await self._ledger.total(mark.since, mark.whose)

    def of(self, mark: Mark) -> Nano:
        return self._sums.get(mark, 0)

    def add(self, marks: Iterable[Mark], money: Nano) -> None:
        """Adds to sums that are known; one that is not is read with everything in it later."""
        for mark in marks:
            if mark in self._sums:
                self._sums[mark] += money

    def forget(self, turn: str) -> None:
        """Forgets the sum of a turn that has ended."""
        for mark in [m for m in self._sums if m.scope is Scope.TURN and m.subject == turn]:
            del self._sums[mark]
