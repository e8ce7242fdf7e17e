"""What people share on the page: nobody keeps others out, and who lost a right gets no more."""

import asyncio
import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from bot.adapters.web.application import application
from bot.adapters.web.gate import ENTER, Gate
from bot.adapters.web.hub import Hub
from bot.adapters.web.mark import Mark
from bot.adapters.web.origins import Origins
from bot.adapters.web.pages.events import EventPages
from bot.adapters.web.places import Places
from bot.adapters.web.posted import Forms
from bot.adapters.web.rendering.renderer import Renderer
from bot.adapters.web.shell import Shell
from bot.adapters.web.shown import ShownChat, ShownMessage
from bot.adapters.web.talks import Looked, Seen, Talk
from bot.adapters.web.visitor import Visitor
from bot.domain.talk.errors import StoreAway
from bot.domain.talk.message import Address
from bot.domain.talk.person import Person, Role
from bot.domain.talk.rights import EVERYTHING
from tests.patience import PATIENCE

ORIGIN = "http://127.0.0.1:8787"
ANN, BOB = [Person(id, name, Role.OWNER, EVERYTHING) for id, name in ((1, "Ann"), (2, "Bob"))]
NOW = datetime(2026, 1, 2, tzinfo=UTC)
FORM = "application/x-www-form-urlencoded"


class People:
    """Whoever shows a cookie with the name of a person is that person, so many times."""

    def __init__(self, looks: int = 1_000) -> None:
        self.looks = looks
        self.away = False

    async def visitor(self, cookies: Mapping[str, str]) -> tuple[Visitor | None, str]:
        return await self.still(cookies), ""

    async def still(self, cookies: Mapping[str, str]) -> Visitor | None:
        if self.away:
            raise StoreAway("no line")
        self.looks -= 1
        person = {"ann": ANN, "bob": BOB}.get(cookies.get("who", ""))
        return Visitor(person, "s", "token") if person and self.looks >= 0 else None


class Maker:
    """Makes pages; those of Ann take until the test is over."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.begun: list[str] = []

    def page(self, template: str, **values: Any) -> str:
        self.begun.append(template)
        if template == "ann":
            assert self.over.wait(PATIENCE)
        return template


async def nothing(person: Person) -> int:
    return 0


def asked(person: Person) -> Request:
    cookie = (b"cookie", f"who={person.name.lower()}".encode())
    request = Request({"type": "http", "headers": [cookie], "query_string": b"mark=0.0"})
    request.state.visitor = Visitor(person, "s", "token")
    return request


async def test_pages_that_take_long_to_make_keep_only_their_person_waiting() -> None:
    maker = Maker()
    shell = Shell(maker, nothing)
    try:
        hers = [asyncio.create_task(shell.part(asked(ANN), "ann")) for _ in range(64)]
        await asyncio.sleep(0)
        async with asyncio.timeout(PATIENCE):
            assert await shell.part(asked(BOB), "bob") == "bob"
    finally:
        maker.over.set()
    assert maker.begun.count("ann") == 1
    assert await asyncio.gather(*hers) == ["ann"] * 64


async def test_forms_that_drip_take_no_place_from_others() -> None:
    post_only = ["POST"]
    routes = Route("/say", said, methods=post_only), Route(ENTER, entered, methods=post_only)
    whole, gate = asyncio.Event(), gate_of(People(), *routes)
    async with client(gate) as browser:
        drips = [
            asyncio.create_task(post(browser, drip(whole), who, path=path))
            for who, path in (("ann", "/say"), ("nobody", ENTER))
            for _ in range(150)
        ]
        await asyncio.sleep(0.1)
        answer = await post(browser, b"csrf=token&text=hello", "bob")
        assert (answer.status_code, answer.text) == (200, "hello")
        whole.set()
        codes = {one.status_code for one in await asyncio.gather(*drips)}
    # Those that gave way are told so, and the others are read.
    assert codes == {200, 408}


async def said(request: Request) -> Response:
    async with FORMS.of(request) as form:
        return PlainTextResponse(str(form.get("text")))


async def entered(request: Request) -> Response:
    return PlainTextResponse(str((await FORMS.of_stranger(request)).get("text")))


FORMS = Forms(People())


@pytest.mark.parametrize(
    "kind",
    [
        "multipart/form-data; boundary=x; charset=punycode",
        "multipart/form-data; charset=idna; boundary=x",
        "multipart/form-data; boundary=x; charset*=utf-8''punycode",
        "application/x-www-form-urlencoded; charset=utf-7",
        "text/plain",
        "application/json",
        "",
    ],
)
async def test_a_form_as_no_browser_sends_it_is_refused_unread(kind: str) -> None:
    gate = gate_of(People(), Route("/say", said, methods=["POST"]))
    field = b'--x\r\nContent-Disposition: form-data; name="csrf"\r\n\r\ntoken\r\n--x--\r\n'
    async with client(gate) as browser:
        answer = await post(browser, field, "ann", kind)
        # The line stays open until the body has come: who closes it before takes the words back.
        assert answer.status_code == 400
        assert "connection" not in answer.headers
        assert "Nothing was done" in answer.text
        assert (await post(browser, b"csrf=token&" + b"a&" * 90_000, "ann")).status_code == 400
        assert (await post(browser, b"csrf=%ff&text=x", "ann")).status_code == 403
        assert (await post(browser, b"csrf=token&text=x", "ann")).status_code == 200


async def test_a_store_that_is_away_is_told_in_a_sentence() -> None:
    async def failing(request: Request) -> Response:
        raise StoreAway("no line")

    people = People()
    async with client(gate_of(people, Route("/", failing))) as browser:
        for people.away in (False, True):
            answer = await browser.get("/", headers={"cookie": "who=ann"})
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
            assert "Steward cannot read its database just now" in answer.text


async def test_a_fault_of_the_program_is_told_in_a_sentence() -> None:
    async def failing(request: Request) -> Response:
        raise ZeroDivisionError

    async with client(gate_of(People(), Route("/", failing)), raising=False) as browser:
        answer = await browser.get("/", headers={"cookie": "who=ann"})
    assert answer.status_code == 500
    assert "Steward made a mistake" in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_a_browser_that_reads_slowly_gets_nothing_after_its_right_has_ended() -> None:
    talk = cast(Talk, ManyMessages())
    talks = SimpleNamespace(of=lambda *_: settled(talk))
    people, sent = People(looks=3), list[str]()

    class Slow:
        """Takes one event after the other."""

        async def send(self, text: str) -> None:
            sent.append(text)

        async def event(self, name: str, data: str, id: str = "") -> None:
            sent.append(f"{name} {id}")

    pages = EventPages(cast(Any, talks), people, Shell(Renderer(), nothing), Hub(), Places(1))
    request = asked(ANN)
    async with asyncio.timeout(PATIENCE):
        await pages.run(request, talk, Mark(), cast(Any, Slow()))
    assert sent[:2] == ["retry: 1000\n\n", "version "]
    assert [one.split()[0] for one in sent[2:]] == ["message", "message", "message", "left"]


class ManyMessages:
    """A conversation in which much was said."""

    key, number, address = "web:1", 1, Address("web", "1")

    async def news(self, mark: Mark) -> tuple[Sequence[Seen], Looked]:
        return [Seen(n, True, 1) for n in range(1, 61)], Looked({}, frozenset(), frozenset())

    async def told(self) -> Any:
        return ShownChat("web:1", "Talk", "", "m", "/")

    async def message(self, seen: Seen) -> Any:
        return ShownMessage(
            f"i{seen.id}", 1, own=True, name="Ann", at=NOW, once="12345678", text="words"
        )


async def settled(value: Any) -> Any:
    return value


def gate_of(people: People, *routes: Route) -> Gate:
    shell = Shell(Renderer(), nothing)
    return application(Origins.of(8787), people, shell, routes, ("127.0.0.1",))


def client(gate: Gate, *, raising: bool = True) -> httpx.AsyncClient:
    way = httpx.ASGITransport(cast(Any, gate), raise_app_exceptions=raising)
    return httpx.AsyncClient(transport=way, base_url=ORIGIN)


async def post(
    browser: httpx.AsyncClient, body: Any, who: str, kind: str = FORM, path: str = "/say"
) -> httpx.Response:
    headers = {"origin": ORIGIN, "cookie": f"who={who}", "content-type": kind}
    return await browser.post(path, content=body, headers=headers)


async def drip(whole: asyncio.Event) -> AsyncIterator[bytes]:
    yield b"csrf=token&"
    await whole.wait()
    yield b"text=late"
