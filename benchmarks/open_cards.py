"""Ten thousand open cards: the memory they take, and the time of a press beside them."""

import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.card_copies import add_copies
from benchmarks.figure import Figure, median
from benchmarks.process import MeasuredProcess
from benchmarks.scale import Scale
from benchmarks.scripted_model import asking
from benchmarks.stage import Stage, stage
from tests.standins.bot_api import Person, Press, ShownMessage

_LOOKS_AFTER_START = 50
"""Looks that last half a second: some modules are loaded after the first poll."""


@dataclass(frozen=True, slots=True)
class _Life:
    """One start of the program: seconds to its first poll, and MB once it was at rest."""

    start: float
    resident: float


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    """Shows a few cards to people through the program; the others are copies of the first."""
    async with stage(folder, asking) as on:
        people = on.people(scale.presses + 2)
        async with on.steward(people) as process:
            for person in people:
                await _card(on, person)
            await process.at_rest()
        few = await _life(on, people[:1])
        await add_copies(f"sqlite:///{folder}/data/steward.db", scale.cards)
        async with on.steward(people) as process:
            many = await _look(on, process)
            told, answered = await _presses(on, process, people)
    cards = f"{scale.cards:,} open cards"
    yield Figure(f"{cards}: resident", many.resident, "MB", aim=f"≤ {few.resident + 20:.0f} MB")
    yield Figure("… without them", few.resident, "MB")
    yield Figure(f"{cards}: start to the first poll", many.start, "s", aim="≤ 2 s")
    yield Figure("… without them", few.start, "s")
    yield Figure(f"{cards}: a press to its acknowledgement", median(told), "ms", aim="≤ 50 ms")
    yield Figure(f"{cards}: a press to the turn's answer", median(answered), "ms")


async def _life(on: Stage, people: Sequence[Person]) -> _Life:
    async with on.steward(people) as process:
        return await _look(on, process)


async def _look(on: Stage, process: MeasuredProcess) -> _Life:
    start = await on.polled(process)
    await process.at_rest(_LOOKS_AFTER_START)
    return _Life(start, process.resident_mb())


async def _card(on: Stage, person: Person) -> None:
    on.bot_api.say(person, "Write a note.")
    await on.bot_api.wait_for(lambda: _shown(on, person), seconds=60)


async def _presses(
    on: Stage, process: MeasuredProcess, people: Sequence[Person]
) -> tuple[list[float], list[float]]:
    """Returns the milliseconds from each press to its acknowledgement and to its turn's answer.

    The first card is not pressed, because it is the copied one. The first press is a warm-up.
    """
    told, answered = list[float](), list[float]()
    for person in people[1:]:
        await process.at_rest()
        since, begun = len(on.bot_api.calls), time.time()
        press = _press(on, person)
        await on.bot_api.wait_for(lambda press=press: press.answer, seconds=60)
        told.append((time.time() - begun) * 1000)
        [answer] = await on.answers(1, since)
        answered.append((answer.at - begun) * 1000)
    return told[1:], answered[1:]


def _press(on: Stage, person: Person) -> Press:
    card = _shown(on, person)
    assert card is not None
    return on.bot_api.press(person, card, next(la for la in card.labels if "Approve" in la))


def _shown(on: Stage, person: Person) -> ShownMessage | None:
    messages = on.bot_api.screen(person.id).from_bot
    return next((message for message in messages if message.buttons), None)
