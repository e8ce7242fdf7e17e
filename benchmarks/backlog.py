"""Updates that wait at the start: the time until all are stored and answered, and the memory."""

import time
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figure import Figure
from benchmarks.process import MeasuredProcess
from benchmarks.scale import Scale
from benchmarks.scripted_model import naming, numbers
from benchmarks.stage import Stage, stage
from tests.standins.bot_api import Person

_MESSAGES_EACH = 10
_ONE_OF = 10
"""One of this many updates is a message to answer; the others are talk in groups."""

_GROUPS = 20
_LONGEST_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class _Life:
    """Seconds from the start of the program until all was stored, and until all was answered."""

    kept: float
    answered: float
    peak: float


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    """Sends ten messages from each private chat, in between talk in groups."""
    many = await _life(folder / "many", scale.backlog)
    few = await _life(folder / "few", scale.backlog // 10)
    name = f"{scale.backlog:,} waiting updates"
    yield Figure(f"{name}: start to all kept and confirmed", many.kept, "s", aim="≤ 20 s")
    answers = f"{scale.backlog // _ONE_OF:,}"
    yield Figure(f"… to the last of {answers} answers, in order", many.answered, "s")
    yield Figure(f"{name}: most memory held", many.peak, "MB", aim=f"≤ {few.peak + 20:.0f} MB")
    yield Figure("… with a tenth of them", few.peak, "MB")


async def _life(folder: Path, updates: int) -> _Life:
    async with stage(folder, naming) as on:
        messages = updates // _ONE_OF
        people = on.people(max(messages // _MESSAGES_EACH, 1))
        # Creating a database is a figure of its own, so it is done before.
        async with on.steward(people):
            pass
        _fill(on, people, updates)
        async with on.steward(people) as process:
            return await _emptied(on, process, messages)


def _fill(on: Stage, people: Sequence[Person], updates: int) -> None:
    api = on.bot_api
    talkers = on.people(50)
    groups = [api.group(f"Village {number}", *talkers) for number in range(_GROUPS)]
    messages = 0
    for number in range(updates):
        if number % _ONE_OF == 0:
            api.say(people[messages % len(people)], f"What of #{messages}?")
            messages += 1
        else:
            talker, group = talkers[number % len(talkers)], groups[number % _GROUPS]
            api.say(talker, f"Who has seen my hat, the one with a feather? {number}", chat=group)


async def _emptied(on: Stage, process: MeasuredProcess, messages: int) -> _Life:
    api = on.bot_api
    await api.wait_for(lambda: not api.updates.pending, _LONGEST_SECONDS)
    kept = time.time() - process.started
    answered = defaultdict[int, list[int]](list)
    seen = 0

    def all_answered() -> bool:
        nonlocal seen
        for call in api.calls[seen:]:
            if call.method == "sendMessage":
                answered[int(call.params["chat_id"])] += numbers(str(call.params["text"]))
        seen = len(api.calls)
        return sum(map(len, answered.values())) >= messages

    await api.wait_for(all_answered, _LONGEST_SECONDS)
    ended = time.time() - process.started
    await process.at_rest()
    _check(list(answered.values()))
    return _Life(kept, ended, process.peak_mb())


def _check(answered: Sequence[Sequence[int]]) -> None:
    if any(list(of_chat) != sorted(set(of_chat)) for of_chat in answered):
        raise RuntimeError("a message was answered twice, or before one that came earlier")
