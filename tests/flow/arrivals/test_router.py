"""Marks of updates that need no turn are stored many at a time, but never too many."""

from dataclasses import dataclass, field
from typing import Any

from bot.domain.change import Change, InboundState, PassOver
from bot.domain.talk.message import Ignored
from bot.flow.arrivals.router import Router
from bot.flow.reading.overhearing import Overhearing
from bot.flow.reading.row_reader import RowReader
from bot.ports.inbox import InboundRow
from tests.fakes.clock import FakeClock
from tests.fakes.store import MemoryStore

UNUSED: Any = None


@dataclass
class Journal:
    """Notes how many updates each transaction passes over."""

    passed: list[int] = field(default_factory=list[int])

    async def commit(self, change: Change) -> None:
        self.passed += [len(write.ids) for write in change.writes if isinstance(write, PassOver)]


async def test_talk_without_end_is_marked_while_it_comes() -> None:
    store, journal = MemoryStore(), Journal()
    written: Any = journal
    overhearing = Overhearing(store.inbox, store.chats, store.people, written, RowReader({}))
    router = Router(UNUSED, UNUSED, UNUSED, overhearing, UNUSED, UNUSED, UNUSED, written)
    for number in range(450):
        row = InboundRow(number, "fake", str(number), "", InboundState.NEW, FakeClock().now())
        await router.route(row, Ignored("not a message"))
    assert journal.passed == [200, 200]
    assert len(overhearing.collected) == 50
