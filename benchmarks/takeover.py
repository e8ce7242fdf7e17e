"""Measures when chats go on: after an outage of the database, and after the death of a process."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from benchmarks.figure import Figure, median
from benchmarks.process import MeasuredProcess, started
from benchmarks.scale import Scale
from benchmarks.scripted_model import ANSWER
from benchmarks.stage import Stage, stage
from tests.e2e.own_server import OwnServer, own_server
from tests.ports import free_port
from tests.standins.bot_api import Person
from tests.standins.messages_api import Gate, ReceivedRequest, Reply, text

_CHATS = 12
_AWAY_SECONDS = 5.0
_ORIGIN = "https://bot.example.org"
_LONGEST = 60.0
_HOLDS = "this process is the one for: "


class _Model:
    """Answers at once, but holds its first answers for ever; `heard` counts the requests."""

    def __init__(self, held: int = 0) -> None:
        self._held = held
        self.heard = 0

    def __call__(self, _: ReceivedRequest) -> Reply:
        self.heard += 1
        return text(ANSWER).held(Gate()) if self.heard <= self._held else text(ANSWER)


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    """Measures nothing where PostgreSQL is not installed."""
    times = range(scale.presses)
    with own_server() as server:
        back = [await _outage(folder / f"outage{n}", server) for n in times]
        away = f"{_CHATS} chats wait for PostgreSQL, away for {_AWAY_SECONDS:.0f} s"
        yield Figure(f"{away}: the first goes on", median(first for first, _ in back), "s")
        yield Figure("… the last goes on", median(last for _, last in back), "s", aim="≤ 2 s")
        yield Figure("… the last, in the slowest try", max(last for _, last in back), "s")
        died = [await _turns(folder / f"turns{n}", server) for n in times]
        dies = f"A process dies with {_CHATS} turns: all are answered by another one"
        yield Figure(dies, median(died), "s", aim="≤ 5 s")
        yield Figure("… in the slowest try", max(died), "s")
        unsent = [await _answers(folder / f"answers{n}", server) for n in times]
        yield Figure("… before it sends an answer: it is sent", median(unsent), "s", aim="≤ 5 s")
        yield Figure("… in the slowest try", max(unsent), "s")
        posts = [await _posts(folder / f"posts{n}", server) for n in times]
        polled, all_taken = zip(*posts, strict=True)
        yield Figure("… that polls: another one does", median(polled), "s", aim="≤ 5 s")
        yield Figure("… in the slowest try", max(polled), "s")
        rest = "… with what is needed once (poll, delivery, all that is due): another one has it"
        yield Figure(rest, median(all_taken), "s", aim="≤ 5 s")
        yield Figure("… in the slowest try", max(all_taken), "s")


def _new(server: OwnServer) -> str:
    """Returns the address of an empty database."""
    server.ask("DROP DATABASE IF EXISTS steward WITH (FORCE)", database="postgres")
    server.ask("CREATE DATABASE steward", database="postgres")
    return server.url


async def _outage(folder: Path, server: OwnServer) -> tuple[float, float]:
    """Returns the seconds from the server's return to the first and the last answer."""
    model = _Model()
    async with stage(folder, model) as on:
        people = on.people(_CHATS)
        async with on.steward(people, {"STEWARD_DATABASE_URL": _new(server)}):
            for person in people:
                await on.turn(person)
            await server.stop()
            since, heard = len(on.bot_api.calls), model.heard
            for person in people:
                on.bot_api.say(person, "Still there?")
            await asyncio.sleep(_AWAY_SECONDS)
            await server.start()
            began = time.monotonic()
            first = await _seconds(began, lambda: model.heard > heard)
            await on.answers(_CHATS, since)
            return first, time.monotonic() - began


async def _turns(folder: Path, server: OwnServer) -> float:
    model = _Model(held=_CHATS)
    async with stage(folder, model) as on, AsyncExitStack() as stack:
        people = on.people(_CHATS)
        dying = await _two(on, people, _new(server), stack)
        for person in people:
            on.bot_api.say(person, "Look after it")
        await _seconds(0, lambda: model.heard >= _CHATS)
        return await _after_death(on, dying, people)


async def _answers(folder: Path, server: OwnServer) -> float:
    async with stage(folder, _Model()) as on, AsyncExitStack() as stack:
        people = on.people(1)
        dying = await _two(on, people, _new(server), stack)
        gate = on.bot_api.hold("sendMessage")
        on.bot_api.say(people[0], "Look after it")
        await gate.arrived()
        return await _after_death(on, dying, people)


async def _posts(folder: Path, server: OwnServer) -> tuple[float, float]:
    """Returns the seconds from the death of a process to another one's poll, and to all it had."""
    async with stage(folder, _Model()) as on, AsyncExitStack() as stack:
        people = on.people(1)
        settings = {
            "STEWARD_DATABASE_URL": _new(server),
            "STEWARD_OWNERS": f"telegram:{people[0].id}",
            "STEWARD_TIMEZONE": "UTC",
        }
        log = on.folder / "log"
        running: list[MeasuredProcess] = []
        for n in range(2):
            home = on.access() | settings | {"STEWARD_HOME": f"data{n}"}
            running.append(
                await stack.enter_async_context(started(["bot", "run"], on.folder, home))
            )
            await on.turn(people[0])
        # The second one stands by, by then.
        await asyncio.sleep(4)
        polls, held = len(on.bot_api.calls_of("getUpdates")), log.read_text().count(_HOLDS)
        began = time.monotonic()
        os.kill(running[0].pid, signal.SIGKILL)
        polled = await _seconds(began, lambda: len(on.bot_api.calls_of("getUpdates")) > polls)
        taken = await _seconds(began, lambda: log.read_text().count(_HOLDS) >= 2 * held)
        await on.turn(people[0])
        return polled, taken


async def _two(
    on: Stage, people: Sequence[Person], url: str, stack: AsyncExitStack
) -> MeasuredProcess:
    """Starts two processes; returns the one that Telegram calls."""
    owners = ",".join(f"telegram:{person.id}" for person in people)
    process = None
    for n in range(2):
        port = free_port()
        settings = {
            "STEWARD_DATABASE_URL": url,
            "STEWARD_HOME": f"data{n}",
            "STEWARD_OWNERS": owners,
            "STEWARD_SEND_RATES": "off",
            "STEWARD_TIMEZONE": "UTC",
            "STEWARD_WEBHOOK_PORT": str(port),
            "TELEGRAM_WEBHOOK_URL": f"{_ORIGIN}/hook",
            "TELEGRAM_WEBHOOK_SECRET": "a-secret-that-both-of-them-know",
        }
        on.bot_api.route(_ORIGIN, f"http://127.0.0.1:{port}")
        process = await stack.enter_async_context(
            started(["bot", "run"], on.folder, on.access() | settings)
        )
        await on.bot_api.wait_for(lambda n=n: len(on.bot_api.calls_of("setWebhook")) > n, _LONGEST)
    assert process is not None
    # Both have looked for others by then.
    await asyncio.sleep(4)
    return process


async def _after_death(on: Stage, dying: MeasuredProcess, people: Sequence[Person]) -> float:
    """Returns the seconds from the death of a process to the last answer."""
    os.kill(dying.pid, signal.SIGKILL)
    return await _seconds(time.monotonic(), lambda: all(_answered(on, one) for one in people))


async def _seconds(began: float, done: Callable[[], bool]) -> float:
    while not done():  # nobody tells when the stand-ins have heard something
        await asyncio.sleep(0.01)
    return time.monotonic() - began


def _answered(on: Stage, person: Person) -> bool:
    return any(ANSWER in message.text for message in on.bot_api.screen(person.id).from_bot)
