"""Answers that take long to judge: nobody else waits for one, whatever a server sends."""

import asyncio
import time
from collections.abc import Awaitable
from typing import TypeVar

import httpx2
import pytest

from bot.adapters.mcp.child import LONGEST_LINE
from bot.adapters.mcp.http_client import TooLong, WatchedClient
from bot.adapters.mcp.weight import MOST_VALUES, is_too_heavy
from bot.domain.talk.errors import ToolFailure
from tests.adapters.mcp.conftest import Make

T = TypeVar("T")

_LONGEST = 0.5
"""Seconds: more than a busy machine needs for the work, and far less than it took once."""


async def _undisturbed(work: Awaitable[T]) -> tuple[T, float]:
    """Returns what came of it, and the longest time in which the loop did nothing else."""
    longest, task = 0.0, asyncio.ensure_future(work)
    while not task.done():
        before = time.thread_time()
        # The time of this thread alone: a busy machine does not count.
        await asyncio.sleep(0)
        longest = max(longest, time.thread_time() - before)
    return await task, longest


async def test_an_answer_of_very_many_parts_holds_nobody_up(bench: Make) -> None:
    one = bench("--heavy")
    tools = await one.tools()
    assert set(tools) == {
        f"nasty__{name}" for name in ("parts", "badly", "nested", "values", "said")
    }
    told, held = await _undisturbed(one.run("parts"))
    assert told.text.endswith("[11700 more parts, left out]")
    assert held < _LONGEST


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("badly", "not what the protocol allows"),
        ("nested", "more than 500 parts"),
        ("values", f"more than {MOST_VALUES} values"),
    ],
)
async def test_a_bad_answer_of_many_parts_is_refused_soon(bench: Make, name: str, why: str) -> None:
    one = bench("--heavy")
    await one.tools()

    async def refused() -> str:
        with pytest.raises(ToolFailure) as fault:
            await one.run(name)
        return str(fault.value)

    told, held = await _undisturbed(refused())
    assert why in told
    assert held < _LONGEST


async def test_an_answer_that_says_things_twice_is_judged_beside_the_loop(bench: Make) -> None:
    one = bench("--heavy")
    await one.tools()
    told, held = await _undisturbed(one.run("said"))
    assert "4998" in told.text
    assert held < 0.2


def test_a_long_text_is_not_heavy_and_many_small_values_are() -> None:
    assert not is_too_heavy(b'{"text":"' + b'{\\"a\\": [1, 2]}, ' * 150_000 + b'"}')
    assert not is_too_heavy(b"[" + b"1," * MOST_VALUES + b"1]")
    assert is_too_heavy(b"[" + b"[]," * 200_000 + b"1]")
    assert is_too_heavy(b"[" + b'"",' * 200_000 + b"1]")
    assert is_too_heavy(b"[" + b'"\\\\",' * 200_000 + b"1]")


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
async def test_what_comes_by_http_is_judged_before_it_is_parsed(kind: str) -> None:
    async def heavy() -> httpx2.Response:
        body = b"data: [" + b"[]," * 200_000 + b"1]\n\n"
        chunks = [body[at : at + 10_000] for at in range(0, len(body), 10_000)]

        async def sent():
            for chunk in chunks:
                yield chunk

        return httpx2.Response(200, headers={"content-type": kind}, content=sent())

    async def answered(_: httpx2.Request) -> httpx2.Response:
        return await heavy()

    async with WatchedClient(transport=httpx2.MockTransport(answered)) as client:
        with pytest.raises(TooLong):
            await client.get("http://127.0.0.1/")


async def test_an_answer_in_tiny_pieces_counts_as_what_it_costs_and_lets_others_go_on() -> None:
    turns = 0

    async def sent():
        for _ in range(LONGEST_LINE // 10):
            yield b" "

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    def answered(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "application/json"}, content=sent())

    beside = asyncio.create_task(others())
    async with WatchedClient(transport=httpx2.MockTransport(answered)) as client:
        with pytest.raises(TooLong):
            await client.get("http://127.0.0.1/")
    beside.cancel()
    assert turns > 100


async def test_events_come_as_soon_as_they_are_whole() -> None:
    more = asyncio.Event()

    async def sent():
        yield b"data: 1\n"
        yield b"\ndata: 2"
        await more.wait()
        yield b"\n\n"

    def answered(_: httpx2.Request) -> httpx2.Response:
        kind = {"content-type": "text/event-stream"}
        return httpx2.Response(200, headers=kind, content=sent())

    async with (
        WatchedClient(transport=httpx2.MockTransport(answered)) as client,
        client.stream("GET", "http://127.0.0.1/") as response,
    ):
        chunks = response.aiter_bytes()
        assert await anext(chunks) == b"data: 1\n\ndata: 2"
        more.set()
        assert await anext(chunks) == b"\n\n"
