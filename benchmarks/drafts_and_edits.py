"""The cost of one more draft of a growing answer, and of one more edit of it in a group.

The same answer is streamed once quickly and once slowly: the slow turn differs by its drafts or
edits alone, and by the time in which the process does nothing else.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bare_edits import WARM_UP
from benchmarks.figure import Figure, median
from benchmarks.process import MeasuredProcess, started
from benchmarks.scale import Scale
from benchmarks.scripted_model import ANSWER
from benchmarks.stage import Stage, stage
from tests.standins.bot_api import Chat, Person
from tests.standins.messages_api import ReceivedRequest, Reply, text

_PIECES = 16
_QUICK, _SLOW, _SLOWER = "quickly", "slowly", "more slowly"
_PAUSES = {_QUICK: 0.45, _SLOW: 1.2, _SLOWER: 2.6}
"""Seconds between two pieces; a private chat sees a draft a second, a group an edit in five.

Even the quick turn takes longer than 5 s, so that every one of them has its reactions.
"""

_IDLE_SECONDS = 15.0
_BARE_TIMES = 10
_BARE_SECONDS = 120.0
_MS = "ms"


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    bare = await _bare(folder / "bare")
    async with stage(folder / "steward", _growing) as on:
        [person] = on.people(1)
        async with on.steward([person]) as process:
            group = on.bot_api.group("A team", person)
            await on.turn(person, "Hello")
            bench = _Bench(on, process, person)
            drafts, edits = list[float](), list[float]()
            for _ in range(scale.waves):
                drafts.append(await bench.more("sendMessageDraft", _SLOW))
                edits.append(await bench.more("editMessageText", _SLOWER, group))
    yield Figure("One more draft: processor time", median(drafts), _MS, bare["draft"], _AIM)
    yield Figure("One more edit in a group: processor time", median(edits), _MS, bare["edit"], _AIM)


_AIM = "≤ 1 ms over"


@dataclass(frozen=True, slots=True)
class _Bench:
    """The program with a person who asks."""

    stage: Stage
    process: MeasuredProcess
    person: Person

    async def more(self, method: str, slow: str, chat: Chat | None = None) -> float:
        """Returns the processor time of one more call of a method, in ms."""
        resting = await self._resting()
        least, few, short = await self._turn(method, _QUICK, chat)
        most, many, long = await self._turn(method, slow, chat)
        if many <= few:
            raise ValueError(f"the slow turn made no more calls of {method}: {few}, {many}")
        return (most - least - resting * (long - short)) / (many - few)

    async def _turn(self, method: str, how: str, chat: Chat | None) -> tuple[float, int, float]:
        """Returns the processor time of a turn in ms, its calls of the method, and its seconds."""
        await self.process.at_rest()
        loop, calls = asyncio.get_running_loop(), self.stage.bot_api.calls
        before, since, begun = self.process.cpu_ms(), len(calls), loop.time()
        self.stage.bot_api.say(self.person, f"@{_NAME} tell me {how}", chat=chat)
        await self.stage.answers(1, since)
        await self.process.at_rest()
        made = sum(call.method == method for call in calls[since:])
        return self.process.cpu_ms() - before, made, loop.time() - begun

    async def _resting(self) -> float:
        """Returns the processor time of a second in which nothing happens, in ms."""
        await self.process.at_rest()
        before = self.process.cpu_ms()
        await asyncio.sleep(_IDLE_SECONDS)
        return (self.process.cpu_ms() - before) / _IDLE_SECONDS


_NAME = "steward_bot"


def _growing(request: ReceivedRequest) -> Reply:
    """Answers in pieces, as quickly as the last message wants it."""
    asked = str(request.body["messages"][-1]["content"])
    pause = next((_PAUSES[how] for how in (_SLOWER, _SLOW, _QUICK) if how in asked), 0.0)
    words = "The way is long, and there is something to see at each turn of it. " * _PIECES
    return text(f"{words}{ANSWER}.").in_pieces(_PIECES, pause=pause)


async def _bare(folder: Path) -> dict[str, float]:
    """Returns the processor time of the bare SDK's calls, in ms."""
    async with stage(folder) as on:
        [person] = on.people(1)
        environment = on.access() | {"BARE_CHAT": str(person.id), "BARE_TIMES": str(_BARE_TIMES)}
        on.bot_api.say(person, "/start")
        async with started(["benchmarks.bare_edits"], on.folder, environment) as process:
            edits = WARM_UP + _BARE_TIMES
            await on.bot_api.wait_for(
                lambda: len(on.bot_api.calls_of("editMessageText")) >= edits, _BARE_SECONDS
            )
            await process.at_rest()
        return json.loads(await asyncio.to_thread((on.folder / "log").read_text))
