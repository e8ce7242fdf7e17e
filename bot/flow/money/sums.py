"""The sums of budgets: read from the record now and then, and counted in memory meanwhile."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.domain.money.budget import Cause, Scope
from bot.domain.money.money import Nano
from bot.domain.value import frozen
from bot.ports.ledger import Ledger, Spender

_KEPT = timedelta(days=2)
FRESH = timedelta(seconds=5)
"""The time for which a sum is trusted: another process on the same database spends, too."""

_ENDED = 512
"""Calls that are kept after their end: more than can be ended and not yet be on record."""


def is_fresh(read: datetime, now: datetime) -> bool:
    """Returns True while something that was read then is trusted; a clock may be set back."""
    return timedelta() <= now - read < FRESH


@dataclass(slots=True, eq=False)
class Tab:
    """The money of one call: the part that is set aside for it, and in the end its cost."""

    call: str
    cause: Cause
    at: datetime
    money: Nano = 0
    torn: int = 0
    """The number of its tries that broke off, each with a record of its own."""

    @property
    def records(self) -> Iterable[str]:
        """Yields the names of its records; one more try may break off while they are read."""
        yield self.call
        for number in range(self.torn + 1):
            yield torn_call(self.call, number)


def torn_call(call: str, number: int) -> str:
    """Names the record of a try that broke off."""
    return f"{call}-{number}"


@frozen
class Mark:
    """Names one sum: of everybody's day, of a person's day, or of a turn."""

    scope: Scope
    since: datetime
    subject: str = ""
    """The number of the person, or the turn."""
    until: datetime | None = None
    """The end of the day; None for a turn.

    A clock that was ahead for a while leaves records of days to come: they count then.
    """

    @property
    def whose(self) -> Spender:
        match self.scope:
            case Scope.DAY:
                return Spender()
            case Scope.PERSON:
                return Spender(person=int(self.subject))
            case Scope.TURN:
                return Spender(turn=self.subject)

    def covers(self, tab: Tab) -> bool:
        """Returns True for a call that counts in this sum, as the record would tell."""
        whose, cause = self.whose, tab.cause
        known = whose.person in (None, cause.person) and whose.turn in (None, cause.turn)
        return known and self.since <= tab.at and (self.until is None or tab.at < self.until)


class Sums:
    """Holds one sum for each mark in use, with the least cost of calls under way.

    A call that is under way or has just ended counts by its tab, never by its record: nobody knows
    when the record is written. So a budget that is new counts the calls that began before it.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._sums: dict[Mark, Nano] = {}
        self._read: dict[Mark, datetime] = {}
        self._open: set[Tab] = set()
        self._ended: deque[Tab] = deque(maxlen=_ENDED)

    async def load(self, marks: Iterable[Mark], now: datetime) -> None:
        """Reads the sums that are not known or not fresh, and forgets those of days long past.

        No call may be opened meanwhile; calls may end.
        """
        for mark in [m for m in marks if not self._knows(m, now)]:
            self._sums = {
                m: sum
                for m, sum in self._sums.items()
                if m.scope is Scope.TURN or now - m.since < _KEPT
            }
            self._read = {m: at for m, at in self._read.items() if m in self._sums}
            tabs = [tab for tab in (*self._open, *self._ended) if mark.covers(tab)]
            besides = [name for tab in tabs for name in tab.records]
            recorded = await self._ledger.total(mark.since, mark.whose, besides, mark.until)
            self._sums[mark] = recorded + sum(tab.money for tab in tabs)
            self._read[mark] = now

    def _knows(self, mark: Mark, now: datetime) -> bool:
        """Returns True for a fresh sum; that of a turn is spent by one process alone."""
        at = self._read.get(mark)
        return at is not None and (mark.scope is Scope.TURN or is_fresh(at, now))

    def doubt(self) -> None:
        """Trusts no sum until it is read again."""
        self._read.clear()

    def of(self, mark: Mark) -> Nano:
        return self._sums.get(mark, 0)

    def open(self, tab: Tab, money: Nano) -> None:
        """Counts a call from now on, with the money that is set aside for it."""
        self._open.add(tab)
        self.put(tab, money)

    def put(self, tab: Tab, money: Nano) -> None:
        """Counts a call with another sum than before."""
        for mark in self._sums:
            if mark.covers(tab):
                self._sums[mark] += money - tab.money
        tab.money = money

    def close(self, tab: Tab, money: Nano) -> None:
        """Counts a call with what it costs in the end."""
        self.put(tab, money)
        self._open.discard(tab)
        self._ended.append(tab)

    def forget(self, turn: str) -> None:
        """Forgets the sum of a turn that has ended."""
        for mark in [m for m in self._sums if m.scope is Scope.TURN and m.subject == turn]:
            del self._sums[mark]
            self._read.pop(mark, None)
