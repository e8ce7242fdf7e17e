"""`/readyz` says what is missing while the database or a platform is away, and is ready again."""

import asyncio
from collections.abc import Iterator

import pytest

from tests.e2e.on_discord import on_discord
from tests.e2e.own_server import OwnServer, own_server
from tests.e2e.records import ServerRecords
from tests.e2e.steward import Steward
from tests.e2e.test_metrics import Operator
from tests.patience import PATIENCE
from tests.ports import free_port
from tests.standins.messages_api import text


async def told(asked: Operator, words: str) -> None:
    """Waits until the port says these words alone, and that the program is alive all the while."""
    async with asyncio.timeout(PATIENCE):
        while (await asked.get("/readyz")).text != words:
            assert await asked.alive()
            await asyncio.sleep(0.1)


@pytest.fixture
def server() -> Iterator[OwnServer]:
    with own_server() as made:
        yield made


@pytest.mark.postgres
@pytest.mark.timeout(240)
@pytest.mark.telegrams_own("the store is the same below every platform")
async def test_a_database_that_is_away_is_told_and_the_numbers_go_on(
    server: OwnServer, steward: Steward
) -> None:
    steward.records = ServerRecords(server.url)
    asked = Operator(port := free_port())
    await steward.start(STEWARD_DATABASE_URL=server.url, STEWARD_METRICS_LISTEN=port)
    async with asyncio.timeout(PATIENCE):
        while not await asked.alive():
            await asyncio.sleep(0.05)
    await told(asked, "ready\n")
    await server.stop()
    await told(asked, "the database cannot be written\n")
    assert (await asked.get("/readyz")).status_code == 503
    assert (await asked.numbers())["steward_database_up"] == 0
    steward.script(text("Here again."))
    steward.say("Are you there?")
    await server.start()
    await steward.sees("Here again.")
    await told(asked, "ready\n")
    assert (await asked.numbers())["steward_database_up"] == 1
    await steward.recorded()


@pytest.mark.discords_own("its gateway is a connection that stays")
async def test_a_gateway_that_is_away_is_told(steward: Steward) -> None:
    async with on_discord(steward) as discord:
        asked = Operator(port := free_port())
        steward.settings["STEWARD_METRICS_LISTEN"] = str(port)
        await discord.start()
        async with asyncio.timeout(PATIENCE):
            while not await asked.alive():
                await asyncio.sleep(0.05)
        await told(asked, "ready\n")
        discord.discord.gateway.away = True
        discord.discord.gateway.cut()
        await told(asked, "discord is not reached\n")
        discord.discord.gateway.away = False
        await told(asked, "ready\n")
        discord.steward.script(text("Here."))
        discord.say("There?")
        await discord.sees("Here.")
