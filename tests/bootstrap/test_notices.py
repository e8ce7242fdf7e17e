"""Messages that owners got without the database are known to it afterwards, each of them."""

import asyncio
from pathlib import Path
from typing import Any, cast

from bot.adapters.sql.store import Store
from bot.bootstrap.notices import Notices
from bot.domain.change import Change
from bot.domain.talk.message import Address
from bot.ports.journal import Journal
from tests.fakes.store import MemoryStore

ANN = Address("fake", "1")


class SlowJournal:
    """A journal whose changes are stored as soon as it is opened."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self.asked, self.opened = asyncio.Event(), asyncio.Event()

    async def commit(self, change: Change) -> None:
        self.asked.set()
        await self.opened.wait()
        await self._journal.commit(change)


class SlowStore:
    """A store in memory with such a journal."""

    def __init__(self) -> None:
        self.memory = MemoryStore()
        self.chats, self.journal = self.memory.chats, SlowJournal(self.memory.journal)


def as_store(store: SlowStore) -> Store:
    return cast("Store", cast("Any", store))


async def test_a_notice_that_comes_while_others_are_being_stored_is_stored_too(
    tmp_path: Path,
) -> None:
    store, notices = SlowStore(), Notices(tmp_path)
    await notices.add(ANN, "7")
    settling = asyncio.create_task(notices.settle(as_store(store)))
    await store.journal.asked.wait()
    await notices.add(ANN, "8")
    store.journal.opened.set()
    await settling
    shown = [row.message_ids for row in store.memory.rows.outbox.values()]
    assert sorted(shown) == [("7",), ("8",)]
    # The next start finds none.
    store.memory.rows.outbox.clear()
    await Notices(tmp_path).settle(as_store(store))
    assert not store.memory.rows.outbox
