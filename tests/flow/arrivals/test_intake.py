"""Routing goes on: what meets a moment of change or a sick store is routed again, never lost."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from bot.domain.change import Change, InboundState, MarkInbound
from bot.domain.errors import Conflict, StoreBusy, StoreUnwritable
from bot.domain.limits import BundleBounds
from bot.domain.message import Address, Inbound, Press
from bot.domain.person import Sender
from bot.flow.arrivals.intake import Intake
from bot.flow.arrivals.lines import Lines
from bot.flow.arrivals.patient_router import PatientRouter
from bot.flow.queue.seams import Seams
from bot.flow.reading.overhearing import Overhearing
from bot.flow.reading.row_reader import RowReader
from bot.ports.inbox import InboundRow
from tests.fakes.channel import FakeChannel
from tests.fakes.clock import FakeClock
from tests.fakes.store import MemoryStore

PRESS = Press(Address("fake", "1"), Sender("fake", "1", "Ann"), "x", "h")
_DONE, _DEAD = InboundState.DONE, InboundState.DEAD


@dataclass
class StumblingRouter:
    """Marks updates as done and raises these faults, one at a time, before it or after it."""

    store: MemoryStore
    faults: list[Exception]
    after: bool = False
    routed: list[str] = field(default_factory=list[str])

    async def flush(self) -> None:
        """Has marked every update already."""

    async def route(self, row: InboundRow, inbound: Inbound) -> None:
        self.routed.append(row.key)
        if not self.after:
            self._stumble()
        done = MarkInbound(row.id, _DONE, (InboundState.NEW,))
        await self.store.journal.commit(Change((done,)))
        if self.after:
            self._stumble()

    def _stumble(self) -> None:
        if self.faults:
            raise self.faults.pop(0)


async def routed(*faults: Exception, after: bool = False) -> tuple[list[str], list[InboundState]]:
    """Which updates were routed, and what became of the two there are, five seconds later."""
    store, clock, channel = MemoryStore(), FakeClock(), FakeChannel()
    router: Any = StumblingRouter(store, list(faults), after)
    rows = RowReader({channel.name: channel})
    lines = Lines(PatientRouter(router, store.inbox, store.journal, clock))
    seams = Seams(store.inbox, rows, clock, BundleBounds())
    overhearing = Overhearing(store.inbox, store.chats, store.journal, rows)
    intake = Intake(store.inbox, rows, lines, seams, overhearing, clock)
    await intake.accept("fake", [channel.update(PRESS), channel.update(PRESS)])
    async with lines:
        task = asyncio.create_task(intake.run())
        await clock.advance(5)
        assert not task.done(), "routing has ended"
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    return router.routed, [row.state for row in store.rows.inbox.values()]


async def test_an_update_that_meets_a_change_of_its_chat_is_routed_again() -> None:
    assert await routed(Conflict("taken"), Conflict("taken")) == (["1"] * 3 + ["2"], [_DONE] * 2)


async def test_an_update_that_another_process_has_routed_is_left_to_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level("INFO"):
        assert await routed(Conflict("taken"), after=True) == (["1", "2"], [_DONE] * 2)
    assert [record.levelname for record in caplog.records] == ["INFO"]


async def test_an_update_that_never_fits_its_chat_is_set_aside_at_last() -> None:
    assert await routed(*[Conflict("taken")] * 5) == (["1"] * 5 + ["2"], [_DEAD, _DONE])


@pytest.mark.parametrize("fault", [StoreBusy("locked"), StoreUnwritable("the disk is full")])
async def test_no_update_is_lost_to_a_store_that_cannot_write_for_a_while(fault: Exception) -> None:
    assert await routed(fault, fault) == (["1"] * 3 + ["2"], [_DONE] * 2)


async def test_an_update_nobody_can_route_is_set_aside_and_the_next_one_routed() -> None:
    assert await routed(ValueError("what is this?")) == (["1", "2"], [_DEAD, _DONE])


async def test_a_fault_after_an_update_was_routed_ends_nothing() -> None:
    assert await routed(ValueError("no reaction"), after=True) == (["1", "2"], [_DONE] * 2)
