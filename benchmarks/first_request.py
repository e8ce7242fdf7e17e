"""The size of the first request of a conversation, when the person has said little."""

from collections.abc import AsyncIterator
from pathlib import Path

from benchmarks.figure import Figure
from benchmarks.scale import Scale
from benchmarks.stage import stage
from tests.standins.messages_api.wire import size


async def measure(folder: Path, _: Scale) -> AsyncIterator[Figure]:
    async with stage(folder) as on:
        [person] = on.people(1)
        async with on.steward([person]):
            await on.turn(person)
    first = on.model.requests[0]
    fixed = sum(size(first.body[part]) for part in ("system", "tools"))
    yield Figure("First request: system and tools", fixed, "bytes", aim="≤ 20,000 bytes")
    yield Figure("First request in all", first.size, "bytes")
