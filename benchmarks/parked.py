"""Measures what a hundred thousand turns that wait for people cost processes on PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from benchmarks.card_copies import add_copies
from benchmarks.company import Rest, company, rest
from benchmarks.figure import Figure
from benchmarks.scale import Scale
from benchmarks.scripted_model import asking
from benchmarks.stage import Stage, stage
from tests.postgres_server import named_server, new_database, size_of
from tests.standins.bot_api import Person

_SETTLING_SECONDS = 5.0


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    """Measures nothing where no server is named; the other cards are copies of the first one."""
    server = named_server()
    if server is None:
        return
    with new_database(server) as url:
        async with stage(folder, asking) as on:
            people = on.people(1)
            few = await _life(on, people, url, scale)
            small = size_of(url)
            await add_copies(url, scale.parked)
            many = await _life(on, people, url, scale)
            size = size_of(url) - small
    waiting = f"{scale.parked:,} turns wait for people, four processes"
    yield Figure(f"{waiting}: resident", many.resident, "MB", aim=f"≤ {few.resident + 20:.0f} MB")
    yield Figure("… without them", few.resident, "MB")
    yield Figure("… of a core, at rest", many.share, "%", aim="≤ 1 %")
    yield Figure("… of a core, without them", few.share, "%")
    yield Figure("… statements a second of each", many.statements, aim="≤ 5")
    yield Figure("… the database, for each of them", size / scale.parked / 1000, "kB")


async def _life(on: Stage, people: Sequence[Person], url: str, scale: Scale) -> Rest:
    async with company(on, people, url, workers=2) as four:
        if not on.bot_api.screen(people[0].id).from_bot:
            on.bot_api.say(people[0], "Write a note.")
            await on.bot_api.wait_for(
                lambda: any(one.buttons for one in on.bot_api.screen(people[0].id).from_bot), 60
            )
        await asyncio.sleep(_SETTLING_SECONDS)
        return await rest(four.processes, url, scale.rest_seconds)
