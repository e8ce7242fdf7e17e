"""Sums of budgets count each call once, whenever it ends and whenever its record is written."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.money.budget import CallKind, Cause, Scope
from bot.domain.money.money import Nano
from bot.flow.money.sums import FRESH, Mark, Sums, Tab
from bot.ports.ledger import Ledger, Spender

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
DAY = Mark(Scope.DAY, NOW - timedelta(hours=12))
ANN = Mark(Scope.PERSON, NOW - timedelta(hours=12), "1")
TURN = Mark(Scope.TURN, datetime.min.replace(tzinfo=UTC), "t1")


@dataclass
class Record:
    """What is written down, by call; the only question of a ledger that sums ask."""

    costs: dict[str, tuple[Tab, Nano]] = field(default_factory=dict[str, tuple[Tab, Nano]])

    async def total(
        self,
        since: datetime,
        whose: Spender,
        besides: Collection[str] = (),
        until: datetime | None = None,
    ) -> Nano:
        mark = next(m for m in (DAY, ANN, TURN) if (m.since, m.whose) == (since, whose))
        kept = [(tab, cost) for call, (tab, cost) in self.costs.items() if call not in besides]
        return sum(cost for tab, cost in kept if mark.covers(tab))


def a_tab(call: str, person: int, turn: str) -> Tab:
    return Tab(call, Cause(CallKind.ANSWER, 1, person, turn), NOW)


_CALLS = st.lists(
    st.tuples(
        st.integers(1, 2), st.sampled_from(["t1", "t2"]), st.integers(0, 9), st.integers(0, 99)
    ),
    max_size=6,
)
_LOADS = st.lists(st.tuples(st.sampled_from([DAY, ANN, TURN]), st.integers(0, 20)), max_size=4)


@given(_CALLS, _LOADS, st.permutations(range(18)))
async def test_every_call_counts_once_wherever_a_sum_is_loaded(
    calls: list[tuple[int, str, int, int]],
    loads: list[tuple[Mark, int]],
    order: list[int],
) -> None:
    record = Record()
    sums = Sums(cast(Ledger, record))
    tabs = [a_tab(f"c{n}", person, turn) for n, (person, turn, _, _) in enumerate(calls)]
    done = dict.fromkeys(range(len(calls)), 0)
    for at, step in enumerate(order):
        for mark, when in loads:
            if when == at:
                # Each step is a while after the one before: what was read is read again.
                await sums.load((mark,), NOW + at * FRESH)
        number = step % 6
        if number >= len(calls):
            continue
        _, _, least, cost = calls[number]
        tab = tabs[number]
        match done[number]:
            case 0:
                sums.open(tab, least)
            case 1:
                sums.close(tab, cost)
            case _:
                record.costs[tab.call] = (tab, cost)
        done[number] += 1
    for mark in {mark for mark, when in loads if when < len(order)}:
        counted = [c[3] for c, tab in zip(calls, tabs, strict=True) if mark.covers(tab)]
        assert sums.of(mark) == sum(counted)


def test_a_call_of_yesterday_counts_for_yesterday() -> None:
    tab = replace(a_tab("c", 1, "t1"), at=NOW - timedelta(days=1))
    assert not DAY.covers(tab)
    assert TURN.covers(tab)


def test_a_call_of_a_clock_that_was_ahead_counts_when_its_day_comes() -> None:
    ends = NOW + timedelta(hours=12)
    tab = replace(a_tab("c", 1, "t1"), at=ends)
    assert not replace(DAY, until=ends).covers(tab)
    assert replace(DAY, since=ends, until=ends + timedelta(days=1)).covers(tab)


async def test_what_another_process_spends_counts_a_moment_later() -> None:
    record = Record()
    sums = Sums(cast(Ledger, record))
    await sums.load((DAY,), NOW)
    record.costs["theirs"] = (a_tab("theirs", 2, "t9"), 7)
    await sums.load((DAY,), NOW + FRESH / 2)
    assert sums.of(DAY) == 0
    await sums.load((DAY,), NOW + FRESH)
    assert sums.of(DAY) == 7
    record.costs["more"] = (a_tab("more", 2, "t9"), 1)
    await sums.load((DAY,), NOW)
    assert sums.of(DAY) == 8, "a clock that was set back leaves nothing fresh"
