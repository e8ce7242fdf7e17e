"""Bills as a table of text, with a bar in each row, and as a chart."""

from collections.abc import Callable, Mapping, Sequence

from bot.domain.money.model import Usage
from bot.domain.money.money import Nano, told
from bot.domain.text.visible_text import clipped, visible
from bot.domain.value import frozen, replace
from bot.flow.commanding.wording import counted
from bot.ports.charts import Series
from bot.ports.ledger import Bill

MOST_ROWS = 8
"""Rows of a table; the cheaper ones are put together in one more."""

_MOST_SERIES = 5
_BAR = 10
_LABEL = 34
_THOUSAND, _MILLION = 1_000, 1_000_000


@frozen
class Row:
    """All bills of one subject, by their stretches of time."""

    label: str
    whole: Bill
    slots: Mapping[int, Bill]

    def weight(self, *, money: bool) -> int:
        return _weight(self.whole, money=money)


def rows_of(bills: Sequence[Bill], label: Callable[[str], str]) -> list[Row]:
    """Returns a row for each subject, the most expensive first."""
    by: dict[str, list[Bill]] = {}
    for bill in bills:
        by.setdefault(bill.of, []).append(bill)
    rows = [Row(label(of), _sum(own), {b.slot: b for b in own}) for of, own in by.items()]
    return sorted(rows, key=lambda r: (-r.whole.cost, -_tokens(r.whole.usage), r.label))


def whole_of(rows: Sequence[Row]) -> Bill:
    return _sum([row.whole for row in rows])


def table(rows: Sequence[Row]) -> str:
    """Returns lines for each row: its label and cost, its bar and calls, and its tokens if any.

    No line is wider than a code block on a phone.
    """
    shown = [*rows[:MOST_ROWS]]
    rest = rows[MOST_ROWS:]
    if rest:
        shown.append(Row(f"{len(rest)} others", whole_of(rest), {}))
    money = any(row.whole.cost for row in shown)
    most = max((row.weight(money=money) for row in shown), default=0) or 1
    width = max((len(_label(row)) for row in shown), default=0)
    lines: list[str] = []
    for row in shown:
        filled = max(1, _BAR * row.weight(money=money) // most) if row.weight(money=money) else 0
        bar = "█" * filled + "░" * (_BAR - filled)
        lines.append(f"{_label(row):<{width}}  {cost_of(row.whole)}")
        lines.append(f"{bar} {counted(row.whole.calls, 'call')}")
        # Speech is counted in seconds and characters, and has no tokens.
        if row.whole.usage.told:
            lines.append(tokens_of(row.whole))
    return "\n".join(lines)


def cost_of(bill: Bill) -> str:
    """Returns the cost of a bill; a part that is not known is said, never counted as nothing."""
    if bill.unknown == bill.calls:
        return "price unknown"
    more = " + unknown" if bill.unknown else ""
    return f"{told(bill.cost, estimated=bill.estimated > 0)}{more}"


def tokens_of(bill: Bill) -> str:
    """Returns the tokens of a bill: `tokens: 1.2M in (93 % cached), 40k out`."""
    used = bill.usage
    cached = f" ({100 * used.cache_read // used.prompt} % cached)" if used.cache_read else ""
    return f"tokens: {_short(used.prompt)} in{cached}, {_short(used.output)} out"


def notes(whole: Bill) -> list[str]:
    """Returns sentences about what the sums do not tell."""
    said: list[str] = []
    if whole.unknown:
        calls = counted(whole.unknown, "call")
        said.append(f"The price of {calls} is not known: not in these sums.")
    if whole.estimated:
        calls = counted(whole.estimated, "call")
        said.append(f"{calls} came without a count: I estimated the tokens.")
    return said


def series_of(rows: Sequence[Row], slots: int, *, money: bool) -> tuple[Series, ...]:
    """Returns a layer for each of the first rows, and one for the others together."""
    shown = [(_label(row), [row]) for row in rows[:_MOST_SERIES]]
    if rows[_MOST_SERIES:]:
        shown.append(("others", list(rows[_MOST_SERIES:])))
    return tuple(
        Series(
            name,
            tuple(
                sum(_weight(row.slots[n], money=money) for row in own if n in row.slots)
                for n in range(slots)
            ),
        )
        for name, own in shown
    )


def _label(row: Row) -> str:
    return clipped(" ".join(visible(row.label).replace("`", "'").split()), _LABEL)


def _sum(bills: Sequence[Bill]) -> Bill:
    whole = Bill(0, "", 0, Usage(), 0, 0, 0)
    for bill in bills:
        whole = replace(
            whole,
            calls=whole.calls + bill.calls,
            usage=whole.usage + bill.usage,
            cost=whole.cost + bill.cost,
            unknown=whole.unknown + bill.unknown,
            estimated=whole.estimated + bill.estimated,
        )
    return whole


def _weight(bill: Bill, *, money: bool) -> Nano:
    return bill.cost if money else _tokens(bill.usage)


def _tokens(usage: Usage) -> int:
    return usage.prompt + usage.output


def _short(tokens: int) -> str:
    if tokens >= _MILLION:
        return f"{tokens / _MILLION:.1f}M"
    return f"{tokens / _THOUSAND:.1f}k" if tokens >= _THOUSAND else str(tokens)
