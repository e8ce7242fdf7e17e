"""A turn on PostgreSQL: what it costs the server, and the program beside a turn on SQLite."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import NullPool, create_engine, text

from benchmarks.figure import Figure, median
from benchmarks.scale import Scale
from benchmarks.turn_cost import Contestant, opened
from tests.postgres_server import named_server, new_database

_WARM_TURNS = 5
"""Turns before the measured ones: statements are compiled, and prepared by the server."""

_TELLING_SECONDS = 12.0
_COUNTS = text(
    "SELECT xact_commit + xact_rollback, pg_current_wal_lsn() - '0/0',"
    " pg_database_size(current_database()) FROM pg_stat_database"
    " WHERE datname = current_database()"
)


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    """Measures nothing where no server is named."""
    server = named_server()
    if server is None:
        return
    async with AsyncExitStack() as stack:
        url = stack.enter_context(new_database(server, durable=True))
        on = await stack.enter_async_context(opened(folder / "postgres", url))
        beside = await stack.enter_async_context(opened(folder / "sqlite"))
        for figure in await _compared(on, beside, scale.around * 2):
            yield figure
        for figure in await _cost_of_the_server(on, url, scale.around * 2):
            yield figure


async def _compared(on: Contestant, beside: Contestant, turns: int) -> tuple[Figure, ...]:
    """Alternates, so that a busy moment of the machine affects both."""
    for _ in range(_WARM_TURNS):
        await on.turn()
        await beside.turn()
    ours, theirs = list[tuple[float, float]](), list[tuple[float, float]]()
    for _ in range(turns):
        ours.append(await on.measured())
        theirs.append(await beside.measured())
    cpu, wall = (median(one[part] for one in ours) for part in (0, 1))
    cpu_beside, wall_beside = (median(one[part] for one in theirs) for part in (0, 1))
    return (
        Figure("A turn on PostgreSQL: processor time of the program", cpu, "ms"),
        Figure("… of the processor time on SQLite", cpu / cpu_beside, "×", aim="≤ 1.5 ×"),
        Figure("A turn on PostgreSQL: message to answer", wall, "ms"),
        Figure("… as long as on SQLite: message to answer", wall / wall_beside, "×"),
    )


@dataclass(frozen=True, slots=True)
class _Written:
    """The counts of a server from its start."""

    transactions: int
    log: int
    """Bytes of its write-ahead log."""
    size: int
    """Bytes of the database."""


async def _cost_of_the_server(on: Contestant, url: str, turns: int) -> tuple[Figure, ...]:
    """Looks at the server's own counts, which other work on it would spoil."""
    resting = await _written(url)
    before = await _written(url)
    for _ in range(turns):
        await on.turn()
    after = await _written(url)
    # Those of the wait alone are no turn's.
    alone = before.transactions - resting.transactions
    transactions = (after.transactions - before.transactions - alone) / turns
    return (
        Figure("… transactions of a turn", transactions),
        Figure("… written to the server's log by a turn", (after.log - before.log) / turns, "B"),
        Figure("… growth of the database by a turn", (after.size - before.size) / turns, "B"),
    )


async def _written(url: str) -> _Written:
    # A process of the server tells its counts when it has rested for ten seconds.
    await asyncio.sleep(_TELLING_SECONDS)
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        row = connection.execute(_COUNTS).one()
    return _Written(*map(int, row))
