"""Nights are those of an owner's clock; a machine that is off at night removes by day."""

import asyncio
from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.domain.change import Change, SaveProfile, Show
from bot.domain.clock.zones import Zones
from bot.domain.talk.keeping import Ageing
from bot.domain.talk.limits import KeepBounds
from bot.domain.talk.message import Address, FileRef, Outbound, OutboundKind
from bot.domain.talk.person import Role, Sender
from bot.flow.upkeep.nights import Nights
from bot.ports.outbox import MOST_OWED
from bot.ports.upkeep import Bite, KeptSizes, Sizes, grown
from tests.fakes.clock import FakeClock
from tests.fakes.store import MemoryStore

_BITES = 3
_PAUSES = 60.0
"""Seconds for all pauses of a night."""


class _Upkeep:
    """Has some bites of each kind, and keeps the ends that it was told."""

    def __init__(self) -> None:
        self.ours = True
        self.bitten: list[tuple[Ageing, datetime]] = []
        self.state = KeptSizes()
        self._left: dict[Ageing, int] = {}

    async def is_ours(self) -> bool:
        return self.ours

    async def kept(self) -> KeptSizes:
        return self.state

    async def bite(self, passing: Ageing, before: datetime, now: datetime) -> Bite:
        self.bitten.append((passing, before))
        left = self._left.setdefault(passing, _BITES) - 1
        self._left[passing] = left
        return Bite(1, more=left > 0)

    async def measure(self, now: datetime, *, swept: bool) -> None:
        self._left.clear()
        sizes = Sizes(now, {"messages": 1})
        self.state = replace(self.state, newest=sizes)
        if swept:
            self.state = replace(self.state, swept_at=now)


class _House:
    """A store with one owner, and nights by a clock that a test sets."""

    def __init__(self, hour: int, bounds: KeepBounds | None = None) -> None:
        self.clock = FakeClock(datetime(2026, 11, 2, hour, 30, tzinfo=UTC))
        self.upkeep, self.store = _Upkeep(), MemoryStore(self.clock.now)
        self.cleared: list[tuple[datetime, Collection[str]]] = []
        parts = (self.upkeep, self.store.outbox, self.store.people, self._clear)
        self.nights = Nights(*parts, Zones(), self.clock, bounds or KeepBounds())

    async def _clear(self, before: datetime, besides: Collection[str]) -> None:
        self.cleared.append((before, besides))

    async def owner(self, zone: str | None) -> None:
        ann = await self.store.people.admit(Sender("telegram", "42", "Ann"), Role.OWNER)
        await self.store.journal.commit(Change((SaveProfile(ann.id, "", zone),)))

    async def looked(self) -> list[tuple[Ageing, datetime]]:
        looking = asyncio.create_task(self.nights.look())
        await self.clock.advance(_PAUSES)
        await looking
        return self.upkeep.bitten


async def test_it_is_night_by_the_clock_of_an_owner() -> None:
    by_utc, by_owner = _House(2), _House(2)
    await by_owner.owner("America/New_York")
    assert await by_utc.looked()
    assert await by_owner.looked() == []
    there = _House(8)
    await there.owner("America/New_York")
    assert await there.looked()


async def test_each_kind_goes_in_bites_to_its_end_with_pauses_and_once_a_night() -> None:
    house = _House(3, KeepBounds(rounds_days=0))
    bitten = await house.looked()
    kinds = [passing for passing, _ in bitten]
    assert kinds == [one for one in Ageing if one is not Ageing.ROUNDS for _ in range(_BITES)]
    assert len([pause for pause in house.clock.slept if pause > 0]) == len(bitten)
    now = datetime(2026, 11, 2, 3, 30, tzinfo=UTC)
    days = {Ageing.PRESSES: 30, Ageing.RUNS: 400, Ageing.RECORD: 365}
    for passing, before in bitten:
        if passing in days:
            assert now - before == timedelta(days=days[passing])
    assert len(await house.looked()) == len(bitten)
    assert house.upkeep.state.swept_at is not None


async def test_copies_that_are_still_to_be_sent_are_named() -> None:
    house = _House(3)
    chat = await house.store.chats.at(Address("telegram", "42"), private=True)
    paths = {f"/spool/{number}/b.txt" for number in range(MOST_OWED + 1)}
    for path in paths:
        content = Outbound(OutboundKind.ANSWER, (), files=(FileRef(path, "b.txt"),))
        await house.store.journal.commit(Change((Show(path, chat.id, content),)))
    await house.looked()
    [(_, besides)] = house.cleared
    assert besides == paths


async def test_by_day_sizes_are_noted_once_and_nothing_goes_for_three_days() -> None:
    house = _House(12)
    for _ in range(2):
        assert await house.looked() == []
    assert house.upkeep.state.newest is not None
    assert house.upkeep.state.swept_at is None
    house.clock.set_wall(timedelta(days=3, hours=1).total_seconds())
    house.upkeep.state = replace(house.upkeep.state, before=house.upkeep.state.newest)
    assert await house.looked()


async def test_another_process_does_it() -> None:
    house = _House(3)
    house.upkeep.ours = False
    assert await house.looked() == []


@pytest.mark.parametrize(
    ("earlier", "told"),
    [(None, ""), (60_000_000, ", 20.0 MB more a week"), (110_000_000, ", 5.0 MB less a week")],
)
def test_growth_is_told_for_a_week(earlier: int | None, told: str) -> None:
    now = datetime(2026, 11, 29, tzinfo=UTC)
    newest = Sizes(now, {"messages": 100_000_000})
    before = None if earlier is None else Sizes(now - timedelta(days=14), {"messages": earlier})
    assert grown(KeptSizes(newest, before)) == told
