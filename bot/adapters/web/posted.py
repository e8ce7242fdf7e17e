"""Reads what a form sends: bounded while it comes, and refused without the token of its page."""

import asyncio
import hmac
from collections.abc import AsyncGenerator, MutableMapping
from contextlib import asynccontextmanager
from typing import Any

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import ClientDisconnect, Request

from bot.adapters.http_body import is_declared_over
from bot.adapters.web.shell import visitor_of

MOST_BYTES = 512 * 1024
"""Bytes of a form without files."""

MOST_FILES = 10
MOST_FILE_BYTES = 20 * 1024 * 1024
"""Bytes of all files of one message."""

READ_SECONDS = 60.0
_AT_ONCE, _FILES_AT_ONCE = 64, 6
"""Forms that are read at the same time, and among them those with files."""

_MOST_FIELDS = 20
_TOO_LARGE = f"That is too large. Files of one message have at most {MOST_FILE_BYTES >> 20} MB."
_FORGED = "This form is from an older page. Nothing was done. Load the page again, and repeat it."
_BUSY = "Too many forms come at once. Nothing was done. Send it again in a moment."
_SLOW = "The form did not come within a minute. Nothing was done. Send it again."
_BROKEN = "The form cannot be read. Nothing was done."


class Forms:
    """The forms that are being read."""

    def __init__(self) -> None:
        self._reading = 0
        self._with_files = 0

    @asynccontextmanager
    async def of(self, request: Request, *, signed_in: bool = True) -> AsyncGenerator[FormData]:
        """Yields the fields of a form; raises HTTPException with a sentence for any other one.

        A form of somebody who is signed in must have the token of their session.
        """
        with_files = request.headers.get("content-type", "").startswith("multipart/")
        with_files = with_files and signed_in
        if self._reading >= _AT_ONCE or (with_files and self._with_files >= _FILES_AT_ONCE):
            raise HTTPException(503, _BUSY, {"retry-after": "1", "connection": "close"})
        self._reading += 1
        self._with_files += with_files
        try:
            form = await _read(request, MOST_FILE_BYTES if with_files else MOST_BYTES)
        finally:
            self._reading -= 1
            self._with_files -= with_files
        try:
            if signed_in:
                sent, wanted = str(form.get("csrf", "")), visitor_of(request).csrf
                if not hmac.compare_digest(sent.encode(), wanted.encode()):
                    raise HTTPException(403, _FORGED)
            yield form
        finally:
            await form.close()


def text_of(form: FormData, name: str, most: int = 200) -> str:
    """Returns a field of a form; raises HTTPException for one that is too long."""
    value = form.get(name, "")
    text = value if isinstance(value, str) else ""
    if len(text) > most:
        raise HTTPException(413, f"That has more than {most:,} characters. Nothing was sent.")
    return text


def files_of(form: FormData) -> list[UploadFile]:
    """Returns the files of a form; a field that was left empty is none."""
    sent = (one for one in form.getlist("file") if isinstance(one, UploadFile))
    return [one for one in sent if one.filename or one.size]


async def _read(request: Request, most: int) -> FormData:
    closing = {"connection": "close"}
    if is_declared_over(request.headers.get("content-length", "0"), most):
        raise HTTPException(413, _TOO_LARGE, closing)
    came = 0

    async def receive() -> MutableMapping[str, Any]:
        nonlocal came
        event = await request.receive()
        came += len(event.get("body", b""))
        if came > most:
            raise HTTPException(413, _TOO_LARGE, closing)
        return event

    bounded = Request(request.scope, receive)
    try:
        async with asyncio.timeout(READ_SECONDS):
            return await bounded.form(
                max_files=MOST_FILES, max_fields=_MOST_FIELDS, max_part_size=MOST_BYTES
            )
    except TimeoutError:
        raise HTTPException(408, _SLOW, closing) from None
    except (MultiPartException, ClientDisconnect, ValueError):
        raise HTTPException(400, _BROKEN, closing) from None
