"""Measures how soon what people do reaches the process that works on their chat."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from benchmarks.company import company
from benchmarks.figure import Figure, median
from benchmarks.scale import Scale
from benchmarks.scripted_model import ANSWER
from benchmarks.stage import Stage, stage
from tests.postgres_server import named_server, new_database
from tests.standins.bot_api import Person, ShownMessage
from tests.standins.messages_api import Gate, ReceivedRequest, Reply, calls, text, tool
from tests.standins.messages_api.wire import content_blocks

_TIMES = 3
"""Looks for each of the presses of the scale."""

_HELD = "Take your time"
_AIM = "≤ 100 ms"


class _Model:
    """Asks for consent or holds its answer for ever; notes when a request has come."""

    def __init__(self) -> None:
        self.came: list[float] = []

    def __call__(self, request: ReceivedRequest) -> Reply:
        self.came.append(time.perf_counter())
        said = content_blocks(request.body["messages"][-1]["content"])
        if any(_HELD in str(block.get("text", "")) for block in said):
            return text("Never").held(Gate())
        if any(block["type"] == "tool_result" for block in said):
            return text(f"{ANSWER}.")
        note = {"path": f"{len(self.came)}.txt", "content": "A line.\n"}
        return calls(tool("write_file", note))


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    """Measures nothing where no server is named; the one that receives works on no chat."""
    server = named_server()
    if server is None:
        return
    model = _Model()
    with new_database(server, durable=True) as url:
        async with stage(folder, model) as on:
            [person] = on.people(1)
            async with company(on, [person], url, workers=2):
                times = range(scale.presses * _TIMES + 1)
                pressed = [await _press(on, person, model) for _ in times]
                waiting, stopped = zip(
                    *[await _stop(on, person, model) for _ in times], strict=True
                )
    yield Figure("A press to the next request to the model", median(pressed[1:]), "ms", aim=_AIM)
    yield Figure(
        "A message while an answer is made, to its sign", median(waiting[1:]), "ms", aim=_AIM
    )
    yield Figure("/stop all to the word that it stopped", median(stopped[1:]), "ms", aim=_AIM)


async def _press(on: Stage, person: Person, model: _Model) -> float:
    """Returns the milliseconds from the press of a card to the request that carries its result."""
    since = len(on.bot_api.calls)
    on.bot_api.say(person, "Write a note.")
    shown = await on.bot_api.wait_for(lambda: _open_card(on, person), seconds=60)
    assert shown is not None
    heard = len(model.came)
    begun = time.perf_counter()
    on.bot_api.press(person, *shown)
    await on.answers(1, since)
    return (model.came[heard] - begun) * 1000


async def _stop(on: Stage, person: Person, model: _Model) -> tuple[float, float]:
    """Returns the milliseconds of a further message to its sign, and of /stop to its answer."""
    heard = len(model.came)
    on.bot_api.say(person, _HELD)
    await _until(lambda: len(model.came) > heard)
    signs = len(on.bot_api.calls_of("setMessageReaction"))
    begun = time.perf_counter()
    on.bot_api.say(person, "And then?")
    await _until(lambda: len(on.bot_api.calls_of("setMessageReaction")) > signs)
    waiting = time.perf_counter() - begun
    told = _stops(on, person)
    begun = time.perf_counter()
    # What waits goes with it: it would be the next to be held.
    on.bot_api.say(person, "/stop all")
    await _until(lambda: _stops(on, person) > told)
    return waiting * 1000, (time.perf_counter() - begun) * 1000


def _open_card(on: Stage, person: Person) -> tuple[ShownMessage, str] | None:
    for one in on.bot_api.screen(person.id).from_bot:
        for label in one.labels:
            if label.endswith("Approve"):
                return one, label
    return None


def _stops(on: Stage, person: Person) -> int:
    return sum("Stopped" in one.text for one in on.bot_api.screen(person.id).from_bot)


async def _until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not done():
            await asyncio.sleep(0.001)
