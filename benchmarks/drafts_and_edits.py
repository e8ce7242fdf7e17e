"""The cost of one more draft of a growing answer, and of one more edit of it in a group.

The same answers are streamed in few pieces and in many, in the same time. So the turns differ by
their drafts or edits alone, each with the piece that it shows, and what the process does in any
second is in both. The bare SDKs show the same pieces of the same answers at the same time.
"""

import asyncio
import re
import statistics
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figure import Figure, median
from benchmarks.process import MeasuredProcess, started
from benchmarks.scale import Scale
from benchmarks.scripted_model import ANSWER
from benchmarks.stage import Stage, stage
from tests.standins.bot_api import Chat, Person
from tests.standins.messages_api import ReceivedRequest, Reply, text

_OTHER_EVENTS = 5
"""Events of a stream that are no piece of the text, each with a pause before it."""

_WORDS = "The way is long, and there is something to see at each turn of it. " * 16
_WISH = re.compile(r"in (\d+) pieces within (\d+) s")
_NAME = "steward_bot"
_MS, _AIM = "ms", "≤ 1 ms over"


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to show an answer: `few` and `many` pieces of it come within the same seconds."""

    method: str
    seconds: int
    few: int
    many: int


_LEAST_LOOKS = 1
"""Pairs of few and many beyond the waves: a spread needs two."""

_DRAFTS = _Way("sendMessageDraft", 22, 4, 12)
_EDITS = _Way("editMessageText", 51, 2, 5)
"""A private chat sees a draft a second, a group an edit in five: pieces come more slowly."""


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    async with AsyncExitStack() as stack:
        ours = await stack.enter_async_context(stage(folder / "steward", _growing))
        theirs = await stack.enter_async_context(stage(folder / "bare", _growing))
        people = ours.people(scale.drafting)
        steward = await stack.enter_async_context(ours.steward(people))
        bare = await stack.enter_async_context(
            started(["benchmarks.bare_drafts"], theirs.folder, theirs.access())
        )
        await theirs.polled(bare)
        places = [_private(person) for person in people]
        floor = [_private(person) for person in theirs.people(scale.drafting)]
        for thing, way, groups in (("draft", _DRAFTS, False), ("edit in a group", _EDITS, True)):
            if groups:
                places = [_in_group(ours, place) for place in places]
                floor = [_in_group(theirs, place) for place in floor]
            benches = _Bench(ours, steward, places, way), _Bench(theirs, bare, floor, way)
            # The first turns of a process make what later ones use.
            await asyncio.gather(*(bench.turns(way.few) for bench in benches))
            found = [
                await asyncio.gather(*(bench.more() for bench in benches))
                for _ in range(_LEAST_LOOKS + scale.waves)
            ]
            name = f"One more {thing}: processor time"
            mine, bare_ones = zip(*found, strict=True)
            yield Figure(name, median(mine), _MS, median(bare_ones), _AIM)
            over = [one - floor_of for one, floor_of in found]
            yield Figure(f"… over them, half of {len(over)} looks lie within", _spread(over), _MS)


@dataclass(frozen=True, slots=True)
class _Place:
    person: Person
    chat: Chat | None


def _spread(costs: Sequence[float]) -> float:
    """Returns the distance between the lower and the upper quartile."""
    low, _, high = statistics.quantiles(costs, n=4)
    return high - low


def _private(person: Person) -> _Place:
    return _Place(person, None)


def _in_group(on: Stage, place: _Place) -> _Place:
    return _Place(place.person, on.bot_api.group("A team", place.person))


@dataclass(frozen=True, slots=True)
class _Bench:
    """A program, and the places in which people ask."""

    stage: Stage
    process: MeasuredProcess
    places: Sequence[_Place]
    way: _Way

    async def more(self) -> float:
        """Returns the processor time of one more call of the method, in ms."""
        least, few = await self.turns(self.way.few)
        most, many = await self.turns(self.way.many)
        if many <= few:
            raise ValueError(f"no more calls of {self.way.method}: {few}, {many}")
        return (most - least) / (many - few)

    async def turns(self, pieces: int) -> tuple[float, int]:
        """Returns the processor time of a turn in every place, in ms, and the calls they made."""
        await self.process.at_rest()
        before, since = self.process.cpu_ms(), len(self.stage.bot_api.calls)
        wish = f"@{_NAME} tell me in {pieces} pieces within {self.way.seconds} s"
        for place in self.places:
            self.stage.bot_api.say(place.person, wish, chat=place.chat)
            # Calls that come at once would find all they need in the processor's caches.
            await asyncio.sleep(1 / len(self.places))
        await self.stage.answers(len(self.places), since)
        await self.process.at_rest()
        calls = self.stage.bot_api.calls[since:]
        return self.process.cpu_ms() - before, sum(c.method == self.way.method for c in calls)


def _growing(request: ReceivedRequest) -> Reply:
    """Answers in as many pieces, and in as much time, as the last message wants."""
    wishes = _WISH.findall(str(request.body["messages"][-1]["content"]))
    answer = text(f"{_WORDS}{ANSWER}.")
    if not wishes:
        return answer
    pieces, seconds = map(int, wishes[-1])
    return answer.in_pieces(pieces, pause=seconds / (pieces + _OTHER_EVENTS))
