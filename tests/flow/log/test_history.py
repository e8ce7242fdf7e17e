"""A log in memory is void as soon as the store has gone another way."""

from dataclasses import replace

import pytest

from bot.domain.talk.message import Address
from bot.domain.turn.transcript import CutBody
from bot.flow.log.history import ChatLog, History
from tests.fakes.clock import FakeClock
from tests.fakes.store import MemoryStore


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(FakeClock().now)


async def test_a_log_is_kept_as_long_as_the_store_stands_where_it_stands(
    store: MemoryStore,
) -> None:
    log, history = await begun(store)
    await log.write("t1", [CutBody((), 0)])
    assert await history.own(await store.chats.get(log.chat.id)) is log


@pytest.mark.parametrize("lost", ["fence", "last_seq"])
async def test_a_log_is_read_anew_when_the_store_has_forgotten(
    store: MemoryStore, lost: str
) -> None:
    """A server that dies may forget its last claims and entries, and then its numbers are lower."""
    log, history = await begun(store)
    await log.write("t1", [CutBody((), 0)])
    now = await store.chats.get(log.chat.id)
    before = now.fence if lost == "fence" else now.last_seq
    assert await history.own(replace(now, **{lost: before - 1})) is not log


async def test_what_was_read_before_a_claim_is_read_again(store: MemoryStore) -> None:
    """Another one may claim the chat before that, and then the first claim is worth nothing."""
    history = History(store.journal, FakeClock())
    chat = await store.chats.at(Address("fake", "1"), private=True)
    assert await history.own(chat) is None
    await store.journal.claim(chat.id)
    assert await history.own(await store.chats.get(chat.id)) is None
    assert await history.own(await store.chats.get(chat.id)) is not None


async def begun(store: MemoryStore) -> tuple[ChatLog, History]:
    chat = await store.chats.at(Address("fake", "1"), private=True)
    history = History(store.journal, FakeClock())
    assert await history.own(chat) is None
    log = await history.own(await store.chats.get(chat.id))
    assert log is not None
    return log, history
