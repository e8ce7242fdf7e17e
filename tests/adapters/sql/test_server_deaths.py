"""What a process has stored outlives the death of a PostgreSQL server, as the process does."""

import signal
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime

import pytest

from bot.adapters.sql.store import ServingProcess, Store, open_store
from bot.domain.change import Change, Show
from bot.domain.talk.errors import StoreError
from bot.domain.talk.message import Address, Outbound, OutboundKind, Plain, RawUpdate
from tests.e2e.own_server import OwnServer, own_server

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(180)]
NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
CARD = Outbound(OutboundKind.CARD, (Plain("May I?"),))


@pytest.fixture(scope="module")
def server() -> Iterator[OwnServer]:
    with own_server() as server:
        yield server


@pytest.fixture
async def store(server: OwnServer) -> AsyncIterator[Store]:
    async with open_store(server.url, serving=ServingProcess()) as store:
        yield store


async def killed(server: OwnServer, store: Store) -> None:
    """Kills the server and starts it again; the store finds it back."""
    await server.stop(signal.SIGQUIT)
    await server.start()
    while True:
        try:
            await store.outbox.chats_owed()
        except StoreError:
            continue
        return


async def chat_of(store: Store, name: str) -> int:
    chat = await store.chats.at(Address("fake", name), private=True)
    # A message of a person is never lost, nor what was stored before it.
    await store.inbox.accept("fake", [RawUpdate(name, "{}")], NOW)
    return chat.id


async def test_a_message_that_may_be_on_the_screen_is_owed_still(
    server: OwnServer, store: Store
) -> None:
    chat = await chat_of(store, "1")
    for number in range(3):
        await store.journal.commit(Change((Show(f"card:{number}", chat, CARD),)))
        await killed(server, store)
        assert [row.key for row in await store.outbox.owed(chat)][-1] == f"card:{number}"


async def test_no_number_of_an_owner_is_given_a_second_time(
    server: OwnServer, store: Store
) -> None:
    chat = await chat_of(store, "2")
    given = []
    for _ in range(3):
        given.append((await store.journal.claim(chat)).number)
        await killed(server, store)
    assert len({*given, (await store.journal.claim(chat)).number}) == len(given) + 1
