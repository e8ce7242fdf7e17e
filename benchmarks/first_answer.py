"""A person's wait: from a start to the first answer, and from a question to its answer.

Under the platform's real rates, with a message that came before the start.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from benchmarks.figure import Figure, median
from benchmarks.process import MeasuredProcess
from benchmarks.scale import Scale
from benchmarks.scripted_model import slow_rounds
from benchmarks.stage import REAL_RATES, Stage, stage
from tests.standins.bot_api import Person, Rates

_QUESTIONS = 3
_PAUSE_SECONDS = 3.0
"""Seconds between an answer and the next question, as of somebody who reads the answer."""

_TEXT = "What time is it?"


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    """Alternates with the bare SDKs, so that a busy moment of the machine affects both."""
    ours, bare, refused = list[_Waits](), list[_Waits](), 0
    for number in range(scale.starts):
        async with (
            stage(folder / f"steward{number}", slow_rounds, rates=Rates()) as on,
            stage(folder / f"bare{number}", slow_rounds, rates=Rates()) as floor,
        ):
            [person], [other] = on.people(1), floor.people(1)
            # The tables are there already, as at every start but the very first.
            async with on.steward([person]) as process:
                await process.at_rest()
            on.bot_api.say(person, _TEXT)
            async with on.steward([person], REAL_RATES) as process:
                ours.append(await _waits(on, process, person))
            floor.bot_api.say(other, _TEXT)
            async with floor.bare_bot() as bare_process:
                bare.append(await _waits(floor, bare_process, other))
            refused += on.bot_api.floods
    for at, name in enumerate(
        ("Start to the first answer", "A question to its answer, model of 0.8 s")
    ):
        mine, least = median(one[at] for one in ours), median(one[at] for one in bare)
        yield Figure(f"{name}, real rates", mine, "s", least, f"≤ {1.5 * least:.2f} s: 1.5 ×")
    yield Figure("… refused with a 429", refused, "messages", aim="0")


_Waits = tuple[float, float]


async def _waits(on: Stage, process: MeasuredProcess, person: Person) -> _Waits:
    """Returns the seconds to the first answer, and the median of some questions after it."""
    first = (await on.answers(1, 0))[0].at - process.started
    await process.at_rest()
    waits = list[float]()
    for _ in range(_QUESTIONS):
        await asyncio.sleep(_PAUSE_SECONDS)
        waits.append(await on.turn(person) / 1000)
    return first, median(waits)
