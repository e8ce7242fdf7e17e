"""Fetching pages: addresses, bounds, and what a hostile server may try."""

import asyncio
import gzip
import resource
import time
import zlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from bot.adapters.web_pages.address import read_address
from bot.adapters.web_pages.public_network import NotPublic, PublicNetwork
from bot.adapters.web_pages.web_pages import Reach, WebPages
from bot.domain.talk import web_address
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.limits import WebBounds
from tests.standins.serving import serving

BOUNDS = WebBounds(bytes=100_000, seconds=5.0, redirects=3)


async def endless() -> AsyncIterator[bytes]:
    for _ in range(1_000):
        yield b"x" * 10_000


async def dripping() -> AsyncIterator[bytes]:
    for _ in range(100):
        yield b"x"
        await asyncio.sleep(0.05)


def raw_deflate(text: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(text) + packer.flush()


ANSWERS: dict[str, Callable[[], Response]] = {
    "endless": lambda: StreamingResponse(endless(), media_type="text/html"),
    "drip": lambda: StreamingResponse(dripping(), media_type="text/html"),
    "round": lambda: RedirectResponse("/round"),
    "private": lambda: RedirectResponse("http://127.0.0.1:1/secret"),
    "file": lambda: RedirectResponse("file:///etc/passwd"),
    "bomb": lambda: Response(
        gzip.compress(b"\0" * 50_000_000), headers={"content-encoding": "gzip"}
    ),
    "raw": lambda: Response(raw_deflate(b"raw deflate"), headers={"content-encoding": "deflate"}),
    "brotli": lambda: Response(b"??", headers={"content-encoding": "br"}),
    "gone": lambda: Response("no", status_code=404),
    "large": lambda: Response(b"x" * 200_000),
    "hello": lambda: Response("hello", media_type="text/html; charset=UTF-8"),
}


@pytest.fixture
async def site() -> AsyncIterator[str]:
    async def page(request: Request) -> Response:
        what = request.path_params["what"]
        if what == "headers":
            return Response(str(dict(request.headers)), media_type="text/plain")
        return ANSWERS[what]()

    async with serving(Starlette(routes=[Route("/{what}", page)])) as url:
        yield url


def pages(site: str, **bounds: Any) -> WebPages:
    reach = Reach(frozenset({site.removeprefix("http://")}))
    return WebPages(
        WebBounds(**{"bytes": 100_000, "seconds": 30.0, "redirects": 3} | bounds), reach
    )


async def test_a_page_comes_with_its_kind_and_encoding(site: str) -> None:
    page = await pages(site).fetch(f"{site}/hello")
    assert (page.body, page.kind, page.charset) == (b"hello", "text/html", "utf-8")


async def test_nothing_but_plain_headers_is_sent(site: str, monkeypatch: Any) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    told = (await pages(site).fetch(f"{site}/headers")).body.decode()
    assert "cookie" not in told
    assert "authorization" not in told
    assert "referer" not in told


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("endless", "larger than may be fetched"),
        ("large", "larger than may be fetched"),
        ("bomb", "larger than may be fetched"),
        ("round", "redirects more than 3 times"),
        ("private", "not a public address"),
        ("file", "only http and https"),
        ("brotli", "not asked for"),
        ("gone", "no such page"),
    ],
)
async def test_a_hostile_or_missing_page_ends_in_a_sentence(
    site: str, path: str, told: str
) -> None:
    with pytest.raises(ToolFailure, match=told):
        await pages(site).fetch(f"{site}/{path}")


async def test_a_page_that_drips_ends_with_its_time(site: str) -> None:
    with pytest.raises(ToolFailure, match="did not arrive"):
        await pages(site, seconds=0.3).fetch(f"{site}/drip")


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
FLOODS = {
    "letters in chunks of their own": (
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n",
        b"1\r\nx\r\n" * 10_000,
        "larger than may be fetched|too long to be read",
    ),
    "long words beside chunks": (
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n",
        b"1;" + b"a" * 50_000 + b"\r\nx\r\n",
        "larger than may be fetched",
    ),
    "continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000, "answer broke off"),
    "early hints": (b"", b"HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n" * 1_000, "answer broke off"),
    "a head without an end": (b"HTTP/1.1 200 OK\r\n", b"A: b\r\n" * 10_000, "answer broke off"),
    "no HTTP": (b"", b"\0" * 10_000, "answer broke off"),
}
"""The beginning of an answer, what follows it for ever, and what becomes of it."""


@asynccontextmanager
async def flooding(begin: bytes, flood: bytes) -> AsyncIterator[str]:
    """Serves one endless answer."""
    ended = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(begin)
            while flood:
                writer.write(flood)
                await writer.drain()
            await reader.read()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        ended.set()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        await ended.wait()


@pytest.mark.parametrize("flood", FLOODS)
async def test_an_endless_answer_ends_in_a_sentence_whatever_it_is_made_of(flood: str) -> None:
    begin, more, told = FLOODS[flood]
    async with flooding(begin, more) as site:
        with pytest.raises(ToolFailure, match=told):
            await pages(site, seconds=30.0).fetch(f"{site}/")


async def test_what_a_server_sends_is_parsed_by_another_process() -> None:
    begin, _, _ = FLOODS["letters in chunks of their own"]
    frames = b"1\r\nx\r\n" * 50_000 + b"0\r\n\r\n"
    async with flooding(begin + frames, b"") as site:
        pages_of_site = pages(site, bytes=1_000_000, seconds=60.0)
        ours, theirs = time.thread_time(), _of_children()
        page = await pages_of_site.fetch(f"{site}/")
        ours, theirs = time.thread_time() - ours, _of_children() - theirs
    assert len(page.body) == 50_000
    assert ours < theirs / 4


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def test_deflate_without_its_head_is_read(site: str) -> None:
    assert (await pages(site).fetch(f"{site}/raw")).body == b"raw deflate"


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0177.0.0.1/",
        "http://0x7f.1/",
        "http://127.0.0.1./",
        "http://localhost/",
        "http://localhost./",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://0/",
        "http://169.254.169.254/latest/meta-data/",
        "http://①②⑦.⓪.⓪.①/",
        "http://127。0。0。1/",
        "http://1２7.0.0.1/",
        "http://ⓛocalhost/",
        "http://local\thost/",
        "http://LOCALHOST/",
        "http://017700000001/",
        "http://127.000.000.001/",
        "http://0251.0376.0251.0376/",
        "http://0xa9fea9fe/",
        "http://[::]/",
        "http://[::127.0.0.1]/",
        "http://[0:0:0:0:0:0:0:1]/",
        "http://[::ffff:0:127.0.0.1]/",
        "http://[fe80::1%eth0]/",
        "http://[2002:7f00:1::]/",
        "http://[2001:0:7f00:1::]/",
        "http://[64:ff9b::169.254.169.254]/",
        "http://[64:ff9b:1::7f00:1]/",
        "http://[fd00:ec2::254]/",
        "http://[ff02::1]/",
        "http://127.0.0.1?@example.org/",
        "//127.0.0.1/",
    ],
)
async def test_no_form_of_a_private_address_is_fetched(url: str) -> None:
    async def no_socket(*_: Any, **__: Any) -> Any:
        raise AssertionError("it connected")

    fetching = WebPages(BOUNDS, Reach())
    fetching._network = replace(fetching._network, _connector=no_socket)
    with pytest.raises(ToolFailure, match=r"public|no host"):
        await fetching.fetch(url)


async def test_a_name_is_looked_up_once_and_the_judged_address_is_the_one_connected_to() -> None:
    """The second answer is the private one; whoever asks twice connects to it."""
    answers = [["93.184.216.34"], ["127.0.0.1"]]
    connected: list[str] = []

    async def changing(host: str, port: int) -> Sequence[str]:
        return answers.pop(0)

    async def connecting(host: str, port: int) -> Any:
        connected.append(host)
        return object()

    network = PublicNetwork(frozenset(), changing, connecting)
    await network.connect("rebind.example", 80)
    assert connected == ["93.184.216.34"]
    with pytest.raises(NotPublic):
        await network.connect("rebind.example", 80)
    assert connected == ["93.184.216.34"]


async def test_one_private_address_of_a_name_spoils_all() -> None:
    async def both(host: str, port: int) -> Sequence[str]:
        return ["93.184.216.34", "10.0.0.1"]

    with pytest.raises(NotPublic):
        await PublicNetwork(frozenset(), both).connect("two.example", 80)


@pytest.mark.parametrize(
    ("text", "one"),
    [
        ("example.org", "https://example.org/"),
        ("HTTP://Example.ORG:80/A b?q=ü#x", "http://example.org/A%20b?q=%C3%BC"),
        ("https://example.org.:443/%20", "https://example.org/%20"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://\u0430pple.com/", "https://xn--pple-43d.com/"),
        ("example.org:8080/x", "https://example.org:8080/x"),
    ],
)
def test_an_address_has_one_spelling(text: str, one: str) -> None:
    assert str(read_address(text)) == one


@pytest.mark.parametrize(
    "text",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "data:text/html,hi",
        "ftp://example.org/",
        "https://user:secret@example.org/",
        "https://example.org\\@evil.com/",
        "https:example.org",
        "https://",
        "https://exa mple.org/",
        "https://example.org:0/",
        "https://example.org:99999/",
        "https://[::1",
        "https://a\r\nHost: b/",
        "https://example.org/" + "x" * 5_000,
        "https://-.example/",
    ],
)
def test_what_is_no_address_of_the_web_is_refused(text: str) -> None:
    with pytest.raises(ToolFailure) as fault:
        read_address(text)
    assert "secret" not in str(fault.value)


@given(st.characters(min_codepoint=0x80, categories=["L", "M", "N", "P", "S"]), st.booleans())
def test_no_spelling_of_a_plain_name_is_judged_as_another_public_one(sign: str, end: bool) -> None:
    text = f"http://nas.example{sign}/" if end else f"http://n{sign}s.example/"
    try:
        sent = read_address(text)
        judged = web_address.read_address(text)
    except ToolFailure:
        return
    assert judged.private or sent.host.startswith("xn--") or ".xn--" in sent.host


def test_lists_of_hosts() -> None:
    listed = Reach(frozenset({"example.org"}), frozenset({"bad.example.org"}))
    listed.check(read_address("https://www.example.org/"))
    for url in ("https://bad.example.org/", "https://other.org/", "https://notexample.org/"):
        with pytest.raises(ToolFailure):
            listed.check(read_address(url))
    Reach(frozenset({"127.0.0.1:8080"})).check(read_address("https://other.org/"))


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org@127.0.0.1/",
        "http://[::1]@example.org/",
        "http://127.0.0.1%2f@example.org/",
        "http://127.0.0.1\\@example.org/",
        "http:\\\\127.0.0.1\\",
        "http:///127.0.0.1/",
        "http:127.0.0.1/",
        "http://127.0.0.1:80:80/",
        "http://127.0.0.1:８０/",
        "http://127.0.0.1:+80/",
        "http://127.0.0.1:0/",
        "http://local\nhost/",
        "http://loc\u00adalhost/",
        "http://localhost\x00.example.org/",
        "http://%31%32%37.0.0.1/",
        "http://127.0.0.1;example.org/",
        "http://[::1",
        "http://[127.0.0.1]/",
        "http://a..b/",
        "http://xn--/",
        "\u200bhttp://127.0.0.1/",
        "http://\u202e1.0.0.721/",
        "data:text/html,x",
        "gopher://127.0.0.1:70/_x",
        "dict://127.0.0.1:11211/",
        "http+unix://%2fvar%2frun%2fdocker.sock/",
        "view-source:http://127.0.0.1/",
    ],
)
def test_what_readers_of_addresses_disagree_about_is_no_address(url: str) -> None:
    with pytest.raises(ToolFailure):
        read_address(url)


@pytest.mark.parametrize(
    "told",
    [
        "text/html; charset*=utf-8''%00x",
        'text/html; charset="\\"--evil"',
        "text/html; charset=-x",
        "text/html; charset=" + "a" * 5_000,
        "text/html; charset*=zlib''%ff",
    ],
)
async def test_a_charset_that_is_no_name_counts_as_none(site: str, told: str) -> None:
    ANSWERS["odd"] = lambda: Response("hello", headers={"content-type": told})
    page = await pages(site).fetch(f"{site}/odd")
    assert (page.body, page.charset) == (b"hello", "")


async def test_no_more_pages_than_that_are_fetched_side_by_side(site: str) -> None:
    gate, full, under_way = asyncio.Event(), asyncio.Event(), 0

    async def held(request: Request) -> Response:
        nonlocal under_way
        under_way += 1
        if under_way == WebBounds().at_once:
            full.set()
        await gate.wait()
        return Response("x")

    async with serving(Starlette(routes=[Route("/held", held)])) as slow:
        some = pages(slow, seconds=60.0)
        fetching = asyncio.gather(*(some.fetch(f"{slow}/held") for _ in range(20)))
        await full.wait()
        # Others are fetched meanwhile, so a ninth one had the time to come.
        for _ in range(3):
            await pages(site).fetch(f"{site}/hello")
        assert under_way == WebBounds().at_once == 8
        gate.set()
        assert len(await fetching) == 20
