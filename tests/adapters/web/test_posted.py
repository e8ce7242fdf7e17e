"""Forms that take their time: files have more of it than words."""

import asyncio
from collections.abc import MutableMapping
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request

from bot.adapters.web import posted as module
from bot.adapters.web.posted import FILES_SECONDS, MOST_FILE_BYTES, READ_SECONDS, Forms
from bot.adapters.web.visitor import Visitor
from bot.domain.talk.person import Person, Role

TOKEN = "a-token"
_VISITOR = Visitor(Person(1, "Ann", Role.MEMBER), "s", TOKEN, "web:1")
_WORDS = ("application/x-www-form-urlencoded", f"csrf={TOKEN}")
_FILES = (
    "multipart/form-data; boundary=x",
    f'--x\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n{TOKEN}\r\n--x--\r\n',
)


class _People:
    async def visitor(self, cookies: object) -> tuple[Visitor | None, str]:
        return _VISITOR, ""

    async def still(self, cookies: object) -> Visitor | None:
        return _VISITOR


def slow(kind: str, body: str) -> Request:
    """A form whose end comes after the time that a form without files has."""
    pieces = [(body[:5], True), (body[5:], False)]

    async def receive() -> MutableMapping[str, Any]:
        await asyncio.sleep(0.1)
        text, more = pieces.pop(0)
        return {"type": "http.request", "body": text.encode(), "more_body": more}

    headers = [(b"content-type", kind.encode())]
    scope = {"type": "http", "method": "POST", "path": "/", "headers": headers, "query_string": b""}
    return Request({**scope, "state": {"visitor": _VISITOR}}, receive)


async def test_files_that_come_slowly_are_taken_and_words_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "READ_SECONDS", 0.05)
    forms = Forms(_People())
    with pytest.raises(HTTPException, match="did not come in time"):
        async with forms.of(slow(*_WORDS)):
            pass
    async with forms.of(slow(*_FILES)) as form:
        assert form["csrf"] == TOKEN


def test_a_poor_line_is_enough_for_the_largest_files() -> None:
    assert MOST_FILE_BYTES * 8 / FILES_SECONDS < 300_000
    assert FILES_SECONDS > READ_SECONDS
