"""Measures processes that share one PostgreSQL by roles: rings, turns a second, and their rest."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from benchmarks.company import company, rest
from benchmarks.figure import Figure, median
from benchmarks.scale import Scale
from benchmarks.scripted_model import ANSWER
from benchmarks.stage import Stage, stage
from bot.adapters.sql.store import ServingProcess, open_store
from bot.ports.bell import Peal
from tests.postgres_server import named_server, new_database
from tests.standins.bot_api import Person
from tests.standins.messages_api import Gate, ReceivedRequest, Reply, text

_WORKERS = (1, 2, 4)
_MODEL_SECONDS = 1.0
_SETTLING_SECONDS = 5.0
_RINGS = 20
"""Rings for each of the presses of the scale."""


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    """Measures nothing where no server is named."""
    server = named_server()
    if server is None:
        return
    with new_database(server, durable=True) as url:
        rings = await _rings(url, scale.presses * _RINGS)
    yield Figure("A ring reaches another process", median(rings), "ms", aim="≤ 30 ms")
    yield Figure("… the slowest", max(rings), "ms")
    many = min(scale.chats, 40)
    for workers in _WORKERS:
        with new_database(server, durable=True) as url:
            rate, alone = await _rate(folder / f"work{workers}", url, workers, many)
        model = f"{many} chats at once, a model of {_MODEL_SECONDS:.0f} s, {workers} workers"
        yield Figure(f"{model}: turns a second", rate, aim=f"{many / _MODEL_SECONDS:.0f}: no cost")
        yield Figure("… the first question alone, beside the model", alone, "ms")
    with new_database(server, durable=True) as url:
        async with stage(folder / "rest", _slowly) as on:
            people = on.people(1)
            async with company(on, people, url, workers=2) as together:
                await on.turn(people[0])
                await asyncio.sleep(_SETTLING_SECONDS)
                four = await rest(together.processes, url, scale.rest_seconds)
    yield Figure("Four processes at rest: of a core", four.share, "%", aim="≤ 1 %")
    yield Figure("… statements a second of each", four.statements, aim="≤ 5")


async def _rings(url: str, times: int) -> list[float]:
    """Returns the milliseconds from each ring to the moment it is heard elsewhere."""
    by = ServingProcess()
    async with open_store(url, serving=by) as one, open_store(url, serving=by) as other:
        heard: asyncio.Queue[float] = asyncio.Queue()
        other.bell.hear(lambda _peal, _chat: heard.put_nowait(time.perf_counter()))
        while heard.empty():  # the other one may not listen yet
            one.bell.ring(Peal.WORK, 1)
            await asyncio.sleep(0.1)
        await asyncio.sleep(0.5)
        while not heard.empty():
            heard.get_nowait()
        took: list[float] = []
        for chat in range(times):
            begun = time.perf_counter()
            one.bell.ring(Peal.WORK, chat)
            took.append((await heard.get() - begun) * 1000)
        return took


def _slowly(_: ReceivedRequest) -> Reply:
    gate = Gate()
    asyncio.get_running_loop().call_later(_MODEL_SECONDS, gate.release)
    return text(ANSWER).held(gate)


async def _rate(folder: Path, url: str, workers: int, chats: int) -> tuple[float, float]:
    """Returns turns a second of chats that all ask at once, twice, and one turn's own time."""
    async with stage(folder, _slowly) as on:
        people = on.people(chats)
        async with company(on, people, url, workers):
            for _ in range(2):  # the libraries of the model are loaded, and statements prepared
                await _all_ask(on, people)
            alone = await on.turn(people[0]) - _MODEL_SECONDS * 1000
            took = [await _all_ask(on, people) for _ in range(3)]
            return chats / median(took), alone


async def _all_ask(on: Stage, people: Sequence[Person]) -> float:
    since, begun = len(on.bot_api.calls), time.monotonic()
    for person in people:
        on.bot_api.say(person, "What time is it?")
    await on.answers(len(people), since)
    return time.monotonic() - begun
