"""Routing goes on: what meets a moment of change or a sick store is routed again, never lost."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import pytest

from bot.domain.change import Change, InboundState, MarkInbound
from bot.domain.talk.errors import Conflict, StoreBusy, StoreUnwritable
from bot.domain.talk.limits import BundleBounds
from bot.domain.talk.message import Address, Inbound, Press, RawUpdate
from bot.domain.talk.person import Sender
from bot.flow.arrivals.intake import Intake
from bot.flow.arrivals.lines import Lines
from bot.flow.arrivals.patient_router import PatientRouter
from bot.flow.arrivals.set_aside import SetAsideUpdates
from bot.flow.groups.news import News
from bot.flow.queue.seams import Seams
from bot.flow.reading.overhearing import Overhearing
from bot.flow.reading.row_reader import RowReader
from bot.ports.inbox import InboundRow
from bot.ports.peers import LeftBehind
from tests.fakes.channel import FakeChannel
from tests.fakes.clock import FakeClock
from tests.fakes.store import MemoryStore

PRESS = Press(Address("fake", "1"), Sender("fake", "1", "Ann"), "x", "h")
ELSEWHERE = Press(Address("fake", "2"), Sender("fake", "2", "Bo"), "x", "h")
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


@dataclass
class SlipperyInbox:
    """Stores updates for good, and then loses the answer once."""

    store: MemoryStore
    fault: BaseException

    async def accept(
        self, channel: str, updates: Sequence[RawUpdate], at: datetime
    ) -> Sequence[InboundRow]:
        added = await self.store.inbox.accept(channel, updates, at)
        if added:
            raise self.fault
        return added

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store.inbox, name)


@dataclass
class LateInbox:
    """Stores updates, and tells it only after they were found in the store and routed."""

    store: MemoryStore
    routed: list[str]
    look_again: Callable[[], None] = lambda: None

    async def accept(
        self, channel: str, updates: Sequence[RawUpdate], at: datetime
    ) -> Sequence[InboundRow]:
        added = await self.store.inbox.accept(channel, updates, at)
        self.look_again()
        while not self.routed:
            await asyncio.sleep(0)
        return added

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store.inbox, name)


class Scene:
    """An intake at work over a store in memory."""

    def __init__(self, *faults: Exception, after: bool = False) -> None:
        self.store, self.clock, self.channel = MemoryStore(), FakeClock(), FakeChannel()
        self.router = StumblingRouter(self.store, list(faults), after)

    def intake(self, inbox: Any, lines: Lines) -> Intake:
        store, rows = self.store, RowReader({self.channel.name: self.channel})
        seams = Seams(inbox, rows, self.clock, BundleBounds())
        overhearing = Overhearing(inbox, store.chats, store.people, store.journal, rows)
        return Intake(inbox, rows, lines, seams, overhearing, self.clock, inbox)

    @asynccontextmanager
    async def working(self, inbox: Any = None) -> AsyncIterator[Intake]:
        router: Any = self.router
        store = self.store
        news = News(store.people, store.chats, store.outbox, self.clock)
        aside = SetAsideUpdates(store.inbox, store.outbox, news, store.journal, lambda: None)
        async with Lines(
            PatientRouter(router, store.inbox, store.journal, self.clock, aside)
        ) as lines:
            intake = self.intake(inbox or self.store.inbox, lines)
            task = asyncio.create_task(intake.run())
            yield intake
            await self.clock.advance(5)
            assert not task.done(), "routing has ended"
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    @property
    def states(self) -> list[InboundState]:
        return [row.state for row in self.store.rows.inbox.values()]


async def routed(*faults: Exception, after: bool = False) -> tuple[list[str], list[InboundState]]:
    """Which updates were routed, and what became of the two there are, five seconds later."""
    scene = Scene(*faults, after=after)
    async with scene.working() as intake:
        await intake.accept("fake", [scene.channel.update(PRESS), scene.channel.update(PRESS)])
    return scene.router.routed, scene.states


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


@pytest.mark.parametrize("fault", [StoreBusy("the answer is lost"), asyncio.CancelledError()])
async def test_an_update_whose_acceptance_ended_after_it_was_stored_is_routed_all_the_same(
    fault: BaseException,
) -> None:
    scene = Scene()
    update = scene.channel.update(PRESS)
    async with scene.working(SlipperyInbox(scene.store, fault)) as intake:
        await scene.clock.advance(1)
        with pytest.raises(type(fault)):
            await intake.accept("fake", [update])
        if isinstance(fault, StoreBusy):
            # The platform's loop tries again, and the row is there already.
            await intake.accept("fake", [update])
    assert scene.states == [_DONE]


async def test_an_update_that_the_store_itself_tried_again_to_store_is_routed() -> None:
    scene = Scene()
    updates = [scene.channel.update(PRESS), scene.channel.update(PRESS)]
    async with scene.working() as intake:
        await scene.clock.advance(1)
        # The first try was stored, but its answer was lost inside the store.
        await scene.store.inbox.accept("fake", updates[:1], scene.clock.now())
        await intake.accept("fake", updates)
    assert sorted(scene.router.routed) == ["1", "2"]
    assert scene.states == [_DONE] * 2


async def test_an_update_found_before_its_acceptance_was_known_is_routed_once() -> None:
    scene = Scene()
    late = LateInbox(scene.store, scene.router.routed)
    async with scene.working(late) as intake:
        late.look_again = intake.look_again
        await intake.accept("fake", [scene.channel.update(PRESS)])
    assert len(scene.router.routed) == 1
    assert scene.states == [_DONE]


async def test_more_updates_than_one_look_takes_are_all_routed() -> None:
    scene = Scene()
    async with scene.working() as intake:
        await scene.clock.advance(1)
        for _ in range(3):
            await intake.accept("fake", [scene.channel.update(PRESS) for _ in range(90)])
        for _ in range(60):
            await scene.clock.advance(1)
    assert len(scene.router.routed) == len(set(scene.router.routed)) == 270
    assert set(scene.states) == {_DONE}


async def test_marks_that_meet_one_already_marked_are_stored_without_it() -> None:
    store, clock, channel = MemoryStore(), FakeClock(), FakeChannel()
    rows = RowReader({channel.name: channel})
    overhearing = Overhearing(store.inbox, store.chats, store.people, store.journal, rows)
    await store.inbox.accept("fake", [channel.update(PRESS) for _ in range(3)], clock.now())
    chat = await store.chats.at(Address("fake", "-1"), private=False)
    first, second, third = await store.inbox.unrouted(3)
    overhearing.overhear(first, replace(chat, settings=replace(chat.settings, listens=True)))
    overhearing.overhear(second, replace(chat, settings=replace(chat.settings, listens=True)))
    overhearing.pass_over(third)
    await store.journal.commit(Change((MarkInbound(first.id, _DEAD, (InboundState.NEW,)),)))
    await overhearing.flush()
    states = [row.state for row in store.rows.inbox.values()]
    assert states == [_DEAD, InboundState.HEARD, _DONE]
    assert not overhearing.collected


async def of_another_process(scene: Scene, inbound: Inbound) -> InboundRow:
    """Has another process store an update that it does not route yet."""
    update = scene.channel.update(inbound)
    [row] = await scene.store.inbox.accept("fake", [update], scene.clock.now())
    scene.store.rows.in_other_hands.append(row)
    return row


async def route_there(scene: Scene, row: InboundRow) -> None:
    """Has the other process route its update."""
    scene.store.rows.in_other_hands.remove(row)
    done = MarkInbound(row.id, _DONE, (InboundState.NEW,))
    await scene.store.journal.commit(Change((done,)))


async def test_an_update_waits_until_another_process_has_routed_the_one_before_it() -> None:
    scene = Scene()
    there = await of_another_process(scene, PRESS)
    async with scene.working() as intake:
        await intake.accept("fake", [scene.channel.update(PRESS), scene.channel.update(ELSEWHERE)])
        await scene.clock.advance(2)
        assert scene.router.routed == ["3"], "another place waits for nothing"
        later = await of_another_process(scene, PRESS)
        await route_there(scene, there)
        await scene.clock.advance(0.1)
        assert scene.router.routed == ["3", "2"], "what comes later delays nothing"
        await route_there(scene, later)
        await intake.accept("fake", [scene.channel.update(PRESS)])


async def test_an_update_that_another_process_never_routes_keeps_no_other_one_for_long() -> None:
    scene = Scene()
    await of_another_process(scene, PRESS)
    async with scene.working() as intake:
        await intake.accept("fake", [scene.channel.update(PRESS)])
        await scene.clock.advance(9)
        assert scene.router.routed == []
        await scene.clock.advance(2)
        assert scene.router.routed == ["2"]


async def test_what_one_process_takes_over_comes_before_what_it_held_back() -> None:
    scene = Scene()
    there = await of_another_process(scene, PRESS)
    async with scene.working() as intake:
        await intake.accept("fake", [scene.channel.update(PRESS)])
        await scene.clock.advance(1)
        scene.store.rows.in_other_hands.remove(there)
        await scene.clock.advance(1)
        assert scene.router.routed == ["1", "2"]


@dataclass
class Changing:
    """An inbox in which a dead process's update changes hands while one looks for others'."""

    store: MemoryStore
    take_over: Callable[[], Any] = lambda: None
    taking: asyncio.Task[Any] | None = None

    async def elsewhere(self, since: datetime) -> Sequence[InboundRow]:
        if self.taking is None and (work := self.take_over()) is not None:
            self.taking = asyncio.create_task(work)
            await settled()
        return await self.store.inbox.elsewhere(since)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store.inbox, name)


async def settled() -> None:
    for _ in range(50):
        await asyncio.sleep(0)


async def test_what_is_taken_over_during_a_look_comes_before_what_came_later() -> None:
    scene = Scene()
    changing = Changing(scene.store)
    async with scene.working(changing) as intake:
        await scene.clock.advance(1)
        there = await of_another_process(scene, PRESS)

        async def take() -> LeftBehind:
            scene.store.rows.in_other_hands.remove(there)
            return LeftBehind(updates=1)

        changing.take_over = lambda: intake.take_over(take)
        await intake.accept("fake", [scene.channel.update(PRESS)])
        for _ in range(3):
            await settled()
            await scene.clock.advance(1)
        assert scene.router.routed == ["1", "2"]


async def test_an_update_that_comes_during_a_takeover_waits_for_what_is_taken_over() -> None:
    scene = Scene()
    async with scene.working() as intake:
        await scene.clock.advance(1)
        there, goes_on = await of_another_process(scene, PRESS), asyncio.Event()

        async def take() -> LeftBehind:
            scene.store.rows.in_other_hands.remove(there)
            await goes_on.wait()
            return LeftBehind(updates=1)

        taking = asyncio.create_task(intake.take_over(take))
        await settled()
        await intake.accept("fake", [scene.channel.update(PRESS)])
        await settled()
        assert scene.router.routed == []
        goes_on.set()
        await taking
        await scene.clock.advance(2)
        assert scene.router.routed == ["1", "2"]
