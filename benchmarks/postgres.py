"""A turn on PostgreSQL beside the same turn on SQLite: processor time of the program, wall time."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

from benchmarks.figure import Figure, median
from benchmarks.scale import Scale
from benchmarks.turn_cost import Contestant, opened
from tests.postgres_server import named_server, new_database

_WARM_TURNS = 5
"""Turns before the measured ones: statements are compiled, and prepared by the server."""


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
