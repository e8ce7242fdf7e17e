"""Updates of one place come one after another; nobody waits for what happens in another place."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import Any

from bot.domain.change import InboundState
from bot.domain.talk.message import Address, Inbound, Moved, Press, Unreadable
from bot.domain.talk.person import Sender
from bot.flow.arrivals.lines import AT_WORK, MOST_HELD, MOST_OF_ONE, Lines
from bot.ports.inbox import InboundRow


@dataclass
class HoldingRouter:
    """Holds updates in the places that a test names, until it lets them go."""

    held: set[str] = field(default_factory=set[str])
    routed: list[int] = field(default_factory=list[int])
    under_way: int = 0
    most: int = 0
    tidied: int = 0
    release: defaultdict[str, asyncio.Event] = field(
        default_factory=lambda: defaultdict(asyncio.Event)
    )

    async def route(self, row: InboundRow, inbound: Inbound) -> None:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        place = inbound.address.chat if isinstance(inbound, Press) else ""
        if place in self.held:
            await self.release[place].wait()
        await asyncio.sleep(0)
        self.routed.append(row.id)
        self.under_way -= 1

    async def tidy(self) -> None:
        self.tidied += 1


class Scene:
    """Lines before a router that holds what it is told to hold."""

    def __init__(self, router: HoldingRouter, lines: Lines) -> None:
        self.router = router
        self.lines = lines
        self._ids = count(1)

    def put(self, inbound: Inbound) -> int:
        id = next(self._ids)
        at = datetime(2026, 11, 2, tzinfo=UTC)
        self.lines.put(InboundRow(id, "fake", str(id), "", InboundState.NEW, at), inbound)
        return id

    def press(self, place: str, sender: str = "", thread: str | None = None) -> int:
        who = Sender("fake", sender or f"of {place}", "P")
        return self.put(Press(Address("fake", place, thread), who, "x", "h"))

    async def rest(self) -> None:
        """Lets everything happen that can happen."""
        for _ in range(20_000):
            await asyncio.sleep(0)
            if not self.lines.held:
                return


@asynccontextmanager
async def scene(*held: str) -> AsyncGenerator[Scene]:
    router: Any = HoldingRouter(set(held))
    async with Lines(router) as lines:
        yield Scene(router, lines)


async def test_an_update_that_hangs_keeps_only_its_own_place_waiting() -> None:
    async with scene("a") as lines:
        first, behind = lines.press("a"), lines.press("a", thread="7")
        others = [lines.press("b"), lines.press("c"), lines.put(Unreadable("what?"))]
        await lines.rest()
        assert sorted(lines.router.routed) == others
        assert set(lines.lines.held) == {first, behind}
        lines.router.release["a"].set()
        await lines.rest()
        assert lines.router.routed[-2:] == [first, behind]


async def test_the_updates_of_a_place_keep_their_order() -> None:
    async with scene() as lines:
        order = [lines.press("ab"[n % 2]) for n in range(100)]
        await lines.rest()
        routed = lines.router.routed
        assert [id for id in routed if id % 2] == [id for id in order if id % 2]
        assert [id for id in routed if not id % 2] == [id for id in order if not id % 2]


async def test_a_move_waits_for_both_groups_and_both_wait_for_it() -> None:
    async with scene("old", "new") as lines:
        before = [lines.press("old"), lines.press("new")]
        move = lines.put(Moved(Address("fake", "old"), Address("fake", "new")))
        after = [lines.press("old"), lines.press("new")]
        lines.router.release["old"].set()
        await lines.rest()
        assert lines.router.routed == before[:1]
        lines.router.release["new"].set()
        await lines.rest()
        assert lines.router.routed[:3] == [*before, move]
        assert sorted(lines.router.routed[3:]) == after


async def test_one_sender_leaves_room_for_others_wherever_they_write() -> None:
    places = [str(n) for n in range(AT_WORK)]
    async with scene(*places) as lines:
        for place in places:
            lines.press(place, "eve")
        await lines.rest()
        assert lines.router.under_way == MOST_OF_ONE
        ann = lines.press("home", "ann")
        await lines.rest()
        assert lines.router.routed == [ann]
        for place in places:
            lines.router.release[place].set()
        await lines.rest()
        assert len(lines.router.routed) == len(places) + 1
        assert lines.router.most == MOST_OF_ONE + 1


async def test_no_more_than_so_many_are_routed_at_the_same_time() -> None:
    places = [str(n) for n in range(3 * AT_WORK)]
    async with scene(*places) as lines:
        for place in places:
            lines.press(place)
        await lines.rest()
        assert lines.router.under_way == AT_WORK
        for place in places:
            lines.router.release[place].set()
        await lines.rest()
        assert len(lines.router.routed) == len(places)


async def test_full_lines_take_no_more_until_there_is_room() -> None:
    async with scene("a") as lines:
        for _ in range(MOST_HELD):
            lines.press("a")
        waiting = asyncio.create_task(lines.lines.room())
        await asyncio.sleep(0)
        assert not waiting.done()
        lines.router.release["a"].set()
        await waiting


async def test_marks_are_stored_once_nothing_is_ready() -> None:
    async with scene("a") as lines:
        lines.press("a")
        lines.press("b")
        await lines.rest()
        assert lines.router.tidied > 0
