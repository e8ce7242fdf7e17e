"""Compares three real workers with simulated ones, and simulates a thousand."""

import asyncio
import os
import random
import signal
import statistics
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import psutil
from sqlalchemy import NullPool, create_engine, text

from benchmarks.company import Company, company
from benchmarks.figure import Figure
from benchmarks.scale import Scale
from benchmarks.scripted_model import naming, numbers
from benchmarks.simulation import Death, Message, Outcome, Setup, poisson, simulated
from benchmarks.stage import Stage, stage
from tests.postgres_server import named_server, new_database
from tests.standins.bot_api import Person
from tests.standins.messages_api import Gate, ReceivedRequest, Reply

_WORKERS = 3
_CHATS = 60
_TURNS = 3.0
"""Messages a second."""

_MODEL_SECONDS = 1.0
_DEATH_EVERY = 5.0
_SEED = 7
_ATTEMPTS = 2_000

_MANY = (10, 100, 1_000)
_TURNS_A_WORKER = 1.16
"""Turns a second of each: a thousand workers serve the busy hour of a million chats."""

_CHATS_A_WORKER = 1_000
_WORKERS_A_MACHINE = 10
_CORES = 8
_SERVER_CORES = 32
_RATE = 30.0
_DEATHS_AN_HOUR = 1.0


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    """Measures nothing where no server is named."""
    server = named_server()
    if server is None:
        return
    chance = random.Random(_SEED)
    with new_database(server, durable=True) as url:
        refusing = _refusing(url)
        async with stage(folder, _model) as on:
            people = on.people(_CHATS)
            async with company(on, people, url, _WORKERS) as real:
                await _talk(on, people, poisson(_TURNS, _CHATS, 10, chance), real)
                # Alone, a turn shows what it costs; then the same company dies again and again.
                calm = poisson(_TURNS / 3, _CHATS, scale.storm_seconds, chance)
                setup = await _measured(on, people, calm, real, refusing)
                written = poisson(_TURNS, _CHATS, scale.storm_seconds, chance)
                times = range(1, int(scale.storm_seconds / _DEATH_EVERY))
                deaths = [Death(n * _DEATH_EVERY, n % _WORKERS) for n in times]
                waits, away = await _talk(on, people, written, real, deaths, first=20_000)
                starting = real.processes[1].cpu_ms() / 1000
    dying = replace(setup, away=away, starting=min(starting, away))
    outcome = simulated(dying, written, deaths, chance)
    name = f"{_WORKERS} workers, {_TURNS:.0f} turns a second, one dies every {_DEATH_EVERY:.0f} s"
    for part, of in (("half", 0.5), ("90 of 100", 0.9)):
        yield Figure(f"{name}: {part} wait less than", _share(waits, of) * 1000, "ms")
        yield Figure("… simulated", _share(outcome.waits, of) * 1000, "ms")
    for workers in _MANY:
        many = _many(setup, workers, scale.storm_seconds, chance)
        name = f"{workers:,} simulated workers, {workers * _TURNS_A_WORKER:,.0f} turns a second"
        yield Figure(f"{name}: half wait less than", _share(many.waits, 0.5) * 1000, "ms")
        yield Figure("… 99 of 100", _share(many.waits, 0.99) * 1000, "ms")
        yield Figure("… cores of the database", many.served / many.seconds)


def _many(setup: Setup, workers: int, seconds: float, chance: random.Random) -> Outcome:
    """Simulates workers on machines of their own, and bots for so many answers."""
    turns = workers * _TURNS_A_WORKER
    large = replace(
        setup,
        workers=workers,
        machines=max(1, workers // _WORKERS_A_MACHINE),
        cores=_CORES,
        server_cores=_SERVER_CORES,
        bots=max(1, round(turns / _RATE * 1.5)),
        rate=_RATE,
        # Each bot has processes of its own that receive and deliver.
        receiving=0.0,
        delivering=0.0,
    )
    dying = poisson(workers * _DEATHS_AN_HOUR / 3600, workers, seconds, chance)
    deaths = [Death(at, worker) for at, worker in dying]
    messages = poisson(turns, workers * _CHATS_A_WORKER, seconds, chance)
    return simulated(large, messages, deaths, chance)


def _model(request: ReceivedRequest) -> Reply:
    gate = Gate()
    asyncio.get_running_loop().call_later(_MODEL_SECONDS, gate.release)
    return naming(request).held(gate)


async def _measured(
    on: Stage, people: Sequence[Person], calm: Sequence[Message], real: Company, refusing: float
) -> Setup:
    """Returns the costs of a turn, as they are while nobody dies."""
    before = [one.cpu_ms() for one in real.processes]
    here, server = time.process_time(), _server_seconds()
    await _talk(on, people, calm, real, first=10_000)
    used = [one.cpu_ms() - was for one, was in zip(real.processes, before, strict=True)]
    beside = (time.process_time() - here) / len(calm)
    own = [cost / 1000 / len(calm) for cost in used]
    return Setup(
        workers=_WORKERS,
        machines=1,
        cores=os.cpu_count() or 1,
        server_cores=0,
        bots=1,
        rate=0.0,
        thinking=_MODEL_SECONDS,
        # The stand-ins take their part while they are asked: half of it on each side.
        receiving=own[0] + beside / 2,
        working=sum(own[1:-1]),
        delivering=own[-1] + beside / 2,
        serving=(_server_seconds() - server) / len(calm),
        refusing=refusing,
        ring=0.001,
        look=1.5,
        away=0.0,
    )


async def _talk(
    on: Stage,
    people: Sequence[Person],
    written: Sequence[Message],
    real: Company,
    deaths: Sequence[Death] = (),
    first: int = 1,
) -> tuple[list[float], float]:
    """Returns the waits of all messages, and the seconds a dead worker was away."""
    since, begun = len(on.bot_api.calls), time.time()
    written_at = dict[int, float]()
    away = list[float]()

    async def write() -> None:
        for number, message in enumerate(written, start=first):
            await asyncio.sleep(max(0.0, begun + message.at - time.time()))
            written_at[number] = time.time()
            on.bot_api.say(people[message.chat], f"What is this? #{number}")

    async def die() -> None:
        for death in deaths:
            await asyncio.sleep(max(0.0, begun + death.at - time.time()))
            dying, died = real.processes[1 + death.worker], time.time()
            os.kill(dying.pid, signal.SIGKILL)
            await real.instead(dying)
            away.append(time.time() - died)

    async with asyncio.TaskGroup() as group:
        group.create_task(write())
        group.create_task(die())
    answered = dict[int, float]()

    def all_answered() -> bool:
        for call in on.bot_api.calls[since:]:
            if call.method == "sendMessage":
                for number in numbers(str(call.params.get("text", ""))):
                    answered.setdefault(number, call.at)
        return len(answered) == len(written)

    await on.bot_api.wait_for(all_answered, seconds=120)
    waits = [answered[one] - at - _MODEL_SECONDS for one, at in written_at.items()]
    return waits, statistics.mean(away) if away else 0.0


def _refusing(url: str) -> float:
    """Returns the server's seconds for one attempt at a lock that another one has."""
    engine = create_engine(url, poolclass=NullPool)
    attempt = text("SELECT pg_try_advisory_lock(1)")
    with engine.connect() as owner, engine.connect() as late:
        owner.execute(attempt)
        backend = late.execute(text("SELECT pg_backend_pid()")).scalar_one()
        late.execute(attempt)
        before = _seconds_of(backend)
        for _ in range(_ATTEMPTS):
            late.execute(attempt)
        return (_seconds_of(backend) - before) / _ATTEMPTS


def _server_seconds() -> float:
    """Returns the processor time of all processes of the server that are there now."""
    return sum(
        sum(one.info["cpu_times"][:2])
        for one in psutil.process_iter(["name", "cpu_times"])
        if one.info["name"] == "postgres" and one.info["cpu_times"]
    )


def _seconds_of(pid: int) -> float:
    return sum(psutil.Process(pid).cpu_times()[:2])


def _share(waits: Sequence[float], share: float) -> float:
    return sorted(waits)[min(len(waits) - 1, int(len(waits) * share))]
