"""Reads what a form sends: bounded while it comes, and refused without the token of its page."""

import asyncio
import re
from collections.abc import AsyncGenerator, MutableMapping
from contextlib import asynccontextmanager
from hmac import compare_digest
from typing import Any
from urllib.parse import parse_qsl

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import ClientDisconnect, Request

from bot.adapters.http_body import is_declared_over
from bot.adapters.web.gate import SignedIn
from bot.adapters.web.owners_route import check_owner
from bot.adapters.web.places import NoPlace, Places
from bot.adapters.web.shell import visitor_of
from bot.domain.text.storable import storable

MOST_BYTES = 1024 * 1024
"""Bytes of a form without files."""

MOST_FILES = 10
MOST_FILE_BYTES = 20 * 1024 * 1024
"""Bytes of all files of one message."""

READ_SECONDS, FILES_SECONDS = 60.0, 600.0
"""Seconds for a form, and for one with files: a phone far from its mast sends 300 kbit a second."""

_AT_ONCE, _FILES_AT_ONCE = 64, 16
"""Forms that are read at the same time, and others with files."""

_MOST_FIELDS = 20
_LONGEST_CODE = 4_096
"""Bytes of the form of somebody who is not signed in."""

_PLAIN = re.compile(r"application/x-www-form-urlencoded(?:; ?charset=utf-8)?", re.IGNORECASE)
_FILES = re.compile(r"multipart/form-data; ?boundary=\"?[\w'()+,./:=?-]{1,70}\"?", re.IGNORECASE)
"""Forms as browsers send them: a set of characters of the sender's choice takes minutes to read."""

_TOO_LARGE = f"That is too large. Files of one message have at most {MOST_FILE_BYTES >> 20} MB."
_FORGED = "This form is from an older page. Nothing was done. Load the page again, and repeat it."
_SLOW = "The form did not come in time. Nothing was done. Send it again."
_BROKEN = (
    f"The form did not come whole, or with more than {MOST_FILES} files. Nothing was done. "
    "Load the page again, and repeat it."
)
FILES_AT_ONCE = "Too many of your files come at once. Nothing was sent. Send it again in a moment."
_LEFT = "You are not signed in any more. Nothing was done. Sign in, and repeat it."


class Forms:
    """The forms that are being read."""

    def __init__(self, people: SignedIn) -> None:
        self._people = people
        self._plain, self._with_files = Places(_AT_ONCE), Places(_FILES_AT_ONCE, lasting=True)

    @asynccontextmanager
    async def of(self, request: Request) -> AsyncGenerator[FormData]:
        """Yields the fields of a form; raises HTTPException with a sentence for any other one.

        The form must have the token of a session, which is read again: a form may take its time,
        and its person may have lost the right meanwhile.
        """
        form = await self._read(request, visitor_of(request).whose)
        try:
            visitor = request.state.visitor = await self._people.still(request.cookies)
            if visitor is None:
                raise HTTPException(401, _LEFT)
            check_owner(request)
            sent = form.get("csrf")
            if not (isinstance(sent, str) and compare_digest(sent.encode(), visitor.csrf.encode())):
                raise HTTPException(403, _FORGED)
            yield form
        finally:
            await form.close()

    async def of_stranger(self, request: Request) -> FormData:
        """Returns the fields of a short form, from whomever it is."""
        if _PLAIN.fullmatch(request.headers.get("content-type", "")) is None:
            raise HTTPException(400, _BROKEN)
        return await self._read(request, "", _LONGEST_CODE)

    async def _read(self, request: Request, whose: str, most: int = 0) -> FormData:
        kind = request.headers.get("content-type", "")
        with_files = _FILES.fullmatch(kind) is not None
        if not with_files and _PLAIN.fullmatch(kind) is None:
            raise HTTPException(400, _BROKEN)
        places, most = (
            (self._with_files, MOST_FILE_BYTES) if with_files else (self._plain, most or MOST_BYTES)
        )
        bounded = _bounded(request, most)
        try:
            seconds = FILES_SECONDS if with_files else READ_SECONDS
            async with asyncio.timeout(seconds) as patience:
                with places.taken(patience, whose):
                    if not with_files:
                        return await asyncio.to_thread(_fields, await bounded.body())
                    return await bounded.form(
                        max_files=MOST_FILES, max_fields=_MOST_FIELDS, max_part_size=MOST_BYTES
                    )
        except TimeoutError:
            raise HTTPException(408, _SLOW) from None
        except NoPlace:
            raise HTTPException(429, FILES_AT_ONCE) from None
        except (MultiPartException, ClientDisconnect, ValueError):
            raise HTTPException(400, _BROKEN) from None


def text_of(form: FormData, name: str, most: int = 200) -> str:
    """Returns a field of a form; raises HTTPException for one that is too long."""
    value = form.get(name, "")
    text = storable(value) if isinstance(value, str) else ""
    if len(text) > most:
        raise HTTPException(413, f"That has more than {most:,} characters. Nothing was sent.")
    return text


def files_of(form: FormData) -> list[UploadFile]:
    """Returns the files of a form; a field that was left empty is none."""
    sent = (one for one in form.getlist("file") if isinstance(one, UploadFile))
    return [one for one in sent if one.filename or one.size]


def _bounded(request: Request, most: int) -> Request:
    """Returns the request with a body that ends in a refusal when it grows too long."""
    if is_declared_over(request.headers.get("content-length", "0"), most):
        raise HTTPException(413, _TOO_LARGE)
    came = 0

    async def receive() -> MutableMapping[str, Any]:
        nonlocal came
        event = await request.receive()
        came += len(event.get("body", b""))
        if came > most:
            raise HTTPException(413, _TOO_LARGE)
        return event

    # Without its application the reader of forms leaves its faults to us.
    scope = {name: value for name, value in request.scope.items() if name != "app"}
    return Request(scope, receive)


def _fields(body: bytes) -> FormData:
    """Returns the fields of a form without files; on a thread, as many signs take a while."""
    text = body.decode("latin-1")
    pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    return FormData(list[tuple[str, str | UploadFile]](pairs))
