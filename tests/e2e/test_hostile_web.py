"""A hostile web against the running program: names that change, endless pages, bombs."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.e2e.steward import Steward, results_in
from tests.standins.messages_api import Call, calls, text, tool
from tests.standins.names import Names, naming
from tests.standins.serving import serving

pytestmark = pytest.mark.flows_own("pages are read by tools")

PUBLIC = "93.184.216.34"
MEGABYTE = b"\0" * 1_000_000


def fetch(url: str) -> Call:
    return tool("web_fetch", {"url": url})


async def endless() -> AsyncIterator[bytes]:
    for _ in range(10_000):
        yield MEGABYTE


def packed(encoding: str, body: bytes) -> Response:
    return Response(body, media_type="text/html", headers={"content-encoding": encoding})


BOMB = gzip.compress(b"\0" * 100_000_000)
ANSWERS: dict[str, tuple[Callable[[], Response], str]] = {
    "huge": (lambda: StreamingResponse(endless(), media_type="text/html"), "larger than may be"),
    "round": (lambda: RedirectResponse("/round"), "redirects more than"),
    "gzip": (lambda: packed("gzip", BOMB), "larger than may be"),
    "nested": (lambda: packed("gzip, gzip", gzip.compress(BOMB)), "was not asked for"),
    "brotli": (lambda: packed("br", b"\x8b\xff\xff\xff" * 99), "was not asked for"),
    "zstd": (lambda: packed("zstd", b"\x28\xb5\x2f\xfd" * 99), "was not asked for"),
    "archive": (lambda: Response(BOMB, media_type="text/html"), "the page is"),
    "broken": (lambda: packed("gzip", BOMB[:40]), "of a kind that I cannot read"),
    "data": (lambda: RedirectResponse("data:text/html,hello"), "only http and https"),
    "gopher": (lambda: RedirectResponse("gopher://127.0.0.1:70/_x"), "only http and https"),
    "file": (lambda: RedirectResponse("file:///etc/passwd"), "only http and https"),
    "script": (lambda: RedirectResponse("javascript:alert(1)"), "only http and https"),
    "headers": (lambda: Response("x", headers={"x-large": "x" * 300_000}), "cannot be reached"),
}


@dataclass
class Site:
    """A hostile site; `dripping` is set while a page drips, and `stop` ends that page."""

    url: str = ""
    dripping: asyncio.Event = field(default_factory=asyncio.Event)
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    async def page(self, request: Request) -> Response:
        what = request.path_params["what"]
        if what == "drip":
            return StreamingResponse(self._drops(), media_type="text/html")
        return ANSWERS[what][0]()

    async def _drops(self) -> AsyncIterator[bytes]:
        try:
            while not self.stop.is_set():
                yield b"x"
                self.dripping.set()
                await asyncio.sleep(0.1)
        finally:
            self.left.set()


@pytest.fixture
async def site(steward: Steward) -> AsyncIterator[Site]:
    made = Site()
    async with serving(Starlette(routes=[Route("/{what}", made.page)])) as made.url:
        steward.settings |= {"STEWARD_WEB_HOSTS": made.url.removeprefix("http://")}
        yield made
        made.stop.set()


async def test_each_page_of_a_hostile_site_ends_in_a_sentence(steward: Steward, site: Site) -> None:
    urls = [f"{site.url}/{what}" for what in ANSWERS]
    steward.script(calls(*map(fetch, urls)), text("All were refused."))
    await steward.start()
    steward.say(f"Read {' '.join(urls)}")
    await steward.sees("All were refused.")
    told = list(results_in(steward.model.requests[-1]).values())
    assert len(told) == len(ANSWERS)
    for (_, wanted), found in zip(ANSWERS.values(), told, strict=True):
        assert wanted in found


async def test_another_chat_is_answered_while_a_page_drips(steward: Steward, site: Site) -> None:
    bob = steward.person(77, "Bob")
    steward.script(calls(fetch(f"{site.url}/drip")), text("Hello Bob."), text("It was empty."))
    await steward.start(STEWARD_ALLOWED=steward.account(bob), STEWARD_WEB_SECONDS="60")
    steward.say(f"Read {site.url}/drip")
    await site.dripping.wait()
    steward.say("hello", by=bob)
    await steward.sees("Hello Bob.", at=bob)
    assert not site.left.is_set()
    assert len(steward.model.requests) == 2
    site.stop.set()
    await steward.sees("It was empty.")


async def test_a_page_that_drips_is_given_up_when_its_time_is_over(
    steward: Steward, site: Site
) -> None:
    steward.script(calls(fetch(f"{site.url}/drip")), text("It drips."))
    await steward.start(STEWARD_WEB_SECONDS="1")
    steward.say(f"Read {site.url}/drip")
    await steward.sees("It drips.")
    (told,) = results_in(steward.model.requests[-1]).values()
    assert "did not arrive within 1 s" in told
    await site.left.wait()


@asynccontextmanager
async def netted(steward: Steward, names: Names) -> AsyncIterator[tuple[str, list[str]]]:
    """A public site and, at the same port of 127.0.0.1, a secret; yields port and visits."""
    visits: list[str] = []

    async def public(request: Request) -> Response:
        visits.append(f"public {request.headers['host']}")
        if request.path_params["what"] == "inside":
            return RedirectResponse(f"http://inside.example:{secret_port}/")
        return PlainTextResponse("The public page.")

    async def secret(request: Request) -> Response:
        visits.append("secret")
        return PlainTextResponse("The secret.")

    paths = "/{what:path}"
    async with (
        serving(Starlette(routes=[Route(paths, public)])) as outside,
        serving(Starlette(routes=[Route(paths, secret)])) as inside,
        naming(names) as port,
    ):
        secret_port = inside.rpartition(":")[2]
        routes = f"{PUBLIC}:{secret_port}={outside.rpartition(':')[2]}"
        steward.settings |= {"NETTED_NAMES": str(port), "NETTED_ROUTES": routes}
        steward.module = "tests.e2e.netted_program"
        yield secret_port, visits


async def test_a_name_that_changes_between_look_and_use_leads_nowhere(steward: Steward) -> None:
    names = Names(
        turning_example=[[PUBLIC], ["127.0.0.1"]],
        mixed_example=[[PUBLIC, "127.0.0.1"]],
        public_example=[[PUBLIC]],
        inside_example=[["127.0.0.1"]],
    )
    async with netted(steward, names) as (port, visits):
        urls = [
            f"http://turning.example:{port}/one",
            f"http://turning.example:{port}/two",
            f"http://mixed.example:{port}/",
            f"http://public.example:{port}/inside",
            f"http://nobody.example:{port}/",
        ]
        steward.script(calls(fetch(urls[0])), calls(*map(fetch, urls[1:])), text("Done."))
        await steward.start()
        steward.say(f"Read {' '.join(urls)}")
        await steward.sees("Done.")
        told = [r for each in steward.model.requests[1:] for r in results_in(each).values()]
    wanted = (
        "The public page.",
        "turning.example is not a public address",
        "mixed.example is not a public address",
        "inside.example is not a public address",
        "there is no host nobody.example",
    )
    assert len(told) == len(wanted)
    for part, found in zip(wanted, told, strict=True):
        assert part in found
    # One look for each fetch: the address that was judged is the one that was used.
    assert names.asked.count("turning.example") == 2
    assert visits == [f"public turning.example:{port}", f"public public.example:{port}"]


async def test_a_public_page_does_not_lead_to_a_private_place_that_is_allowed(
    steward: Steward,
) -> None:
    names = Names(public_example=[[PUBLIC]], inside_example=[["127.0.0.1"]])
    async with netted(steward, names) as (port, visits):
        urls = f"http://public.example:{port}/inside", f"http://inside.example:{port}/"
        steward.script(calls(*map(fetch, urls)), text("Done."))
        await steward.start(STEWARD_WEB_HOSTS=f"inside.example:{port}")
        steward.say(f"Read {' '.join(urls)}")
        await steward.sees("Done.")
        told = list(results_in(steward.model.requests[-1]).values())
    assert f"leads to inside.example:{port}, which only a person may name" in told[0]
    assert "The secret." in told[1]
    assert sorted(visits) == [f"public public.example:{port}", "secret"]
