"""A PostgreSQL server that restarts, dies and cuts connections: nothing is lost or doubled."""

import asyncio
import random
import signal
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.e2e.crowd import Crowd
from tests.e2e.own_server import OwnServer, own_server
from tests.e2e.records import Records, ServerRecords
from tests.e2e.steward import Steward
from tests.e2e.test_hooks import Caller, caller, started, tries
from tests.e2e.test_schedules import HOUR, runs_are
from tests.e2e.times import Times
from tests.standins.messages_api import failure, text

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.timeout(180),
    pytest.mark.telegrams_own("the store is the same below every platform"),
]

AWAY = "The database cannot work now"
BACK = "The database works again"


@pytest.fixture(scope="module")
def cluster() -> Iterator[OwnServer]:
    with own_server() as server:
        yield server


@pytest.fixture
async def server(cluster: OwnServer, steward: Steward) -> OwnServer:
    """The server with an empty database, on which the program works."""
    cluster.ask("DROP DATABASE IF EXISTS steward WITH (FORCE)", database="postgres")
    cluster.ask("CREATE DATABASE steward", database="postgres")
    steward.records = ServerRecords(cluster.url)
    steward.settings |= {"STEWARD_DATABASE_URL": cluster.url}
    return cluster


async def judged(steward: Steward, crowd: Crowd) -> None:
    """Everything is answered once, nothing is set aside, and the program has not ended."""
    await crowd.answered()
    assert crowd.doubled == []
    assert steward.running
    await steward.recorded()
    assert steward.records.rows("SELECT key, reason FROM inbox WHERE state = 'dead'") == []
    assert "index of words is broken" not in steward.output


async def test_a_connection_that_is_cut_again_and_again_loses_nothing(
    server: OwnServer, steward: Steward
) -> None:
    crowd = Crowd(steward)
    await steward.start()

    async def cut() -> None:
        while True:
            await asyncio.sleep(random.uniform(0.05, 0.3))
            await asyncio.to_thread(server.cut, one=True)

    cutting = asyncio.create_task(cut())
    for _ in range(8):
        for person in crowd.people:
            crowd.ask(person)
        await asyncio.sleep(0.8)
    cutting.cancel()
    with suppress(asyncio.CancelledError):
        await cutting
    await judged(steward, crowd)
    assert steward.output.count("Ctrl-C ends it.") == 1


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT], ids=["stopped", "killed"])
async def test_a_server_that_is_away_for_seconds_is_waited_for_and_told_once(
    server: OwnServer, steward: Steward, how: signal.Signals
) -> None:
    crowd = Crowd(steward)
    await steward.start()
    for person in crowd.people:
        crowd.ask(person)
    for _ in range(3):
        await asyncio.sleep(0.3)
        await server.stop(how)
        for person in crowd.people:
            crowd.ask(person)
        await asyncio.sleep(3)
        await server.start()
        await crowd.answered()
    await judged(steward, crowd)
    told = [line for line in steward.output.splitlines() if "WARNING" in line or "ERROR" in line]
    assert len([line for line in told if AWAY in line]) == 1, told
    assert len([line for line in told if BACK in line]) == 1, told
    assert len(told) == 2, f"something else warns of the same: {told}"


async def test_a_task_and_a_call_of_a_hook_that_come_due_in_an_outage_run_after_it(
    server: OwnServer, steward: Steward, times: Times, caller: Caller
) -> None:
    steward.script(failure(401, "authentication_error"))
    await started(steward)
    taken = await caller.post()
    await caller.becomes(taken, "failed, tried again")
    steward.say("/schedule in 20m | Remind me of the tea")
    await steward.sees("⏰ Scheduled.")
    await steward.recorded()
    await server.stop()
    times.move(HOUR)
    await steward.eventually(lambda: AWAY in steward.output)
    steward.script(text("One of both."), text("The other one."))
    await server.start()
    assert "one" in (await steward.sees("hook build")).text.casefold()
    assert "one" in (await steward.sees("⏰ in 20m")).text.casefold()
    await caller.becomes(taken, "done")
    await runs_are(steward, "done")
    assert tries(steward) == [("done", 2)]
    assert len(steward.shown) == 3


async def test_a_program_ends_though_its_server_says_nothing_any_more(
    server: OwnServer, steward: Steward
) -> None:
    crowd = Crowd(steward)
    await steward.start()
    for person in crowd.people:
        crowd.ask(person)
    with server.silent():
        for person in crowd.people:
            crowd.ask(person)
        await asyncio.sleep(0.5)
        await steward.stop()
    await steward.start()
    await judged(steward, crowd)


async def test_a_program_that_starts_before_its_server_waits_for_it(
    server: OwnServer, steward: Steward
) -> None:
    await server.stop()
    steward.script(text("Good morning."))
    steward.say("Are you there?")
    starting = asyncio.create_task(steward.start())
    await steward.eventually(lambda: AWAY in steward.output)
    await server.start()
    await starting
    await steward.sees("Good morning.")
    await steward.recorded()


async def test_a_database_that_the_server_does_not_have_is_a_wrong_setting(
    server: OwnServer, steward: Steward
) -> None:
    steward.settings |= {"STEWARD_DATABASE_URL": f"{server.address}/nothing"}
    steward.records = Records(steward.home / "steward.db")
    assert await steward.exit_code("run") == 2
    assert 'database "nothing" does not exist' in steward.output


async def test_a_damaged_page_of_a_server_ends_the_program_and_is_found_by_the_doctor(
    server: OwnServer, steward: Steward
) -> None:
    steward.script(text("Good morning."))
    await steward.start()
    steward.say("Hello")
    await steward.sees("Good morning.")
    await steward.recorded()
    await steward.stop()
    await server.spoil("entry")
    code, printed = await steward.printed_by("doctor")
    assert code == 1
    assert "The database is damaged: entry: invalid page" in printed
    assert "Bring the database back from a backup" in printed
    steward.records = Records(steward.home / "none.db")
    steward.say("Are you there?")
    assert await steward.exit_code("run") == 65
    await steward.sees("My database is damaged")


__all__ = ["caller"]
