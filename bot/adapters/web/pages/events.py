"""The events of a conversation as they happen; the ids of events are rows."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from bot.adapters.web.frame import Frame
from bot.adapters.web.gate import SignedIn
from bot.adapters.web.hub import Hub, Watch
from bot.adapters.web.mark import Mark
from bot.adapters.web.pages.listed import number_of
from bot.adapters.web.places import Places
from bot.adapters.web.rendering.static_files import version
from bot.adapters.web.shell import Shell, visitor_of
from bot.adapters.web.shown import ShownChat
from bot.adapters.web.talks import Seen, Talk, Talks
from bot.domain.talk.errors import StoreError
from bot.domain.value import frozen

MOST = 520
"""Streams of one program."""

BEAT_SECONDS = 30.0
"""Seconds without an event after which a line tells that the stream is alive."""

_LAP_SECONDS = 0.05
"""Seconds between two laps at least: what changes faster is shown in one."""

_LONGEST = 12 * 3600.0
_AGAIN_SECONDS = 1.0
_FADES = 30.0
"""Seconds without a word after which an answer in a chat of a phone has ended silently."""

_HEADERS = {"content-type": "text/event-stream", "x-accel-buffering": "no"}


@frozen
class EventPages:
    """Streams what is new in a conversation."""

    _talks: Talks
    _people: SignedIn
    _shell: Shell
    _hub: Hub
    _streams: Places

    def routes(self) -> Sequence[Route]:
        return [Route("/chat/{key}/events", self.events)]

    async def events(self, request: Request) -> Response:
        talk = await self._talks.of(visitor_of(request).person, request.path_params["key"])
        last = request.headers.get("last-event-id") or request.query_params.get("mark", "")
        mark = Mark.read(last)
        # 204 tells the browser not to come again.
        if talk is None or mark is None:
            return Response(status_code=204)
        return _Stream(self, request, talk, mark)

    async def run(self, request: Request, talk: Talk, mark: Mark, out: "_Out") -> None:
        """Sends events until the stream is ended, by whichever side."""
        visitor = visitor_of(request)
        may = (visitor.person.role, visitor.person.rights)
        with self._hub.watching(talk.address, talk.number, visitor.session, may) as watch:
            lap = _Lap(self, request, talk.key, watch, out, mark)
            await out.send("retry: 1000\n\n")
            await out.event("version", version())
            if self._hub.doubtful(talk.address) and not await talk.answering():
                self._hub.settle(talk.address)
            while await lap.done():
                await self._changed(watch, out)

    async def _changed(self, watch: Watch, out: "_Out") -> None:
        """Waits for a change, and gives signs of life meanwhile.

        A sign tells nothing, so nobody's rights are read for it: the watch over all pages ends the
        streams of those who have lost theirs.
        """
        while not watch.changed.is_set():
            try:
                async with asyncio.timeout(BEAT_SECONDS):
                    await watch.changed.wait()
            except TimeoutError:
                self._hub.settle(watch.address, _FADES)
                await out.send(": alive\n\n")

    @property
    def talks(self) -> Talks:
        return self._talks

    @property
    def hub(self) -> Hub:
        return self._hub

    @property
    def people(self) -> SignedIn:
        return self._people

    @property
    def shell(self) -> Shell:
        return self._shell

    @property
    def streams(self) -> Places:
        return self._streams


class _Lap:
    """Sends one stream what it lacks, lap by lap."""

    def __init__(
        self,
        pages: EventPages,
        request: Request,
        key: str,
        watch: Watch,
        out: "_Out",
        mark: Mark,
    ) -> None:
        self._pages = pages
        self._request = request
        self._key = key
        self._watch = watch
        self._out = out
        self._mark = mark
        self._draft = ("", False)
        self._waiting = -1

    async def done(self) -> bool:
        """Sends what is new; returns False for a stream that ends.

        Who asks is read afresh for each event: a session may have ended, or lost a right.
        """
        watch = self._watch
        # The first words of an answer stand at once; what follows is gathered.
        if not (watch.draft and not self._draft[0]):
            await asyncio.sleep(_LAP_SECONDS)
        watch.changed.clear()
        try:
            talk = await self._talk()
            if talk is not None and watch.stirred:
                watch.stirred = False
                if await self._deleted(talk):
                    return False
                talk = await self._news(talk)
                if talk is not None and self._passes:
                    # The news took a while: what passes by is another event.
                    talk = await self._talk()
            if talk is None:
                await self._out.event("left", "")
                return False
        except StoreError:
            # The store is away: nothing is lost, and the look is repeated.
            watch.stirred = watch.erased = True
            await asyncio.sleep(_AGAIN_SECONDS)
            watch.changed.set()
            return True
        await self._passing()
        return True

    async def _talk(self) -> Talk | None:
        """Returns the conversation while who asks is signed in and has it; None afterwards."""
        visitor = await self._pages.people.still(self._request.cookies)
        if visitor is None or self._watch.ended:
            return None
        self._request.state.visitor = visitor
        return await self._pages.talks.of(visitor.person, self._key)

    async def _deleted(self, talk: Talk) -> bool:
        """Tells a page that words which it may show were erased; returns True if all of them."""
        line = number_of(self._request.query_params.get("line", ""))
        if not self._watch.erased or line is None:
            return False
        self._watch.erased = False
        erased = await talk.erased(line)
        if erased:
            await self._out.event("erased", erased)
        return erased == "all"

    async def _news(self, talk: Talk) -> Talk | None:
        """Sends what is new; returns the conversation, or None once the right to it has ended."""
        news, looked = await talk.news(self._mark)
        self._watch.past = looked.past
        if news or self._waiting < 0:
            chat = await talk.told()
            frame = await self._pages.shell.frame(self._request, "chat", chat.title)
            for number, seen in enumerate(news):
                # A browser that reads slowly takes minutes for all of it.
                found = await self._talk() if number else talk
                if found is None:
                    return None
                self._mark = await self._told(found, seen, chat, frame)
            await self._waits(frame)
        self._mark = self._mark.settled(looked.versions, looked.asking)
        return talk

    async def _told(self, talk: Talk, seen: Seen, chat: ShownChat, frame: Frame) -> Mark:
        """Sends one message as it is now; returns the mark behind it."""
        message = None if seen.gone else await talk.message(seen)
        if seen.said:
            mark = self._mark.with_said(seen.id, seen.newest, seen.version)
        else:
            # It may have changed again since it was seen.
            shown = seen.version if message is None else message.version
            mark = self._mark.with_shown(seen.id, shown)
        if seen.settles:
            self._pages.hub.settle(talk.address)
        if message is not None:
            html = await self._pages.shell.part(
                self._request, "message.html", message=message, chat=chat, frame=frame
            )
            await self._out.event("past" if seen.past else "message", html, str(mark))
        elif seen.gone:
            await self._out.event("gone", f"m-{'i' if seen.said else 'o'}{seen.id}", str(mark))
        return mark

    async def _waits(self, frame: Frame) -> None:
        if frame.waiting != self._waiting:
            self._waiting = frame.waiting
            await self._out.event("waiting", str(frame.waiting))

    @property
    def _passes(self) -> bool:
        """Returns True when something of the moment waits: a growing answer, or a notice."""
        watch = self._watch
        return bool(watch.notices) or (watch.draft, watch.working) != self._draft

    async def _passing(self) -> None:
        watch = self._watch
        draft = (watch.draft, watch.working)
        if draft != self._draft:
            self._draft = draft
            state = "typing" if watch.working else ""
            html = await self._pages.shell.part(
                self._request, "draft.html", text=watch.draft, state=state
            )
            await self._out.event("draft", html)
        while watch.notices:
            await self._out.event("told", watch.notices.popleft())


class _Out:
    """The way to one browser; the server lets go of one that reads too slowly."""

    def __init__(self, send: Send) -> None:
        self._send = send

    async def send(self, text: str) -> None:
        body = text.encode("utf-8", "replace")
        await self._send({"type": "http.response.body", "body": body, "more_body": True})

    async def event(self, name: str, data: str, id: str = "") -> None:
        lines = data.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        told = "".join(f"data: {line}\n" for line in lines)
        named = f"id: {id}\n" if id else ""
        await self.send(f"event: {name}\n{named}{told}\n")


class _Stream(Response):
    """The answer that goes on."""

    def __init__(self, pages: EventPages, request: Request, talk: Talk, mark: Mark) -> None:
        super().__init__(headers=_HEADERS)
        self._pages = pages
        self._request = request
        self._talk = talk
        self._mark = mark

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        out = _Out(send)
        running = asyncio.create_task(self._run(out), name="stream of events")
        gone = asyncio.create_task(_disconnected(receive), name="end of a stream")
        try:
            await asyncio.wait((running, gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (running, gone):
                task.cancel()
            await asyncio.gather(running, gone, return_exceptions=True)
        with suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _run(self, out: _Out) -> None:
        whose = visitor_of(self._request).whose
        with suppress(TimeoutError):
            async with asyncio.timeout(_LONGEST) as patience:
                with self._pages.streams.taken(patience, whose):
                    await self._pages.run(self._request, self._talk, self._mark, out)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
