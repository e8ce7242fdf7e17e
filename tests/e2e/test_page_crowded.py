"""Many at once: files without end, hundreds of open pages, and browsers that read nothing."""

import asyncio
import signal
import socket
from asyncio import StreamReader, StreamWriter
from collections import Counter
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import pytest

from tests.e2e.browser import Browser
from tests.e2e.steward import Steward
from tests.e2e.test_page import page
from tests.e2e.test_page_hostile import member, say_of, signed_in
from tests.patience import PATIENCE
from tests.standins.messages_api import text
from tests.words import EVENT_LOOP

pytestmark = pytest.mark.flows_own("the page is served beside any platform")

__all__ = ("page",)

_FORMS, _AT_ONCE = 120, 90
_PAGES = 500
_DEAF = 20
"""Pages among them that read nothing of what they are told."""

_LONG = 60_000
"""Characters of an answer that is told to every page again and again while it grows."""


async def test_files_without_end_are_refused_in_a_sentence_and_keep_nobody_waiting(
    steward: Steward, page: Browser
):
    steward.model.script.rule(lambda _: text("Read."))
    bob = await member(steward)
    async with signed_in(steward, bob) as his:
        home, ours = await his.home(), await page.home()
        form, told = say_of(await his.forms(home)), Counter[int]()
        places = asyncio.Semaphore(_AT_ONCE)

        async def give(n: int) -> None:
            file = ("file", (f"{n}.txt", b"x", "text/plain"))
            fields = {**form.fields, "text": f"number {n}", "id": f"a-file-{n:06}"}
            async with places:
                answer = await his.post(form.action, fields, files=[file])
            told[answer.status_code] += 1
            assert answer.status_code == 303 or "Nothing was sent" in answer.text

        giving = [asyncio.create_task(give(n)) for n in range(_FORMS)]
        await page.say("Am I heard?", ours)
        await page.sees("Read.", ours)
        await asyncio.gather(*giving)
        # The first ones get to their ends; of none too many is anything kept.
        assert told.keys() == {303, 429}
        assert told[303] >= 16
        folder = steward.home / "uploads"
        assert len(_whole(folder)) == told[303]
        kept = steward.records.rows("SELECT count(*) FROM inbox WHERE key LIKE '%/a-file-%'")
        assert kept == [(told[303],)]
        # And then one after the other, each as small as a file can be, until there is no room.
        account = _whole(folder)[0].partition("~")[0]
        for n in range(1_000 - told[303]):
            (folder / f"{account}~filled-{n:06}~0").touch()
        file = [("file", ("more.txt", b"", "text/plain"))]
        full = await his.post(form.action, {**form.fields, "id": "one-too-many"}, files=file)
        assert full.status_code == 507
        assert "There is no room for more files" in full.text
        assert (await his.post(form.action, {**form.fields, "text": "words alone"})).is_redirect
        mine = say_of(await page.forms(ours))
        assert (await page.post(mine.action, mine.fields, files=file)).is_redirect
    assert "Traceback" not in steward.output


def _whole(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if not path.name.endswith(".part")]


async def test_five_hundred_pages_stand_open_and_those_that_read_nothing_hold_up_no_other(
    steward: Steward, page: Browser
):
    # The browsers share its two cores: a collection of garbage may take its time.
    steward.foreseen.append(EVENT_LOOP)
    home = await page.home()
    address = await page.stream(home)
    async with AsyncExitStack() as closing:
        lines = [await _opened(page, address, closing, deaf=n < _DEAF) for n in range(_PAGES)]
        # Bodies that never come whole stand beside them.
        for _ in range(_DEAF):
            await _dripping(page, home, closing)
        hearing = lines[_DEAF:]
        long = "All of it. " + "word " * (_LONG // 5)
        steward.script(text(long).in_pieces(20), text("Heard on the phone."))
        await page.say("Tell me all", home)
        heard = (_hears(reader, b"event: message", b"All of it.") for reader, _ in hearing)
        await asyncio.gather(*heard)
        steward.say("Does the phone go on?")
        await steward.sees("Heard on the phone.")
        async with page.listening(home) as one_more:
            steward.script(text("And the page, too."))
            await page.say("And the page?", home)
            await one_more.hears("And the page, too.")
        await steward.stop(signal.SIGTERM)
    assert "graceful" not in steward.output
    assert "Traceback" not in steward.output


async def _opened(
    page: Browser, address: str, closing: AsyncExitStack, *, deaf: bool
) -> tuple[StreamReader, StreamWriter]:
    """Opens the events of a page."""
    told = f"GET {address} HTTP/1.1\r\n{_who(page)}Accept: text/event-stream\r\n\r\n"
    reader, writer = await _line(page, closing, told, deaf=deaf)
    async with asyncio.timeout(PATIENCE):
        assert (await reader.readline()).split()[1] == b"200"
        await reader.readuntil(b"event: version")
    return reader, writer


async def _dripping(page: Browser, home: str, closing: AsyncExitStack) -> None:
    """Begins a form with a file, and leaves it there."""
    kind = "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n"
    told = f"POST {home}/say HTTP/1.1\r\n{_who(page)}{kind}\r\n--x\r\n"
    await _line(page, closing, told)


def _who(page: Browser) -> str:
    cookie = "; ".join(f"{name}={value}" for name, value in page.client.cookies.items())
    host = page.origin.removeprefix("http://")
    return f"Host: {host}\r\nCookie: {cookie}\r\nOrigin: {page.origin}\r\n"


async def _line(
    page: Browser, closing: AsyncExitStack, told: str, *, deaf: bool = False
) -> tuple[StreamReader, StreamWriter]:
    host, port = page.origin.removeprefix("http://").split(":")
    way = socket.socket()
    if deaf:
        way.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    way.setblocking(False)
    await asyncio.get_running_loop().sock_connect(way, (host, int(port)))
    reader, writer = await asyncio.open_connection(sock=way, limit=4_096 if deaf else 1 << 20)
    closing.push_async_callback(_left, writer)
    writer.write(told.encode())
    return reader, writer


async def _left(writer: StreamWriter) -> None:
    writer.transport.abort()
    with suppress(ConnectionError):
        await writer.wait_closed()


async def _hears(reader: StreamReader, *wanted: bytes) -> None:
    async with asyncio.timeout(PATIENCE):
        for words in wanted:
            await reader.readuntil(words)
