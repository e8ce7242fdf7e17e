"""The start and the memory of a program whose index of meaning is loaded, beside one without."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.figure import Figure, median
from benchmarks.recall_turn import chroma_of, filled, meant
from benchmarks.scale import Scale
from benchmarks.stage import Stage, stage
from tests.standins.bot_api import Person
from tests.standins.embeddings import Embeddings, settings_for
from tests.standins.serving import serving

_LOADED_SECONDS = 60.0
_LOOK_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class _Start:
    """One start: seconds to the first poll, and megabytes held after an answer."""

    polled: float
    program: float
    chroma: float = 0.0


@dataclass(frozen=True, slots=True)
class _Place:
    stage: Stage
    person: Person
    settings: Mapping[str, str]

    async def start(self) -> _Start:
        async with self.stage.steward([self.person], self.settings) as process:
            polled = await self.stage.polled(process)
            index = None
            if self.settings:
                await _loaded(process.pid)
                index = chroma_of(process)
                await index.at_rest()
            await self.stage.turn(self.person)
            await process.at_rest()
            held = 0.0 if index is None else index.resident_mb()
            return _Start(polled, process.resident_mb(), held)


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    async with AsyncExitStack() as stack:
        embedder = await stack.enter_async_context(serving(Embeddings().app))
        by_meaning = settings_for(embedder)
        places = [
            await _place(await stack.enter_async_context(stage(folder / name)), settings, scale)
            for name, settings in (("words", {}), ("meaning", by_meaning))
        ]
        starts = [[await place.start() for place in places] for _ in range(scale.starts)]
    without, with_index = ([pair[n] for pair in starts] for n in range(2))
    polls = [median([one.polled for one in some]) for some in (with_index, without)]
    name = f"Start to the first poll, with {scale.answers:,} answers in an index of meaning"
    yield Figure(name, polls[0], "s", aim=f"≤ {polls[1] + 0.05:.2f} s: unchanged")
    yield Figure("… without one", polls[1], "s")
    program = median([b.program - a.program for a, b in zip(without, with_index, strict=True)])
    chroma = median([one.chroma for one in with_index])
    yield Figure("… more resident with it loaded", program + chroma, "MB", aim="≤ 120 MB")
    yield Figure("… of which in the program itself", program, "MB")


async def _place(on: Stage, settings: Mapping[str, str], scale: Scale) -> _Place:
    """Returns a place whose answers are in every index that its settings name."""
    [person] = on.people(1)
    async with on.steward([person]):
        await on.turn(person)
    database = on.folder / "data" / "steward.db"
    await filled(database, person, scale.answers)
    if settings:
        async with on.steward([person], settings):
            await meant(database)
    return _Place(on, person, settings)


async def _loaded(pid: int) -> None:
    """Waits until the process of Chroma is there."""
    async with asyncio.timeout(_LOADED_SECONDS):
        # Nobody tells when another process starts one.
        while not psutil.Process(pid).children(recursive=True):
            await asyncio.sleep(_LOOK_SECONDS)
