"""The bell between processes, and the posts that one of them has, on a real server."""

import asyncio
from collections.abc import AsyncIterator, Callable
from itertools import pairwise

import pytest
from sqlalchemy import NullPool, create_engine, text

from bot.adapters.sql.store import ServingProcess, Store, open_store
from bot.ports.bell import Peal
from tests.e2e.own_server import own_server
from tests.patience import PATIENCE

pytestmark = pytest.mark.postgres


@pytest.fixture
async def stores(own_postgres_url: str) -> AsyncIterator[tuple[Store, Store]]:
    """Two processes on one database, as the server sees them."""
    async with (
        open_store(own_postgres_url, serving=ServingProcess()) as first,
        open_store(own_postgres_url, serving=ServingProcess()) as second,
    ):
        yield first, second


def cut_listeners(url: str) -> None:
    """Has the server end every connection that listens."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(
            text(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                " WHERE datname = current_database() AND application_name = 'steward bell'"
            )
        )


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not true():
            await asyncio.sleep(0.01)


class Heard:
    """What one process hears."""

    def __init__(self, store: Store) -> None:
        self.rings: list[tuple[Peal, int]] = []
        store.bell.hear(lambda peal, chat: self.rings.append((peal, chat)))


class Holder:
    """A process that wants a post, and what it does there."""

    def __init__(self, store: Store) -> None:
        self.at_work = False
        self.times = 0
        self.task = asyncio.create_task(store.posts.keep("poll", self._work))

    async def _work(self) -> None:
        self.times += 1
        self.at_work = True
        try:
            await asyncio.Event().wait()
        finally:
            self.at_work = False

    async def leave(self) -> None:
        self.task.cancel()
        await asyncio.wait([self.task])


async def rung(one: Store, heard: Heard) -> None:
    """Rings until it is heard: the other one may not listen yet."""
    async with asyncio.timeout(PATIENCE):
        while not heard.rings:
            one.bell.ring(Peal.WORK, 7)
            await asyncio.sleep(0.05)


async def test_a_ring_is_heard_by_the_other_process_and_not_by_its_own(
    stores: tuple[Store, Store],
) -> None:
    one, other = stores
    own, others = Heard(one), Heard(other)
    await rung(one, others)
    one.bell.ring(Peal.STOP, 8)
    await until(lambda: (Peal.STOP, 8) in others.rings)
    assert {*others.rings} == {(Peal.WORK, 7), (Peal.STOP, 8)}
    assert own.rings == []


async def test_of_a_thousand_rings_a_few_are_heard_before_others_get_the_loop(
    stores: tuple[Store, Store],
) -> None:
    one, other = stores
    heard = Heard(other)
    await rung(one, heard)
    for chat in range(1_000):
        one.bell.ring(Peal.OWED, chat)
    counts = [len(heard.rings)]
    async with asyncio.timeout(PATIENCE):
        while (Peal.OWED, 999) not in heard.rings:
            await asyncio.sleep(0)
            counts.append(len(heard.rings))
    assert max(after - before for before, after in pairwise(counts)) <= 50


async def test_a_bell_rings_again_after_its_connection_was_cut(
    stores: tuple[Store, Store], own_postgres_url: str
) -> None:
    one, other = stores
    heard = Heard(other)
    await rung(one, heard)
    cut_listeners(own_postgres_url)
    heard.rings.clear()
    await rung(one, heard)


async def test_a_post_has_one_process_and_goes_to_the_next_when_it_is_left(
    stores: tuple[Store, Store],
) -> None:
    one, other = (Holder(store) for store in stores)
    await until(lambda: one.at_work or other.at_work)
    first, second = (one, other) if one.at_work else (other, one)
    await asyncio.sleep(0.5)
    assert not second.at_work
    await first.leave()
    await until(lambda: second.at_work)
    assert not first.at_work
    await second.leave()


async def test_work_of_a_post_ends_with_its_connection_and_somebody_has_the_post_again(
    stores: tuple[Store, Store], own_postgres_url: str
) -> None:
    one, other = (Holder(store) for store in stores)
    await until(lambda: one.at_work or other.at_work)
    for _ in range(3):
        times = one.times + other.times
        cut_listeners(own_postgres_url)
        await until(lambda times=times: one.times + other.times > times)
        # The server gives the post on a moment before the one that lost it knows.
        await until(lambda: one.at_work + other.at_work == 1)
    await one.leave()
    await other.leave()


async def test_work_that_fails_fails_the_keeper_of_the_post(stores: tuple[Store, Store]) -> None:
    async def fail() -> None:
        raise ValueError("a fault")

    with pytest.raises(ValueError, match="a fault"):
        await stores[0].posts.keep("poll", fail)


async def test_bell_and_posts_are_back_each_time_that_the_server_was_away() -> None:
    with own_server() as server:
        async with (
            open_store(server.url, serving=ServingProcess()) as one,
            open_store(server.url, serving=ServingProcess()) as other,
        ):
            heard, holder = Heard(other), Holder(one)
            await until(lambda: holder.at_work)
            for times in (2, 3):
                await server.stop()
                await until(lambda: not holder.at_work)
                # Long enough for tries that fail.
                await asyncio.sleep(1)
                await server.start()
                heard.rings.clear()
                await rung(one, heard)
                await until(lambda times=times: holder.times == times)
            await holder.leave()


async def test_a_question_to_a_post_is_answered_by_whoever_has_it(
    stores: tuple[Store, Store], own_postgres_url: str
) -> None:
    """The one that has the post is asked, the next one after it, and also after a cut."""

    def answering(name: str, store: Store) -> Holder:
        async def answer(question: str) -> str:
            return f"{name}: {question}"

        store.posts.answer("poll", answer)
        return Holder(store)

    first = answering("first", stores[0])
    await until(lambda: first.at_work)
    second = answering("second", stores[1])
    words = "Who is there?  Two words,\nand “another” line."
    for store in stores:
        assert await store.posts.ask("poll", words) == f"first: {words}"
    await first.leave()
    await until(lambda: second.at_work)
    assert await stores[0].posts.ask("poll", words) == f"second: {words}"
    cut_listeners(own_postgres_url)
    await until(lambda: second.times == 2)
    assert await stores[1].posts.ask("poll", words) == f"second: {words}"
    await second.leave()


async def test_a_question_to_a_post_that_nobody_has_ends_without_an_answer(
    stores: tuple[Store, Store],
) -> None:
    async def answer(question: str) -> str:
        return question

    stores[1].posts.answer("poll", answer)
    with pytest.raises(TimeoutError):
        await stores[0].posts.ask("poll", "Who is there?")


async def test_what_several_processes_share_is_heard_by_each_and_told_to_the_others(
    stores: tuple[Store, Store], own_postgres_url: str
) -> None:
    heard: list[list[str]] = [[], []]
    for store, words in zip(stores, heard, strict=True):

        async def answer(question: str, words: list[str] = words) -> str:
            words.append(question)
            return f"shown: {question}"

        store.posts.share("pages", answer)
    for words in ("one", "two, behind a cut"):
        async with asyncio.timeout(PATIENCE):
            # The other one may not listen yet.
            while words not in heard[1]:
                stores[0].posts.tell("pages", words)
                await asyncio.sleep(0.05)
        assert words not in heard[0]
        question = f"Who has {words}?"
        async with asyncio.timeout(PATIENCE):
            # Behind a cut the one that asks may not listen yet.
            while not all(question in one for one in heard):
                assert await stores[0].posts.ask("pages", question) == f"shown: {question}"
                await asyncio.sleep(0.05)
        cut_listeners(own_postgres_url)
