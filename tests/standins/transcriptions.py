"""A strict stand-in for `/v1/audio/transcriptions`: multipart in, words out."""

import asyncio
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

_MOST_BYTES = 25 * 1024 * 1024
_FORMS = ("flac", "m4a", "mp3", "mp4", "mpeg", "mpga", "oga", "ogg", "wav", "webm")
_FIELDS = {"file", "model", "response_format", "language", "prompt", "temperature"}


@dataclass
class Transcriptions:
    """Answers with `words`, or by `statuses` first, in order; keeps what it was given.

    It refuses a wrong key, an unknown model, field or form, an empty or too large file, and a body
    that is not multipart. `body` is sent in place of an answer.
    """

    words: str = "buy milk"
    api_key: str = "test-key"
    model: str = "whisper-1"
    statuses: list[int] = field(default_factory=list[int])
    body: str | None = None
    heard: list[tuple[str, bytes]] = field(default_factory=list[tuple[str, bytes]])
    refusals: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    gate: asyncio.Event | None = None
    """Holds answers until it is set."""
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def app(self) -> Starlette:
        route = Route("/v1/audio/transcriptions", self._transcribe, methods=["POST"])
        return Starlette(routes=[route])

    async def _transcribe(self, http: Request) -> Response:
        if http.headers.get("authorization") != f"Bearer {self.api_key}":
            return self._refuse(401, "Incorrect API key provided.")
        if not http.headers.get("content-type", "").startswith("multipart/form-data; boundary="):
            return self._refuse(400, "The body is no multipart form.")
        async with http.form() as form:
            file = form.get("file")
            if fault := self._fault_of(form, file):
                return self._refuse(*fault)
            assert isinstance(file, UploadFile)
            name, sound = file.filename or "", await file.read()
        if fault := _fault_of_file(name, sound):
            return self._refuse(*fault)
        self.arrived.set()
        if self.gate is not None:
            await self.gate.wait()
        if self.statuses:
            return self._refuse(self.statuses.pop(0), "as the test wants")
        self.heard.append((name, sound))
        if self.body is not None:
            return PlainTextResponse(self.body)
        return JSONResponse({"text": self.words, "usage": {"type": "duration", "seconds": 7}})

    def _fault_of(self, form: FormData, file: object) -> tuple[int, str] | None:
        if unknown := form.keys() - _FIELDS:
            return 400, f"Unknown field: {sorted(unknown)[0]}."
        if not isinstance(file, UploadFile):
            return 400, "There is no file."
        if form.get("model") != self.model:
            return 404, f"The model `{form.get('model')}` does not exist."
        return None

    def _refuse(self, status: int, message: str) -> Response:
        self.refusals.append((status, message))
        return JSONResponse({"error": {"message": message}}, status)


def _fault_of_file(name: str, sound: bytes) -> tuple[int, str] | None:
    if name.rpartition(".")[2].lower() not in _FORMS:
        return 400, "Invalid file format."
    if not sound:
        return 400, "The audio file is empty."
    if len(sound) > _MOST_BYTES:
        return 413, "Maximum content size limit (26214400) exceeded."
    return None
