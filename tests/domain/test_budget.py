"""Budgets: when a call passes one, when people are told, and when a day begins."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.money.budget import Purse, Scope, day_of, least_cost
from bot.domain.money.model import Usage
from tests.domain.test_money import priced, usages

NOW = datetime(2026, 11, 22, 16, 0, tzinfo=UTC)
amounts = st.integers(0, 10**12)
ZONES = (
    "UTC",
    "Europe/Lisbon",
    "America/Sao_Paulo",
    "Asia/Kolkata",
    "Pacific/Apia",
    "Africa/Cairo",
)


def purse(limit: int, spent: int) -> Purse:
    return Purse(Scope.DAY, limit, spent, NOW, NOW + timedelta(hours=8), "UTC")


@given(amounts, amounts, amounts)
def test_a_call_is_refused_exactly_when_its_least_cost_would_pass_the_budget(
    limit: int, spent: int, least: int
) -> None:
    one = purse(limit, spent)
    assert one.refuses(least) == (least > max(limit - spent, 0) and least > 0)
    assert one.left == max(limit - spent, 0)


@given(amounts, st.lists(amounts, max_size=8))
def test_calls_side_by_side_never_set_more_aside_than_the_budget(
    limit: int, wished: list[int]
) -> None:
    spent = 0
    for least in wished:
        if not purse(limit, spent).refuses(least):
            spent += least
    assert spent <= limit


@pytest.mark.parametrize(
    ("limit", "spent", "warned"),
    [(100, 79, False), (100, 80, True), (10, 8, True), (0, 0, True), (3, 2, False)],
)
def test_people_are_told_from_eighty_per_cent_on(limit: int, spent: int, warned: bool) -> None:
    assert purse(limit, spent).warned is warned


def test_a_raised_budget_is_another_one_that_is_told_of_again() -> None:
    assert purse(5, 5).key != purse(6, 5).key


@given(priced(), usages())
def test_no_call_costs_less_than_its_least_cost(price, usage) -> None:
    answered = Usage(usage.input, max(usage.output, 1), usage.cache_read, usage.cache_write)
    dear = price.cache_write < min(price.input, price.cache_read)
    if not dear:
        assert least_cost(price, usage.prompt) <= price.cost(answered)


@given(st.integers(0, 20 * 366 * 24 * 60), st.sampled_from(ZONES))
def test_a_day_holds_its_moment_and_meets_the_next_one(minutes: int, zone: str) -> None:
    now = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
    begin, end = day_of(now, zone)
    assert begin <= now < end
    assert timedelta(hours=22) <= end - begin <= timedelta(hours=26)
    assert day_of(end, zone)[0] == end
    assert begin.astimezone(ZoneInfo(zone)).date() == now.astimezone(ZoneInfo(zone)).date()
