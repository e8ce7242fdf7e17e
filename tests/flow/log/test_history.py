"""A log in memory is void as soon as the store has gone another way."""

from dataclasses import replace

import pytest

from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Address
from bot.domain.turn.transcript import CutBody
from bot.flow.log.history import History
from tests.fakes.clock import FakeClock
from tests.fakes.store import MemoryStore


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(FakeClock().now)


async def test_a_log_is_kept_as_long_as_the_store_stands_where_it_stands(
    store: MemoryStore,
) -> None:
    chat, history = await begun(store)
    log = await history.own(chat)
    await log.write("t1", [CutBody((), 0)])
    assert await history.own(await store.chats.get(chat.id)) is log


@pytest.mark.parametrize("lost", ["fence", "last_seq"])
async def test_a_log_is_read_anew_when_the_store_has_forgotten(
    store: MemoryStore, lost: str
) -> None:
    """A server that dies may forget its last claims and entries, and then its numbers are lower."""
    chat, history = await begun(store)
    log = await history.own(chat)
    await log.write("t1", [CutBody((), 0)])
    now = await store.chats.get(chat.id)
    before = now.fence if lost == "fence" else now.last_seq
    assert await history.own(replace(now, **{lost: before - 1})) is not log


async def begun(store: MemoryStore) -> tuple[Chat, History]:
    chat = await store.chats.at(Address("fake", "1"), private=True)
    return chat, History(store.journal, store.chats, FakeClock())
