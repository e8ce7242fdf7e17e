"""The cost of the page: a turn beside Telegram, its first word, idle pages, and a start with it."""

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from benchmarks.figure import Figure, median
from benchmarks.process import MeasuredProcess
from benchmarks.reading import opened_page, signed_in
from benchmarks.scale import Scale
from benchmarks.scripted_model import ANSWER, asking, two_rounds
from benchmarks.stage import Stage, stage
from tests.e2e.browser import Browser, Heard
from tests.ports import free_port
from tests.standins.bot_api import Person, ShownMessage
from tests.standins.messages_api import Gate, ReceivedRequest, Reply, text
from tests.standins.messages_api.script import Respond
from tests.standins.messages_api.wire import content_blocks

_WARM_TURNS = 5
_SLOWLY, _FIRST_WORDS = "Tell me slowly", "Here it comes"
_FIRST_DELTA = 3
"""The number of the event of a reply that has its first words."""

_THINKING_SECONDS = 0.3
_SETTLING_SECONDS = 21.0
"""Seconds within which each open page has got its first sign of life."""

_ANSWERING_SECONDS = 0.01
"""Seconds between two questions for a page that is not there yet."""

_SETTING = "STEWARD_WEB_PORT"
_DENY = "Deny"


class _Moment(Gate):
    """Notes when a reply has passed, and holds nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.at = 0.0

    async def hold(self) -> None:
        self.at = time.perf_counter()


@dataclass(frozen=True, slots=True)
class _Talk:
    """A conversation on the page, and the token that its forms send."""

    page: Browser
    path: str
    csrf: str

    @classmethod
    async def of(cls, page: Browser) -> "_Talk":
        path = await page.home()
        return cls(page, path, (await page.forms(path))[0].fields["csrf"])

    async def say(self, words: str) -> None:
        """Sends a message as the script of the page does, which loads nothing for it."""
        fields = {"text": words, "id": secrets.token_hex(12), "csrf": self.csrf}
        answer = await self.page.post(f"{self.path}/say", fields)
        assert answer.status_code == 303, answer.text

    async def turn(self, heard: Heard) -> None:
        """Does what a browser does: it looks at the list of chats when new messages have come."""
        before = _answers(heard)
        words = f"What time is it? {secrets.token_hex(4)}"
        await self.say(words)
        await heard.hears(words)
        await heard.until(lambda one: _answers(one) > before)
        await self.page.get("/chats")


def _answers(heard: Heard) -> int:
    return sum(event.name == "message" and ANSWER in event.text for event in heard.events)


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    words: list[_Moment] = []
    port = free_port()
    async with stage(folder / "turns", _model(words)) as on:
        [person] = on.people(1)
        async with (
            on.steward([person], {_SETTING: str(port)}) as process,
            opened_page(port, on.folder / "log") as page,
        ):
            talk = await _Talk.of(page)
            async for figure in _turns(on, person, talk, process, scale):
                yield figure
            first = await _first_words(talk, words, scale)
            yield Figure("The model's first word to that on the page", first, "ms", aim="≤ 30 ms")
            async for figure in _idle(talk, process, scale):
                yield figure
    async for figure in _presses(folder, scale):
        yield figure
    async for figure in _starts(folder, scale):
        yield figure


def _model(words: list[_Moment]) -> Respond:
    def respond(request: ReceivedRequest) -> Reply:
        said = content_blocks(request.body["messages"][-1]["content"])
        if not any(_SLOWLY in str(block.get("text", "")) for block in said):
            return two_rounds(request)
        words.append(_Moment())
        # A real model thinks for a moment before each piece.
        answer = text(f"{_FIRST_WORDS}, and there is more to it. {ANSWER}.")
        return answer.in_pieces(2, pause=_THINKING_SECONDS).held(words[-1], after=_FIRST_DELTA)

    return respond


async def _turns(
    on: Stage, person: Person, talk: _Talk, process: MeasuredProcess, scale: Scale
) -> AsyncIterator[Figure]:
    """Alternates a turn on the page, which has its stream open, with the same one on Telegram."""
    here, there = list[float](), list[float]()
    async with talk.page.listening(talk.path) as heard:
        for number in range(_WARM_TURNS + scale.around):
            ours = await process.cost(lambda: talk.turn(heard))
            theirs = await process.cost(lambda: on.turn(person))
            if number >= _WARM_TURNS:
                here.append(ours)
                there.append(theirs)
    yield Figure("Turn on the page: processor time", median(here), "ms")
    over = median(here) - median(there)
    yield Figure("… over the same turn on Telegram", over, "ms", aim="≤ 15 ms")


async def _first_words(talk: _Talk, words: list[_Moment], scale: Scale) -> float:
    """Returns the milliseconds from the model's first word to its event at the browser."""
    told = list[float]()
    for _ in range(scale.around):
        async with talk.page.listening(talk.path) as heard:
            await talk.say(_SLOWLY)
            await heard.hears(_FIRST_WORDS, "draft")
            told.append((time.perf_counter() - words[-1].at) * 1000)
            await heard.until(_answers)
    return median(told)


async def _idle(talk: _Talk, process: MeasuredProcess, scale: Scale) -> AsyncIterator[Figure]:
    """Opens the streams of pages at which nothing happens."""
    await process.at_rest()
    before = process.resident_mb()
    path = await talk.page.stream(talk.path)
    async with AsyncExitStack() as stack:
        for _ in range(scale.idle_pages):
            await stack.enter_async_context(_stream(talk.page, path))
        await asyncio.sleep(_SETTLING_SECONDS)
        name, held = f"{scale.idle_pages} idle pages: resident", process.resident_mb() - before
        yield Figure(name, held, "MB", aim="≤ 60 MB")
        cpu, begun = process.cpu_ms(), time.perf_counter()
        await asyncio.sleep(scale.rest_seconds)
        share = (process.cpu_ms() - cpu) / (time.perf_counter() - begun) / 10
        yield Figure("… of one core", share, "%", aim="≤ 1 %")


async def _presses(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    """Denies one card after another, by turns on the phone and on the page of the same chat."""
    there, here = list[float](), list[float]()
    port = free_port()
    async with stage(folder / "presses", asking) as on:
        [person] = on.people(1)
        async with (
            on.steward([person], {_SETTING: str(port)}),
            signed_in(on, person, port) as page,
            page.listening(path := f"/chat/telegram:{person.id}") as heard,
        ):
            for _ in range(scale.around):
                there.append(await _on_the_phone(on, person, heard))
                here.append(await _on_the_page(on, person, heard, page, path))
    yield Figure("A press on the phone to its event at the page", median(there), "ms", aim="≤ 1 s")
    yield Figure("A press on the page to the phone's card", median(here), "ms", aim="≤ 1 s")


async def _on_the_phone(on: Stage, person: Person, heard: Heard) -> float:
    card, element, answered = await _asked(on, person, heard)
    begun = time.perf_counter()
    on.bot_api.press(person, card, next(label for label in card.labels if _DENY in label))
    await heard.until(
        lambda one: any(e.element == element and _DENY not in e.text for e in one.events)
    )
    taken = (time.perf_counter() - begun) * 1000
    await on.answers(1, answered)
    return taken


async def _on_the_page(on: Stage, person: Person, heard: Heard, page: Browser, path: str) -> float:
    _, _, answered = await _asked(on, person, heard)
    deny = next(one for one in await page.forms(path) if one.label.startswith(_DENY))
    begun = time.perf_counter()
    await page.send(deny)
    await on.bot_api.wait_for(lambda: _open_card(on, person) is None, seconds=60)
    taken = (time.perf_counter() - begun) * 1000
    await on.answers(1, answered)
    return taken


async def _asked(on: Stage, person: Person, heard: Heard) -> tuple[ShownMessage, str, int]:
    """Has a card shown on both; returns that of the phone, its name on the page, and a mark."""
    known, calls = len(heard.events), len(on.bot_api.calls)
    on.bot_api.say(person, "Write a note.")
    card = await on.bot_api.wait_for(lambda: _open_card(on, person), seconds=60)
    assert card is not None
    shown = await heard.until(
        lambda one: next((e for e in one.events[known:] if _DENY in e.text), None)
    )
    return card, shown.element, calls


def _open_card(on: Stage, person: Person) -> ShownMessage | None:
    messages = on.bot_api.screen(person.id).from_bot
    return next((one for one in messages if any(_DENY in label for label in one.labels)), None)


@asynccontextmanager
async def _stream(page: Browser, path: str) -> AsyncGenerator[None]:
    """Opens one stream and throws away what it tells."""
    reader, writer = await asyncio.open_connection("127.0.0.1", page.client.base_url.port)
    cookies = "; ".join(f"{name}={value}" for name, value in page.client.cookies.items())
    host = page.origin.partition("//")[2]
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookies}\r\n\r\n".encode())
    await reader.readuntil(b"retry: 1000")
    reading = asyncio.create_task(reader.read())
    try:
        yield
    finally:
        reading.cancel()
        writer.close()


async def _starts(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    """Starts with and without the page, by turns, on a database that is there."""
    polls, pages, alone = list[float](), list[float](), list[float]()
    async with stage(folder / "starts") as on:
        await _polled(on, "0")
        for _ in range(scale.starts):
            seconds, answered = await _polled(on, str(free_port()))
            polls.append(seconds)
            pages.append(answered)
            alone.append((await _polled(on, "0"))[0])
    yield Figure("The page answers after the start", median(pages), "s", aim="≤ 1.2 s")
    yield Figure("Start to the first poll, with the page", median(polls), "s", aim="≤ 1 s")
    yield Figure("… without it", median(alone), "s")


async def _polled(on: Stage, port: str) -> tuple[float, float]:
    """Returns the seconds to the first poll, and those to the first answer of the page, if any."""
    async with on.steward(on.people(1), {_SETTING: port}) as process:
        seconds, answered = await on.polled(process), 0.0
        if port != "0":
            # Only now, since whoever asks takes time from the start.
            answered = await _answers_at(int(port)) - process.started
        await process.at_rest()
    return seconds, answered


async def _answers_at(port: int) -> float:
    """Returns the time of the clock at which the page has answered for the first time."""
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
        while True:
            try:
                answer = await client.get("/enter")
            except httpx.TransportError:
                await asyncio.sleep(_ANSWERING_SECONDS)
            else:
                assert answer.status_code == 200
                return time.time()
