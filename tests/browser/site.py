"""A small site around the real templates and files: it shows samples and keeps what it is sent."""

import asyncio
import queue
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from bot.adapters.web.rendering.renderer import Renderer
from bot.adapters.web.rendering.static_files import FOLDER
from bot.adapters.web.shown import ShownMessage
from tests.browser import samples
from tests.browser.states import STATES

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_END = object()


class Site:
    """What the pages show, what was sent to them, and the stream of their events."""

    def __init__(self) -> None:
        self.renderer = Renderer()
        self.pages: dict[str, str] = {}
        self.parts: dict[str, str] = {}
        """The newest state of each page that looks again, and of the side of the chat."""
        self.posts: list[tuple[str, dict[str, Any]]] = []
        self.refusal = ""
        """The sentence that each form is refused with; empty for success."""
        self.down = False
        """True while the program does not answer those who want to listen."""
        self.address = ""
        self.marks: list[str] = []
        """Where each stream was told to go on."""
        self._streams: list[queue.Queue[Any]] = []
        self._begun = threading.Condition()
        self.streams = 0
        """The number of streams that were ever begun."""
        for name, (template, values) in STATES.items():
            self.pages[name] = self.renderer.page(template, **values)

    def show(self, name: str, template: str, **values: Any) -> str:
        """Adds a page and returns its address."""
        self.pages[name] = self.renderer.page(template, **values)
        return f"{self.address}/{name}"

    def says(self, event: str, data: str, mark: str = "") -> None:
        """Sends an event to every page that listens."""
        lines = [f"event: {event}", *(f"data: {line}" for line in data.split("\n"))]
        told = "\n".join([*lines, *([f"id: {mark}"] if mark else [])]) + "\n\n"
        for one in self._streams:
            one.put(told)

    def tells(self, message: ShownMessage, mark: str = "") -> None:
        """Sends a message as a row."""
        values = {"frame": samples.FRAME, "chat": samples.CHAT, "message": message}
        self.says("message", self.renderer.fragment("message.html", **values), mark)

    def drafts(self, text: str) -> None:
        """Sends the words of an answer as far as they have come."""
        self.says("draft", self.renderer.fragment("draft.html", text=text, state=""))

    def listened(self, times: int = 1) -> None:
        """Waits until pages have begun to listen so many times."""
        with self._begun:
            assert self._begun.wait_for(lambda: self.streams >= times, timeout=60)

    def posted(self, times: int = 1) -> list[tuple[str, dict[str, Any]]]:
        """Waits until so many forms were sent, and returns the address and the fields of each."""
        with self._begun:
            assert self._begun.wait_for(lambda: len(self.posts) >= times, timeout=60)
        return self.posts

    def cut(self) -> None:
        """Ends all streams, as a program does that stops."""
        for one in self._streams:
            one.put(_END)
        self._streams.clear()

    async def page(self, request: Request) -> Response:
        html = self.pages.get(request.path_params["name"])
        if html is None:
            return HTMLResponse("<!doctype html><title>none</title>", 404)
        return HTMLResponse(html, headers={"Content-Security-Policy": POLICY})

    async def talk(self, _request: Request) -> Response:
        """Shows the chat at the address that its list names."""
        return HTMLResponse(self.pages["chat"], headers={"Content-Security-Policy": POLICY})

    async def post(self, request: Request) -> Response:
        form = await request.form()
        self.posts.append((request.url.path, _plain(form)))
        await form.close()
        with self._begun:
            self._begun.notify_all()
        if self.refusal:
            html = self.renderer.page("fault.html", sentence=self.refusal, status=409)
            return HTMLResponse(html, 409)
        return RedirectResponse("/sent", 303)

    async def events(self, request: Request) -> Response:
        told: queue.Queue[Any] = queue.Queue()
        self._streams.append(told)
        if self.down:
            return Response(status_code=503)
        mark = request.headers.get("last-event-id") or request.query_params.get("mark", "")
        self.marks.append(mark)
        with self._begun:
            self.streams += 1
            self._begun.notify_all()
        return StreamingResponse(_lines(told), media_type="text/event-stream")

    async def part(self, request: Request) -> Response:
        """Tells a page that looks again what is new, once."""
        html = self.parts.get(request.path_params["name"])
        stamp = f'"{hash(html)}"'
        if html is None or request.headers.get("if-none-match") == stamp:
            return Response(status_code=304)
        return HTMLResponse(html, headers={"etag": stamp})

    async def side(self, _request: Request) -> Response:
        """Shows what is in view now beside the chat."""
        return HTMLResponse(self.parts["side"])

    def application(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/events", self.events),
                Route("/{name}/part", self.part),
                Route("/chat/{key:path}/side", self.side),
                Route("/chat/{key:path}", self.talk),
                Mount("/static", StaticFiles(directory=FOLDER)),
                Route("/{name}", self.page, methods=["GET"]),
                Route("/{path:path}", self.post, methods=["POST"]),
            ]
        )


def _plain(form: FormData) -> dict[str, Any]:
    return {name: getattr(value, "filename", value) for name, value in form.multi_items()}


async def _lines(told: "queue.Queue[Any]") -> AsyncIterator[str]:
    yield "retry: 100\n\n"
    while True:
        try:
            one = told.get_nowait()
        except queue.Empty:
            await asyncio.sleep(0.01)
            continue
        if one is _END:
            return
        yield one


@contextmanager
def serving(site: Site) -> Iterator[Site]:
    """Serves the site on a port of this machine until the block ends."""
    settings = uvicorn.Config(
        site.application(), host="127.0.0.1", port=0, log_level="error", lifespan="off"
    )
    server = uvicorn.Server(settings)
    thread = threading.Thread(target=server.run, name="site", daemon=True)
    thread.start()
    try:
        site.address = f"http://127.0.0.1:{_port(server)}"
        yield site
    finally:
        site.cut()
        server.should_exit = True
        server.force_exit = True
        thread.join(20)


def _port(server: uvicorn.Server) -> int:
    waited = threading.Event()
    while not server.started:
        assert not waited.wait(0.01)
    return server.servers[0].sockets[0].getsockname()[1]
