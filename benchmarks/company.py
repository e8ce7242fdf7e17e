"""Processes that share one PostgreSQL by roles, and what they cost while nothing happens."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from sqlalchemy import NullPool, create_engine, text

from benchmarks.process import MeasuredProcess, started
from benchmarks.stage import Stage
from tests.standins.bot_api import Person

_WARM_SECONDS = 5.0
_OTHERS = (("deliver", "schedule"),)
"""The roles of the processes beside the one that receives and those that work."""


@asynccontextmanager
async def company(
    on: Stage, people: Sequence[Person], url: str, workers: int
) -> AsyncGenerator[list[MeasuredProcess]]:
    """Runs a process that receives, those that work, and one for all the rest."""
    roles = [("receive",), *[("work",)] * workers, *_OTHERS]
    async with AsyncExitStack() as stack:
        processes: list[MeasuredProcess] = []
        for number, some in enumerate(roles):
            settings = {
                "STEWARD_DATABASE_URL": url,
                "STEWARD_HOME": f"data{number}",
                "STEWARD_ROLE": ",".join(some),
                "STEWARD_OWNERS": ",".join(f"telegram:{person.id}" for person in people),
                "STEWARD_SEND_RATES": "off",
                "STEWARD_TIMEZONE": "UTC",
            }
            process = await stack.enter_async_context(
                started(["bot", "run"], on.folder, on.access() | settings)
            )
            processes.append(process)
        await on.polled(processes[0])
        await _known(url, len(roles))
        await asyncio.sleep(_WARM_SECONDS)
        yield processes


async def _known(url: str, processes: int) -> None:
    """Waits until so many listen to the bell."""
    engine = create_engine(url, poolclass=NullPool)
    there = 0
    while there < processes:
        await asyncio.sleep(0.2)
        with engine.connect() as connection:
            there = connection.execute(
                text(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                    " AND application_name = 'steward bell'"
                )
            ).scalar_one()


@dataclass(frozen=True, slots=True)
class Rest:
    """What processes cost while nothing happens.

    `share` is of one core in percent, `statements` are those of each in a second, `resident` is in
    MB and of all.
    """

    share: float
    statements: float
    resident: float


async def rest(processes: Sequence[MeasuredProcess], url: str, seconds: float) -> Rest:
    """Looks on for so long."""
    asked, used = _transactions(url), sum(one.cpu_ms() for one in processes)
    await asyncio.sleep(seconds)
    used = sum(one.cpu_ms() for one in processes) - used
    asked = _transactions(url) - asked
    resident = sum(one.resident_mb() for one in processes)
    return Rest(used / seconds / 10, asked / seconds / len(processes), resident)


def _transactions(url: str) -> int:
    """Returns the transactions so far: at rest, each statement is one."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        return connection.execute(
            text(
                "SELECT xact_commit + xact_rollback FROM pg_stat_database"
                " WHERE datname = current_database()"
            )
        ).scalar_one()
