"""The cost of one more draft of a growing answer, and of one more edit of it in a group.

The same answers are streamed in few pieces and in many, in the same time. So the turns differ by
their drafts or edits alone, each with the piece that it shows, and what the process does in any
second is in both. The bare SDKs show the same pieces of the same answers at the same time.

A group is shown an edit in five seconds. At that pace the other work of those seconds would drown
its cost, so for edits the program is started in a form that makes them as soon as it may.
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
    groups: bool
    module: str


_LEAST_LOOKS = 3
"""Pairs of few and many beyond the waves: the median of many is what counts."""

_DRAFTS = _Way("sendMessageDraft", 22, 4, 12, groups=False, module="bot")
_EDITS = _Way("editMessageText", 22, 4, 13, groups=True, module="benchmarks.quick_edits")
"""A private chat sees a draft a second, and in this program a group an edit."""


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    for thing, way in (("draft", _DRAFTS), ("edit in a group", _EDITS)):
        found = await _compared(folder / way.method, scale, way)
        name = f"One more {thing}: processor time"
        mine, bare_ones = zip(*found, strict=True)
        yield Figure(name, median(mine), _MS, median(bare_ones), _AIM)
        over = [one - floor_of for one, floor_of in found]
        yield Figure(f"… over them, half of {len(over)} looks lie within", _spread(over), _MS)


async def _compared(folder: Path, scale: Scale, way: _Way) -> Sequence[tuple[float, float]]:
    """Returns the processor time of one more call, of the program and of the bare SDKs, in ms.

    Both are looked at in the same seconds, and every other look takes many pieces before few.
    """
    async with AsyncExitStack() as stack:
        ours = await stack.enter_async_context(stage(folder / "steward", _growing))
        theirs = await stack.enter_async_context(stage(folder / "bare", _growing))
        people = ours.people(scale.drafting)
        steward = await stack.enter_async_context(ours.steward(people, module=way.module))
        bare = await stack.enter_async_context(
            started(["benchmarks.bare_drafts"], theirs.folder, theirs.access())
        )
        await theirs.polled(bare)
        place = _in_group if way.groups else _private
        places = [place(ours, person) for person in people]
        floor = [place(theirs, person) for person in theirs.people(scale.drafting)]
        benches = _Bench(ours, steward, places, way), _Bench(theirs, bare, floor, way)
        # The first turns of a process make what later ones use.
        await asyncio.gather(*(bench.turns(way.many) for bench in benches))
        found: list[tuple[float, float]] = []
        for look in range(_LEAST_LOOKS + scale.waves):
            mine, bare_one = await asyncio.gather(
                *(b.more(many_first=look % 2 == 1) for b in benches)
            )
            found.append((mine, bare_one))
        return found


@dataclass(frozen=True, slots=True)
class _Place:
    person: Person
    chat: Chat | None


def _spread(costs: Sequence[float]) -> float:
    """Returns the distance between the lower and the upper quartile."""
    low, _, high = statistics.quantiles(costs, n=4)
    return high - low


def _private(on: Stage, person: Person) -> _Place:
    del on
    return _Place(person, None)


def _in_group(on: Stage, person: Person) -> _Place:
    return _Place(person, on.bot_api.group("A team", person))


@dataclass(frozen=True, slots=True)
class _Bench:
    """A program, and the places in which people ask."""

    stage: Stage
    process: MeasuredProcess
    places: Sequence[_Place]
    way: _Way

    async def more(self, *, many_first: bool) -> float:
        """Returns the processor time of one more call of the method, in ms."""
        pieces = [self.way.few, self.way.many]
        looks = [await self.turns(n) for n in (reversed(pieces) if many_first else pieces)]
        (least, few), (most, many) = reversed(looks) if many_first else looks
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
