"""Many chats that write at the same moment."""

import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from benchmarks.figure import Figure, median
from benchmarks.scale import Scale
from benchmarks.stage import Stage, stage
from tests.standins.bot_api import Person


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    ours, bare = list[float](), list[float]()
    async with stage(folder / "steward") as on, stage(folder / "bare") as bare_on:
        people, bare_people = on.people(scale.chats), bare_on.people(scale.chats)
        async with on.steward(people) as process, bare_on.bare_bot() as bare_process:
            await on.turn(people[0])
            await bare_on.turn(bare_people[0])
            for _ in range(scale.waves):
                await process.at_rest()
                ours.append(await _wave(on, people))
                await bare_process.at_rest()
                bare.append(await _wave(bare_on, bare_people))
    name = f"{scale.chats} chats at once"
    yield Figure(name, median(ours), "turns/s", median(bare), "≥ 60 turns/s")


async def _wave(on: Stage, people: Sequence[Person]) -> float:
    """Lets all write at once; returns turns per second until the last one has its answer."""
    since, begun = len(on.bot_api.calls), time.time()
    for person in people:
        on.bot_api.say(person, "What time is it?")
    answers = await on.answers(len(people), since)
    return len(answers) / (answers[-1].at - begun)
