"""The time from the start of the process to its first poll."""

from collections.abc import AsyncIterator
from pathlib import Path

from benchmarks.figure import Figure, median
from benchmarks.scale import Scale
from benchmarks.stage import Stage, stage


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    """Measures the program on a new and on a used database in alternation with the bare SDKs."""
    fresh, used, bare = list[float](), list[float](), list[float]()
    for number in range(scale.starts):
        async with stage(folder / f"steward{number}") as ours, stage(folder / "bare") as floor:
            fresh.append(await _steward(ours))
            bare.append(await _bare(floor))
            used.append(await _steward(ours))
    yield Figure("Start to the first poll", median(used), "s", median(bare), "≤ 1 s")
    yield Figure("… on a new database", median(fresh), "s", median(bare))


async def _steward(on: Stage) -> float:
    async with on.steward(on.people(1)) as process:
        seconds = await on.polled(process)
        await process.at_rest()
    return seconds


async def _bare(on: Stage) -> float:
    async with on.bare_bot() as process:
        return await on.polled(process)
