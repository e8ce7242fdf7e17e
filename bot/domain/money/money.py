"""Money in whole billionths of a dollar, so that no sum loses anything by rounding."""

from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal, InvalidOperation
from typing import TypeAlias

Nano: TypeAlias = int
"""Billionths of a dollar."""

DOLLAR: Nano = 1_000_000_000
_CENT = DOLLAR // 100
LEAST_BOUND = _CENT
"""A cent, the least that people set as the bound of a task or a goal."""

_DIME = DOLLAR // 10
_LEAST = DOLLAR // 10_000
"""Below a dime a sum needs more than cents; below this it needs no number."""

_MOST_DOLLARS = 1_000_000


def nano_of(dollars: Decimal) -> Nano:
    """Returns dollars as money; a part of a billionth counts as a whole one."""
    return int((dollars * DOLLAR).to_integral_value(ROUND_CEILING))


def dollars_of(money: Nano) -> Decimal:
    """Returns money as dollars, exactly."""
    return Decimal(money) / DOLLAR


def told(money: Nano, *, estimated: bool = False) -> str:
    """Returns money as people read it: `$12.50`, `$0.0042`, `under $0.0001`.

    An estimated sum is `≈ $12.50`. What costs nothing costs that exactly, however much it is.
    """
    if estimated and money >= _LEAST:
        return f"≈ {told(money)}"
    if money < 0:
        return f"-{told(-money)}"
    if 0 < money < _LEAST:
        return "under $0.0001"
    if money == 0 or money >= _DIME:
        cents = (money + _CENT // 2) // _CENT
        return f"${cents // 100:,}.{cents % 100:02}"
    rounded = (money + _LEAST // 2) // _LEAST
    cents, rest = f"0.{rounded // 100:02}", f"{rounded % 100:02}".rstrip("0")
    return f"${cents}{rest}" if rounded < 1_000 else "$0.10"


def told_sum(costs: Sequence[Nano | None], *, estimated: bool = False) -> str:
    """Returns the sum of costs as people read it; nothing when one of them is not known."""
    known = [cost for cost in costs if cost is not None]
    return told(sum(known), estimated=estimated) if known and len(known) == len(costs) else ""


def read_money(text: str) -> Nano:
    """Returns the money that somebody wrote, as in `5`, `$2.50` or `0,25`.

    Raises ValueError with half a sentence for anything else, and for a million dollars or more.
    """
    written = text.strip().removeprefix("$").removesuffix("$").strip().replace(",", ".")
    try:
        dollars = Decimal(written)
    except InvalidOperation:
        raise ValueError("it should be dollars, as in 5 or 2.50") from None
    if not dollars.is_finite() or not 0 <= dollars < _MOST_DOLLARS:
        raise ValueError("it should be dollars between 0 and 1,000,000")
    return nano_of(dollars)


def read_bound(text: str) -> Nano | None:
    """Returns the bound that somebody wrote, None for `off`; raises ValueError below a cent."""
    if text.lower() == "off":
        return None
    money = read_money(text)
    if money < LEAST_BOUND:
        raise ValueError("a bound is a cent or more")
    return money
