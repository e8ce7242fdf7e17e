"""The share of the model's input that comes from its cache, by the strict stand-in's account."""

from collections.abc import AsyncIterator
from pathlib import Path

from benchmarks.figure import Figure
from benchmarks.scale import Scale
from benchmarks.stage import stage

_TURNS = 12
_MESSAGE = "Tell me the time, and mind what I wrote before. ".ljust(2_000, "x")


async def measure(folder: Path, _: Scale) -> AsyncIterator[Figure]:
    async with stage(folder, strict=True) as on:
        [person] = on.people(1)
        async with on.steward([person]):
            for _turn in range(_TURNS):
                await on.turn(person, _MESSAGE)
    if on.model.refusals:
        raise RuntimeError(f"the model refused a request: {on.model.refusals[0]}")
    share = on.model.usage_totals.cached_share * 100
    name = f"Input from the cache: {_TURNS} turns with a tool, 2 kB messages"
    yield Figure(name, share, "%", aim="≥ 90 %")
