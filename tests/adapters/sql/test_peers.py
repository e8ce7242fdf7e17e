"""What a dead process left behind, on a real server; a living one is robbed of nothing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import NullPool, create_engine, text

from bot.adapters.sql.store import ServingProcess, Store, open_store
from bot.domain.change import Change, InboundState, MarkInbound, SaveTurn, Show
from bot.domain.talk.errors import StoreAway
from bot.domain.talk.message import Address, Outbound, OutboundKind, Plain, RawUpdate
from bot.domain.turn.turn import TurnState
from bot.ports.peers import LeftBehind, QueuedRun
from tests.domain.logs import turn

pytestmark = pytest.mark.postgres
_HELD = (
    "FROM pg_locks WHERE locktype = 'advisory'"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)


class Processes:
    """Stores that serve one database; each is a process for the server."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._stacks = dict[int, AsyncExitStack]()

    async def begin(self, number: int) -> Store:
        stack = self._stacks[number] = AsyncExitStack()
        store = await stack.enter_async_context(open_store(self._url, serving=ServingProcess()))
        await store.peers.take_over()
        return store

    async def die(self, number: int) -> None:
        """Ends a process, and waits until the server has seen that."""
        await self._stacks.pop(number).aclose()
        while self._holding() > len(self._stacks):  # the server tells nobody
            await asyncio.sleep(0.02)

    def _holding(self) -> int:
        engine = create_engine(self._url, poolclass=NullPool)
        with engine.connect() as connection:
            held = connection.execute(text(f"SELECT DISTINCT pid {_HELD}"))
            return len(held.all())

    def cut(self) -> None:
        """Has the server end the connections that hold locks."""
        engine = create_engine(self._url, poolclass=NullPool)
        with engine.begin() as connection:
            connection.execute(text(f"SELECT pg_terminate_backend(pid, 5000) {_HELD}"))

    async def end(self) -> None:
        for number in [*self._stacks]:
            await self.die(number)


@pytest.fixture
async def processes(own_postgres_url: str) -> AsyncIterator[Processes]:
    processes = Processes(own_postgres_url)
    yield processes
    await processes.end()


async def filled(store: Store) -> int:
    """Leaves an update, a queued run and an owed message; returns their chat."""
    await store.inbox.accept("fake", [RawUpdate("1", "{}")], NOW)
    chat = await store.chats.at(Address("fake", "1"), private=True)
    run = turn("run-1", origin="task", state=TurnState.QUEUED)
    queued = SaveTurn(replace(run, chat=chat.id, conversation=chat.conversation))
    words = Outbound(OutboundKind.NOTICE, (Plain("Hello."),))
    await store.journal.commit(Change((queued, Show("one", chat.id, words)), durable=True))
    return chat.id


async def test_what_a_dead_process_left_is_taken_over_at_the_second_look(
    processes: Processes,
) -> None:
    first, second = await processes.begin(1), await processes.begin(2)
    chat = await filled(first)
    assert await first.peers.take_delivery(chat)
    for _ in range(3):
        assert await second.peers.take_over() == LeftBehind()
    assert await second.inbox.unrouted(10) == []
    assert not await second.peers.take_delivery(chat)
    await processes.die(1)
    assert await second.peers.take_over() == LeftBehind()
    left = await second.peers.take_over()
    assert left == LeftBehind(1, (QueuedRun("run-1", chat, "task"),), (chat,))
    assert [row.key for row in await second.inbox.unrouted(10)] == ["1"]
    assert not (await second.outbox.owed(chat))[0].ours
    assert (await second.peers.take_over()).runs == ()


async def test_the_first_look_of_a_process_takes_what_is_left(processes: Processes) -> None:
    await filled(await processes.begin(1))
    await processes.die(1)
    second = await processes.begin(2)
    assert [row.key for row in await second.inbox.unrouted(10)] == ["1"]


async def test_a_process_that_lost_its_connection_keeps_its_rows(processes: Processes) -> None:
    first, second = await processes.begin(1), await processes.begin(2)
    await filled(first)
    processes.cut()
    for store in (first, second):
        with pytest.raises(StoreAway):
            await store.peers.take_over()
    await second.peers.take_over()
    await first.peers.take_over()
    left = await second.peers.take_over()
    assert (left.updates, left.runs) == (0, ())
    assert [row.key for row in await first.inbox.unrouted(10)] == ["1"]


async def test_a_process_that_is_alone_keeps_a_lock_until_another_one_comes(
    processes: Processes,
) -> None:
    first = await processes.begin(1)
    assert await first.peers.take_delivery(1)
    first.peers.leave_delivery(1)
    await first.peers.take_over()
    second = await processes.begin(2)
    assert not await second.peers.take_delivery(1)
    await first.peers.take_over()
    await first.peers.take_over()
    assert await second.peers.take_delivery(1)


async def test_updates_that_another_process_has_still_to_route_are_told_while_they_are_new(
    processes: Processes,
) -> None:
    one, other = await processes.begin(1), await processes.begin(2)
    [first] = await one.inbox.accept("fake", [RawUpdate("1", "{}")], NOW)
    [second] = await other.inbox.accept("fake", [RawUpdate("2", "{}")], NOW)
    assert await other.inbox.elsewhere(NOW) == [first]
    assert await one.inbox.elsewhere(NOW) == [second]
    assert await other.inbox.elsewhere(NOW + timedelta(seconds=1)) == []
    done = MarkInbound(first.id, InboundState.DONE, (InboundState.NEW,))
    await one.journal.commit(Change((done,)))
    assert await other.inbox.elsewhere(NOW) == []
