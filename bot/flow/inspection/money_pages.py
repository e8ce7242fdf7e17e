"""The cost of calls: by days, and by models, people, chats, tasks or skills."""

from collections.abc import Callable, Sequence
from datetime import datetime

from bot.domain.clock.zones import Zones
from bot.domain.money.budget import CallKind, Cause, Scope
from bot.domain.money.money import Nano, told
from bot.domain.talk.person import Person
from bot.domain.text.names import plain_name
from bot.domain.tools.call_words import Conceal
from bot.domain.value import frozen
from bot.flow.money.periods import Period, Span, period_of
from bot.flow.money.subjects import Subjects
from bot.flow.money.till import Till
from bot.flow.money.usage_words import Row, cost_of, notes, rows_of, whole_of
from bot.ports.ledger import Bill, By, Ledger, Spender
from bot.ports.now_page import CostRow, DayCost, MoneyPage
from bot.ports.turn_page import Figure

_MOST = 50
_SCOPES = {
    Scope.DAY: "Everybody, a day",
    Scope.PERSON: "Each person, a day",
    Scope.TURN: "Each message",
}


@frozen
class MoneyInspection:
    """Shows people their own costs, and owners everybody's."""

    _ledger: Ledger
    _subjects: Subjects
    _till: Till
    _zones: Zones
    _now: Callable[[], datetime]
    _conceal: Conceal

    async def money(self, reader: Person, span: str, by: str) -> MoneyPage:
        chosen = Span(span) if span in set(Span) else Span.WEEK
        subject = By(by) if by in set(By) else By.MODEL
        period = period_of(chosen, self._now(), self._zones.of(reader))
        whose = Spender() if reader.is_owner else Spender(person=reader.id)
        bills = await self._ledger.bills(period.begins, subject, whose)
        label = await self._subjects.named(subject, {bill.of for bill in bills}, reader)
        rows = rows_of(bills, label)
        whole = whole_of(rows)
        return MoneyPage(
            chosen.value,
            subject.value,
            period.name,
            cost_of(whole) if bills else "nothing was paid",
            _days(period, bills),
            tuple(self._row(row) for row in rows[:_MOST]),
            tuple(notes(whole)),
            await self._budgets(reader),
            _more(rows[_MOST:]),
        )

    def _row(self, row: Row) -> CostRow:
        usage = row.whole.usage
        cached = f"{usage.cache_read * 100 // usage.prompt} %" if usage.prompt else ""
        tokens = f"{usage.prompt + usage.output:,}" if usage.told else ""
        name = plain_name(self._conceal(row.label))
        return CostRow(name, cost_of(row.whole), f"{row.whole.calls:,}", tokens, cached)

    async def _budgets(self, reader: Person) -> tuple[Figure, ...]:
        """Returns the budgets that count for a reader; only owners read that of everybody."""
        purses = await self._till.purses(Cause(CallKind.ANSWER, person=reader.id))
        return tuple(
            Figure(_SCOPES[purse.scope], _left(purse.spent, purse.limit))
            for purse in purses
            if reader.is_owner or purse.scope is Scope.PERSON
        )


def _more(rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    more = "1 more row" if len(rows) == 1 else f"{len(rows):,} more rows"
    return f"{more}, {cost_of(whole_of(rows))} together: not shown."


def _left(spent: Nano, limit: Nano) -> str:
    """Returns how much of a budget is left, and how much of it was spent."""
    left = f"{told(limit - spent)} left" if spent < limit else "used up"
    return f"{left}; {told(spent)} of {told(limit)} spent"


def _days(period: Period, bills: Sequence[Bill]) -> tuple[DayCost, ...]:
    slots = range(len(period.begins))
    days = [whole_of(rows_of([b for b in bills if b.slot == n], str)) for n in slots]
    most = max((day.cost for day in days), default=0) or 1
    return tuple(
        DayCost(name, cost_of(day) if day.calls else told(0), day.cost / most)
        for name, day in zip(period.names, days, strict=True)
    )
