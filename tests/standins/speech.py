"""A strict stand-in for `/v1/audio/speech`: words in, sound out."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.standins.opus import opus

VOICES = frozenset(
    {
        *("alloy", "ash", "ballad", "coral", "echo", "fable", "onyx", "nova", "sage", "shimmer"),
        *("verse", "marin", "cedar"),
    }
)
_FORMATS = ("mp3", "opus", "aac", "flac", "wav", "pcm")
_FIELDS = {"input", "model", "voice", "instructions", "response_format", "speed", "stream_format"}
_MOST_INPUT = 4096
_Fault = tuple[int, str, str]


@dataclass
class Speech:
    """Answers with a recording, or by `statuses` first, in order; keeps the words it spoke.

    It refuses a wrong key, an unknown field, model, voice or format, and words that are missing,
    blank or too long. `sound` is sent in place of an own recording.
    """

    api_key: str = "test-key"
    models: tuple[str, ...] = ("tts-1", "tts-1-hd", "gpt-4o-mini-tts")
    statuses: list[int] = field(default_factory=list[int])
    sound: bytes | None = None
    spoken: list[str] = field(default_factory=list[str])
    refusals: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    asked: int = 0
    gate: asyncio.Event | None = None
    """Holds answers until it is set."""
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def app(self) -> Starlette:
        speak = Route("/v1/audio/speech", self._speak, methods=["POST"])
        return Starlette(routes=[speak, Route("/v1/models", self._models, methods=["GET"])])

    async def _models(self, http: Request) -> Response:
        if fault := self._locked_out(http):
            return self._refuse(*fault)
        listed = [{"id": name, "object": "model"} for name in self.models]
        return JSONResponse({"object": "list", "data": listed})

    async def _speak(self, http: Request) -> Response:
        self.asked += 1
        if fault := self._locked_out(http):
            return self._refuse(*fault)
        if http.headers.get("content-type", "").partition(";")[0] != "application/json":
            return self._refuse(400, "invalid_request_error", "The body is no JSON.")
        body = await http.json()
        if not isinstance(body, Mapping):
            return self._refuse(400, "invalid_request_error", "The body is no object.")
        if fault := self._fault_of(body):
            return self._refuse(*fault)
        self.arrived.set()
        if self.gate is not None:
            await self.gate.wait()
        if self.statuses:
            return self._refuse(self.statuses.pop(0), "server_error", "as the test wants")
        self.spoken.append(body["input"])
        own = opus(len(body["input"]) / 15, body["input"].encode())
        return Response(self.sound if self.sound is not None else own, media_type="audio/ogg")

    def _locked_out(self, http: Request) -> _Fault | None:
        if http.headers.get("authorization") == f"Bearer {self.api_key}":
            return None
        return 401, "invalid_api_key", "Incorrect API key provided."

    def _fault_of(self, body: Mapping[str, Any]) -> _Fault | None:
        code = "invalid_request_error"
        if unknown := body.keys() - _FIELDS:
            return 400, code, f"Unknown parameter: '{sorted(unknown)[0]}'."
        missing = [name for name in ("model", "input", "voice") if not body.get(name)]
        if missing:
            return 400, code, f"Missing required parameter: '{missing[0]}'."
        if body["model"] not in self.models:
            told = f"The model `{body['model']}` does not exist or you do not have access to it."
            return 404, "model_not_found", told
        if body["voice"] not in VOICES:
            return 400, code, f"Invalid value: '{body['voice']}'. Supported values are voices."
        if body.get("response_format", "mp3") not in _FORMATS:
            return 400, code, f"Invalid value: '{body['response_format']}' for response_format."
        if not isinstance(body["input"], str) or not body["input"].strip():
            return 400, code, "The input has no words."
        if len(body["input"]) > _MOST_INPUT:
            return 400, "string_too_long", f"String should have at most {_MOST_INPUT} characters."
        return None

    def _refuse(self, status: int, code: str, message: str) -> Response:
        self.refusals.append((status, message))
        return JSONResponse({"error": {"message": message, "code": code, "type": code}}, status)
