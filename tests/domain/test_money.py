"""Money is counted exactly, and read as it is told."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.money.model import Price, Usage
from bot.domain.money.money import DOLLAR, dollars_of, nano_of, read_money, told

amounts = st.integers(0, 10**15)
tokens = st.integers(0, 10**9)
prices = st.decimals(0, 10_000, places=6, allow_nan=False)


@st.composite
def usages(draw: st.DrawFn) -> Usage:
    return Usage(draw(tokens), draw(tokens), draw(tokens), draw(tokens), draw(tokens))


@st.composite
def priced(draw: st.DrawFn) -> Price:
    bare = Price(draw(prices), draw(prices), draw(prices), draw(prices))
    return replace(bare, search=draw(prices))


@given(amounts)
def test_dollars_and_money_are_the_same(money: int) -> None:
    assert nano_of(dollars_of(money)) == money


@given(priced(), usages())
def test_a_cost_is_exact_and_rounded_up_by_less_than_a_billionth(
    price: Price, usage: Usage
) -> None:
    pairs = (
        (usage.input, price.input),
        (usage.output, price.output),
        (usage.cache_read, price.cache_read),
        (usage.cache_write, price.cache_write),
        (usage.searches * 1_000, price.search),
    )
    exact = sum((n * Fraction(dollars) for n, dollars in pairs), Fraction(0)) / 1_000_000 * DOLLAR
    assert exact <= price.cost(usage) < exact + 1


@given(priced(), usages(), usages())
def test_two_calls_never_cost_less_than_one_with_all_their_tokens(
    price: Price, one: Usage, other: Usage
) -> None:
    apart = price.cost(one) + price.cost(other)
    assert apart - 1 <= price.cost(one + other) <= apart


@given(amounts)
def test_what_is_told_is_near(money: int) -> None:
    text = told(money)
    if text.startswith("under"):
        assert 0 < money < DOLLAR // 10_000
        return
    shown = nano_of(Decimal(text.removeprefix("$").replace(",", "")))
    step = DOLLAR // 100 if money >= DOLLAR // 10 or money == 0 else DOLLAR // 10_000
    assert abs(shown - money) * 2 <= step


@pytest.mark.parametrize(
    ("money", "text"),
    [
        (0, "$0.00"),
        (1, "under $0.0001"),
        (4_200_000, "$0.0042"),
        (99_900_000, "$0.0999"),
        (99_999_999, "$0.10"),
        (20_000_000, "$0.02"),
        (25_000_000, "$0.025"),
        (100_000_000, "$0.10"),
        (1_234_565_000_000, "$1,234.57"),
        (-DOLLAR, "-$1.00"),
    ],
)
def test_money_is_told_as_people_read_it(money: int, text: str) -> None:
    assert told(money) == text


@pytest.mark.parametrize(
    ("text", "money"),
    [
        ("5", 5 * DOLLAR),
        ("$2.50", 2_500_000_000),
        ("0,25", 250_000_000),
        (" 1$ ", DOLLAR),
        ("0", 0),
    ],
)
def test_money_is_read_as_people_write_it(text: str, money: int) -> None:
    assert read_money(text) == money


@pytest.mark.parametrize(
    "text", ["", "much", "-1", "1e9", "nan", "inf", "1,000.5", "1_0x", "٣" * 9]
)
def test_what_is_no_money_is_refused_in_words(text: str) -> None:
    with pytest.raises(ValueError, match="it should be dollars"):
        read_money(text)
