"""The chat: what was said, and what a person says, presses and stops."""

import asyncio
import hashlib
import re
import secrets
from collections.abc import Sequence
from typing import Protocol

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from bot.adapters.web.counted import counted
from bot.adapters.web.pages.listed import number_of, place_in, row_key, ways_told
from bot.adapters.web.posted import FILES_AT_ONCE, Forms, files_of, text_of
from bot.adapters.web.shell import Shell, visitor_of
from bot.adapters.web.talks import Stands, Talk, Talks
from bot.adapters.web.update import Writing
from bot.adapters.web.uploads import NoRoom, TooManyAtOnce, Uploads
from bot.domain.talk.errors import StoreError
from bot.domain.talk.message import RawUpdate
from bot.domain.value import frozen
from bot.ports.clock import Clock

LONGEST_TEXT = 200_000
"""Characters of one message."""

_ONCE = re.compile(r"[A-Za-z0-9_-]{8,64}")
_OWN = re.compile(r"/[A-Za-z0-9/~:_.?=&%-]*")
_EMPTY = "There is nothing in this message. Nothing was sent."
_UNNAMED = "The form is not complete. Nothing was sent. Load the page again, and repeat it."
_GONE = "This message is not there any more. Nothing was done."
_DELETED = (
    "This conversation was deleted meanwhile. Nothing was sent. Load the page again to start anew."
)
_UNSTORED = "The message could not be saved just now. Nothing was done. Send it again."
_FULL = (
    "There is no room for more files: each is kept for two days. Nothing was sent. Send it later, "
    "or without files."
)
_LOOKS, _LOOK_EVERY = 100, 0.02
"""Looks for the id of a message that was just shown, and the seconds between two."""


class Commands(Protocol):
    """The commands that a person can give."""

    def __call__(self, *, owner: bool) -> Sequence[tuple[str, str, str]]:
        """Returns the name, the summary and the usage of each."""
        ...


@frozen
class ChatPages:
    """The pages of conversations; whatever a form sends is stored as an update of the page."""

    _talks: Talks
    _forms: Forms
    _shell: Shell
    _uploads: Uploads
    _clock: Clock
    _commands: Commands

    def routes(self) -> Sequence[Route]:
        post = ["POST"]
        return [
            Route("/", self.home),
            Route("/chats", self.chats),
            Route("/chat/new", self.begin, methods=post),
            Route("/chat/{key}", self.chat),
            Route("/chat/{key}/older", self.older),
            Route("/chat/{key}/side", self.side),
            Route("/chat/{key}/say", self.say, methods=post),
            Route("/chat/{key}/press", self.press, methods=post),
            Route("/chat/{key}/word", self.word, methods=post),
            Route("/chat/{key}/stop", self.stop, methods=post),
        ]

    async def home(self, request: Request) -> Response:
        person = visitor_of(request).person
        listed = await self._talks.listed(person)
        key = listed[0].key if listed else await self._talks.begin(person)
        return RedirectResponse(f"/chat/{key}", 303)

    async def chats(self, request: Request) -> Response:
        place = place_in(request, row_key)
        listed, ways = await self._talks.part(visitor_of(request).person, place)
        return await self._shell.page(
            request,
            "chats.html",
            here="chat",
            title="Conversations",
            chats=listed,
            ways=ways_told(ways),
        )

    async def chat(self, request: Request) -> Response:
        visitor, talk = visitor_of(request), await self._talk(request)
        # First, so that whatever is erased from now on counts as erased below this page.
        line = await talk.line()
        part, told = await talk.part(), await talk.told()
        return await self._shell.page(
            request,
            "chat.html",
            here="chat",
            title=told.title,
            chat=told,
            chats=await self._talks.listed(visitor.person, talk.key),
            messages=part.messages,
            seen=await talk.in_view(),
            openable=await talk.openable(),
            older=_older(talk, part.before),
            commands=self._commands(owner=visitor.person.is_owner),
            draft_id=secrets.token_hex(8),
            line=line,
            stream=f"/chat/{talk.key}/events?mark={part.mark}&line={line}",
        )

    async def older(self, request: Request) -> Response:
        """Returns an earlier part: messages for the script of a page, a page for a browser."""
        talk = await self._talk(request)
        part, told = await talk.part(request.query_params.get("before", "")), await talk.told()
        if "text/html" in request.headers.get("accept", ""):
            earlier = _older(talk, part.before)
            return await self._shell.past(request, told, part.messages, earlier=earlier)
        frame = await self._shell.frame(request, "chat", told.title)
        html = await self._shell.part(
            request,
            "older.html",
            frame=frame,
            chat=told,
            messages=part.messages,
            older=_older(talk, part.before),
        )
        return HTMLResponse(html)

    async def side(self, request: Request) -> Response:
        """Shows what the model has in view now; the page asks again after each answer."""
        talk = await self._talk(request)
        told = await talk.told()
        frame = await self._shell.frame(request, "chat", told.title)
        seen, openable = await talk.in_view(), await talk.openable()
        html = await self._shell.part(
            request, "side.html", frame=frame, chat=told, seen=seen, openable=openable
        )
        return HTMLResponse(html)

    async def begin(self, request: Request) -> Response:
        async with self._forms.of(request):
            key = await self._talks.begin(visitor_of(request).person)
        return RedirectResponse(f"/chat/{key}", 303)

    async def say(self, request: Request) -> Response:
        talk = await self._talk(request)
        async with self._forms.of(request) as form:
            text, files = text_of(form, "text", LONGEST_TEXT), files_of(form)
            writing = self._writing(request, talk, text_of(form, "id"))
            edits, line = text_of(form, "edits"), number_of(text_of(form, "line"))
            if line is not None and await talk.erased(line) == "all":
                raise HTTPException(409, _DELETED)
            if not (text.strip() or files):
                raise HTTPException(400, _EMPTY)
            try:
                kept = [
                    await self._uploads.keep(one, writing.key, n) for n, one in enumerate(files)
                ]
            except NoRoom:
                raise HTTPException(507, _FULL) from None
            except TooManyAtOnce:
                raise HTTPException(429, FILES_AT_ONCE) from None
        edited = await talk.own_id(edits) if edits else ""
        await self._store(writing.message(text, kept, edits=edited))
        return _back(request, talk)

    async def stop(self, request: Request) -> Response:
        talk = await self._talk(request)
        async with self._forms.of(request) as form:
            writing = self._writing(request, talk, text_of(form, "id"))
        await self._store(writing.message("/stop"))
        return _back(request, talk)

    async def press(self, request: Request) -> Response:
        talk = await self._talk(request)
        async with self._forms.of(request) as form:
            data, back = text_of(form, "data"), text_of(form, "back")
            named, once = _named(form)
        # Each button of one rendering has a name of its own.
        writing = self._writing(request, talk, f"{named}-{once}-{_short(data)}")
        stands = await self._standing(talk, named)
        await self._store(writing.press(data, stands.message_id))
        await counted(request, self._clock, lambda: talk.stands(named), stands)
        return _back(request, talk, back)

    async def word(self, request: Request) -> Response:
        """Takes the words that a button or a message asks for: they answer that message."""
        talk = await self._talk(request)
        async with self._forms.of(request) as form:
            data, text = text_of(form, "data"), text_of(form, "text", LONGEST_TEXT)
            (named, once), back = _named(form), text_of(form, "back")
        writing = self._writing(request, talk, f"{named}-{once}-{_short(data)}")
        if not text.strip():
            raise HTTPException(400, _EMPTY)
        stands = await self._standing(talk, named)
        cited = next((block.text for block in stands.content.blocks), "")[:1_000]
        words = writing.message(text, reply_to=stands.message_id, cited=cited, asked=data)
        await self._store(words)
        await counted(request, self._clock, lambda: talk.stands(named), stands)
        return _back(request, talk, back)

    async def _talk(self, request: Request) -> Talk:
        talk = await self._talks.of(visitor_of(request).person, request.path_params["key"])
        if talk is None:
            raise HTTPException(404)
        return talk

    async def _standing(self, talk: Talk, message: str) -> Stands:
        """Returns a message once its id is known: a person may be faster than its record."""
        for _ in range(_LOOKS):
            stands = await talk.stands(message)
            if stands is None:
                break
            if stands.message_id:
                return stands
            await asyncio.sleep(_LOOK_EVERY)
        raise HTTPException(409, _GONE)

    def _writing(self, request: Request, talk: Talk, once: str) -> Writing:
        once = once or secrets.token_hex(8)
        if _ONCE.fullmatch(once) is None:
            raise HTTPException(400, _UNNAMED)
        visitor = visitor_of(request)
        name, now = visitor.person.name, self._clock.now()
        return Writing(visitor.account, name, talk.address, visitor.session, once, now)

    async def _store(self, update: RawUpdate) -> None:
        try:
            await self._talks.accept(update)
        except StoreError:
            raise HTTPException(503, _UNSTORED, {"retry-after": "1"}) from None


def _back(request: Request, talk: Talk, back: str = "") -> Response:
    """Returns to the page that a form stands on, which is always one of our own."""
    own = _OWN.fullmatch(back) is not None and not back.startswith("//")
    return RedirectResponse(back if own else f"/chat/{talk.key}", 303)


def _named(form: FormData) -> tuple[str, str]:
    """Returns the message that a form is about, and the name of its rendering."""
    return text_of(form, "message"), text_of(form, "id") or secrets.token_hex(6)


def _older(talk: Talk, before: str) -> str:
    return f"/chat/{talk.key}/older?before={before}" if before else ""


def _short(data: str) -> str:
    return hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest()[:12]
