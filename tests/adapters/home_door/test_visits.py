"""Visits through the door: what is shown, what is confirmed, and who is sent away."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.home_door import visit as visits
from bot.adapters.home_door.caller import Caller, called
from bot.adapters.home_door.door import MOST_VISITORS, Door
from bot.adapters.home_door.frames import LARGEST_REQUEST, PROTOCOL
from bot.adapters.home_door.visit import Visit
from bot.domain.talk.errors import ChannelUnreachable, SettingError, StoreError
from bot.domain.talk.message import Address, Piece, Press, RawUpdate, Sign
from bot.domain.talk.person import Sender
from tests.adapters.home_door.screens import Screen
from tests.patience import PATIENCE

ANN = Sender("terminal", "ann", "Ann")
HERE = Address("terminal", "local")
HELLO = {"role": "chat", "version": "1.0"}
PIECE = Piece({"kind": "answer", "words": "Hello."})

Receive = Callable[[Visit], Awaitable[None]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    return home


@asynccontextmanager
async def opened(home: Path, receive: Receive, version: str = "1.0") -> AsyncIterator[None]:
    keeping = asyncio.create_task(Door(home, version, receive).keep_open())
    try:
        async with asyncio.timeout(PATIENCE):
            while not (home / "door").exists():
                await asyncio.sleep(0.01)
        yield
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping


async def unheard(text: str) -> None:
    raise AssertionError(text)


def welcomed(visit: Visit) -> None:
    visit.say({"do": "welcome", "address": HERE.key, "chat": HERE.chat})


async def visiting(home: Path) -> Caller:
    caller = await called(home, HELLO)
    assert caller is not None
    return caller


async def test_what_a_channel_shows_comes_to_the_visitor_in_its_order(home: Path) -> None:
    sent: list[str] = []

    async def receive(visit: Visit) -> None:
        welcomed(visit)
        reading = asyncio.create_task(exhausted(visit))
        await visit.sign(HERE, Sign.TYPING)
        await visit.draft(HERE, "Hel")
        sent.append(await visit.send(HERE, PIECE, once="row 1"))
        sent.append(await visit.send(HERE, PIECE, once="row 1"))
        await visit.edit(HERE, sent[0], None)
        await visit.acknowledge(Press(HERE, ANN, "", ""), "Done.", refused=True)
        await reading

    async with opened(home, receive):
        caller, screen = await visiting(home), Screen()
        attending = asyncio.create_task(caller.attend(screen, unheard))
        async with asyncio.timeout(PATIENCE):
            while len(screen.shown) < 5:
                screen.changed.clear()
                await screen.changed.wait()
        await caller.leave()
        await attending
    assert sent == ["m3", "m3"]
    assert screen.shown == [
        ("sign", Sign.TYPING),
        ("draft", "Hel"),
        ("send", "Hello."),
        ("edit", "m3"),
        ("acknowledge", "Done.", True, False),
    ]


async def test_an_update_is_confirmed_after_it_is_stored_and_a_fault_comes_back(home: Path) -> None:
    stored: list[str] = []

    async def receive(visit: Visit) -> None:
        welcomed(visit)
        async for frame in visit.frames():
            why = "the disk is full" if stored else ""
            stored.append(str(frame["key"]))
            visit.say({"do": "reply", "n": frame["n"], "why": why})

    async with opened(home, receive):
        caller = await visiting(home)
        attending = asyncio.create_task(caller.attend(Screen(), unheard))
        await caller.accept((RawUpdate("first", "{}"),))
        assert stored == ["first"]
        with pytest.raises(StoreError, match="the disk is full"):
            await caller.accept((RawUpdate("second", "{}"),))
        with pytest.raises(StoreError, match="too long"):
            await caller.accept((RawUpdate("third", "x" * LARGEST_REQUEST),))
        await caller.leave()
        await attending


async def test_a_request_that_an_end_cut_off_is_sent_again(home: Path) -> None:
    got: list[str] = []
    taken = asyncio.Event()

    async def fell_silent(visit: Visit) -> None:
        welcomed(visit)
        async for frame in visit.frames():
            got.append(str(frame["key"]))
            taken.set()

    async def answers(visit: Visit) -> None:
        assert visit.hello["chat"] == HERE.chat
        welcomed(visit)
        async for frame in visit.frames():
            got.append(str(frame["key"]))
            visit.say({"do": "reply", "n": frame["n"], "why": ""})

    told: list[str] = []

    async def hear(text: str) -> None:
        told.append(text)

    async with opened(home, fell_silent):
        caller = await visiting(home)
        attending = asyncio.create_task(caller.attend(Screen(), hear))
        accepting = asyncio.create_task(caller.accept((RawUpdate("key", "{}"),)))
        await taken.wait()
    async with opened(home, answers):
        await accepting
        await caller.leave()
        await attending
    assert got == ["key", "key"]
    assert told == [
        "Steward has ended. Waiting up to 20 seconds for its next start.",
        "Steward is running again.",
    ]


async def test_a_visitor_that_does_not_read_is_cut_off_and_holds_nobody_up(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visits, "CONFIRM_SECONDS", 0.2)
    faults: list[ChannelUnreachable] = []

    async def receive(visit: Visit) -> None:
        welcomed(visit)
        if visit.hello.get("name") == "slow":
            reading = asyncio.create_task(exhausted(visit))
            try:
                await visit.send(HERE, PIECE)
            except ChannelUnreachable as fault:
                faults.append(fault)
            # Its connection is over as well.
            await reading
            return
        async for frame in visit.frames():
            visit.say({"do": "reply", "n": frame["n"], "value": "still here"})

    async with opened(home, receive):
        slow = await called(home, {**HELLO, "name": "slow"})
        assert slow is not None
        other = await visiting(home)
        attending = asyncio.create_task(other.attend(Screen(), unheard))
        assert await other.ask("anything") == "still here"
        async with asyncio.timeout(PATIENCE):
            while not faults:
                await asyncio.sleep(0.01)
        assert faults[0].maybe_done
        slow.close()
        await other.leave()
        await attending


async def test_a_visitor_for_whom_too_much_waits_is_cut_off(home: Path) -> None:
    ended = asyncio.Event()

    async def receive(visit: Visit) -> None:
        welcomed(visit)
        for number in range(visits.MOST_FRAMES + 2):
            await visit.sign(HERE, Sign.TYPING, str(number))
        with pytest.raises(ChannelUnreachable):
            await visit.send(HERE, PIECE)
        ended.set()

    async with opened(home, receive):
        with suppress(SettingError, AssertionError):
            await visiting(home)
        async with asyncio.timeout(PATIENCE):
            await ended.wait()


@pytest.mark.parametrize(
    "hello",
    [
        {"do": "hello", "protocol": PROTOCOL, "version": "0.9"},
        {"do": "hello", "protocol": PROTOCOL + 1, "version": "1.0"},
        {"do": "update"},
    ],
    ids=["another version", "another protocol", "no hello"],
)
async def test_another_version_is_told_so_in_one_sentence(
    home: Path, hello: dict[str, Any]
) -> None:
    async with opened(home, unreceived):
        reader, writer = await asyncio.open_unix_connection(str(home / "door"))
        writer.write(json.dumps(hello).encode() + b"\n")
        told = json.loads(await reader.readline())
        writer.close()
    assert told["do"] == "no"
    assert told["why"].startswith("The running Steward is version 1.0")


async def test_a_caller_of_another_version_says_why_it_cannot_come_in(home: Path) -> None:
    async with opened(home, unreceived, version="2.0"):
        with pytest.raises(SettingError, match=r"is version 2\.0, and this .* 1\.0"):
            await called(home, HELLO)


async def test_there_is_a_bound_to_the_number_of_visitors(home: Path) -> None:
    async def receive(visit: Visit) -> None:
        welcomed(visit)
        await exhausted(visit)

    async with opened(home, receive):
        callers = [await visiting(home) for _ in range(MOST_VISITORS)]
        with pytest.raises(SettingError, match="Close one"):
            await called(home, HELLO)
        for caller in callers:
            caller.close()


async def test_nobody_is_called_where_nobody_listens(home: Path) -> None:
    assert await called(home, HELLO) is None


async def unreceived(visit: Visit) -> None:
    raise AssertionError("nobody of another version comes in")


async def exhausted(visit: Visit) -> None:
    async for _ in visit.frames():
        pass
