"""What a stored change owes is announced, even when its writer was cancelled meanwhile."""

import asyncio
from dataclasses import dataclass, field

import pytest

from bot.domain.change import Change, Show
from bot.domain.talk.message import Address, Markdown, Outbound, OutboundKind
from bot.flow.delivery.announcing import AnnouncingJournal
from tests.fakes.store import MemoryJournal, MemoryStore


@dataclass(frozen=True)
class Slow(MemoryJournal):
    """A journal that finishes a commit although its caller is cancelled, as a database does."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)

    async def commit(self, change: Change) -> None:
        await super().commit(change)
        self.reached.set()
        await asyncio.Future()


async def test_a_cancel_behind_the_commit_silences_nothing() -> None:
    store = MemoryStore()
    chat = await store.chats.at(Address("fake", "1"), private=True)
    slow, announced = Slow(store.rows, store.journal.now), list[int]()
    journal = AnnouncingJournal(slow, announced.append)
    shown = Show("answer:1", chat.id, Outbound(OutboundKind.ANSWER, (Markdown("Hello."),)))
    writing = asyncio.create_task(journal.commit(Change((shown,))))
    await slow.reached.wait()
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert await store.outbox.row("answer:1") is not None
    assert announced == [chat.id]
