"""The cost of a call of a hook: until its 202, and with its run beside a turn by a message."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx

from benchmarks.figure import Figure, median
from benchmarks.process import MeasuredProcess
from benchmarks.scale import Scale
from benchmarks.stage import Stage, stage
from tests.ports import free_port
from tests.standins.bot_api import Person

_SECRET = "a-secret-of-the-benchmark"
_HOOK = """---
for: owner
secret: HOOK_BENCH_SECRET
daily: 10000
---

What time is it?
"""
_CALLS = 8
"""Calls of a wave; three waves stay within the bound of a minute."""

_WAVES = 3


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    port = free_port()
    settings = {"STEWARD_HOOKS_LISTEN": str(port), "HOOK_BENCH_SECRET": _SECRET}
    async with stage(folder) as on:
        [person] = on.people(1)
        hooks = folder / "data" / "hooks"
        await asyncio.to_thread(hooks.mkdir, parents=True)
        await asyncio.to_thread((hooks / "bench.md").write_text, _HOOK)
        async with (
            on.steward([person], settings) as process,
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client,
        ):
            await on.turn(person)
            turns: list[float] = []
            runs: list[float] = []
            delays: list[float] = []
            for _ in range(_WAVES):
                turns.append(await _turns(on, process, person))
                runs.append(await _runs(on, process, client, delays))
    yield Figure("A call of a hook: to its 202", median(delays), "ms")
    yield Figure("… processor time with its run", median(runs), "ms")
    yield Figure("… of a turn by a message, in turn with them", median(turns), "ms")
    beyond = median(runs) - median(turns)
    yield Figure("A call of a hook costs beyond a turn", beyond, "ms", aim="≤ 5 ms")


async def _turns(on: Stage, process: MeasuredProcess, person: Person) -> float:
    await process.at_rest()
    before = process.cpu_ms()
    for _ in range(_CALLS):
        await on.turn(person)
    await process.at_rest()
    return (process.cpu_ms() - before) / _CALLS


async def _runs(
    on: Stage, process: MeasuredProcess, client: httpx.AsyncClient, delays: list[float]
) -> float:
    await process.at_rest()
    before = process.cpu_ms()
    for _ in range(_CALLS):
        since, begun = len(on.bot_api.calls), time.monotonic()
        proof = {"authorization": f"Bearer {_SECRET}"}
        answer = await client.post("/hooks/bench", json={"number": 7}, headers=proof)
        delays.append((time.monotonic() - begun) * 1_000)
        answer.raise_for_status()
        await on.answers(1, since)
    await process.at_rest()
    return (process.cpu_ms() - before) / _CALLS
