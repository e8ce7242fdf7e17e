"""Processes that share one PostgreSQL by roles, and what they cost while nothing happens."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import count

from sqlalchemy import NullPool, create_engine, text

from benchmarks.process import MeasuredProcess, started
from benchmarks.stage import Stage
from tests.standins.bot_api import Person

_WARM_SECONDS = 5.0


class Company:
    """The processes: first the one that receives, then those that work, then one for the rest."""

    def __init__(
        self, on: Stage, people: Sequence[Person], url: str, stack: AsyncExitStack
    ) -> None:
        self.processes: list[MeasuredProcess] = []
        self._on = on
        self._stack = stack
        self._url = url
        self._homes = count()
        self._settings = {
            "STEWARD_DATABASE_URL": url,
            "STEWARD_OWNERS": ",".join(f"telegram:{person.id}" for person in people),
            "STEWARD_SEND_RATES": "off",
            "STEWARD_TIMEZONE": "UTC",
        }

    async def join(self, *roles: str) -> MeasuredProcess:
        """Starts one process more."""
        settings = self._settings | {
            "STEWARD_HOME": f"data{next(self._homes)}",
            "STEWARD_ROLE": ",".join(roles),
        }
        environment = self._on.access() | settings
        return await self._stack.enter_async_context(
            started(["bot", "run"], self._on.folder, environment)
        )

    async def instead(self, dead: MeasuredProcess) -> None:
        """Starts a worker in the place of a dead one, and waits until it serves."""
        place = self.processes.index(dead)
        await _there(self._url, len(self.processes) - 1)
        self.processes[place] = await self.join("work")
        await _there(self._url, len(self.processes))


@asynccontextmanager
async def company(
    on: Stage, people: Sequence[Person], url: str, workers: int
) -> AsyncGenerator[Company]:
    """Runs a process that receives, those that work, and one for all the rest."""
    async with AsyncExitStack() as stack:
        all_of_them = Company(on, people, url, stack)
        for roles in (("receive",), *[("work",)] * workers, ("deliver", "schedule")):
            all_of_them.processes.append(await all_of_them.join(*roles))
        await on.polled(all_of_them.processes[0])
        await _there(url, len(all_of_them.processes))
        await asyncio.sleep(_WARM_SECONDS)
        yield all_of_them


async def _there(url: str, processes: int) -> None:
    """Waits until just so many listen to the bell."""
    engine = create_engine(url, poolclass=NullPool)
    there = -1
    while there != processes:
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
    """The cost of processes while nothing happens.

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
