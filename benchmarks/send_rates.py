"""Many chats' answers under the platform's real rates, with a stand-in that counts."""

import time
from collections.abc import AsyncIterator
from pathlib import Path

from benchmarks.figure import Figure
from benchmarks.scale import Scale
from benchmarks.stage import REAL_RATES, Stage, stage
from tests.standins.bot_api import Rates


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    async with stage(folder, rates=Rates()) as on:
        seconds = await _wave(on, scale.limited_chats)
        refused = sum(call.status == 429 for call in on.bot_api.calls)
    name = f"{scale.limited_chats} chats' answers under the real rates"
    yield Figure(f"{name}: refused with a 429", refused, "messages", aim="0")
    least = (scale.limited_chats - 1) // Rates().all_per_second
    yield Figure("… to the last answer", seconds, "s", aim=f"≥ {least} s by the rates")


async def _wave(on: Stage, chats: int) -> float:
    """Lets all write at once; returns the seconds until the last one has its answer."""
    people = on.people(chats)
    async with on.steward(people, REAL_RATES) as process:
        await process.at_rest()
        since, begun = len(on.bot_api.calls), time.time()
        for person in people:
            on.bot_api.say(person, "What time is it?")
        answers = await on.answers(chats, since)
    return answers[-1].at - begun
