"""The server of the database dies for good, and its standby takes over: the program goes on."""

import asyncio
import random
import signal
from collections.abc import Iterator

import pytest

from tests.e2e.crowd import Crowd
from tests.e2e.own_server import OwnServer, two_servers
from tests.e2e.records import ServerRecords
from tests.e2e.steward import Steward
from tests.e2e.test_postgres_faults import AWAY, BACK, judged
from tests.lacking import THOROUGH

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.timeout(180),
    pytest.mark.telegrams_own("the store is the same below every platform"),
]


@pytest.fixture
def servers() -> Iterator[tuple[OwnServer, OwnServer]]:
    with two_servers() as both:
        yield both


@pytest.mark.parametrize("seed", range(3 if THOROUGH else 1))
async def test_a_standby_that_is_promoted_is_found_and_nothing_is_lost(
    servers: tuple[OwnServer, OwnServer], steward: Steward, seed: int
) -> None:
    primary, standby = servers
    dice = random.Random(seed)
    both = f"postgresql+psycopg://postgres@{primary.place},{standby.place}/steward"
    steward.settings |= {"STEWARD_DATABASE_URL": f"{both}?target_session_attrs=read-write"}
    steward.records = ServerRecords(primary.url)
    crowd = Crowd(steward)
    await steward.start()
    for _ in range(2):
        for person in crowd.people:
            crowd.ask(person)
            await asyncio.sleep(dice.uniform(0, 0.05))
    await primary.stop(signal.SIGKILL)
    for person in crowd.people:
        crowd.ask(person)
    await steward.eventually(lambda: AWAY in steward.output)
    await asyncio.to_thread(standby.promote)
    steward.records = ServerRecords(standby.url)
    await crowd.answered()
    for person in crowd.people:
        crowd.ask(person)
    await judged(steward, crowd)
    lines = steward.output.splitlines()
    assert len([line for line in lines if AWAY in line]) == 1
    assert len([line for line in lines if BACK in line]) == 1
