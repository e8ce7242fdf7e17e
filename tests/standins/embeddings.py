"""A strict server of /v1/embeddings: it refuses what OpenAI's refuses."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.fakes.embedder import embedded
from tests.standins.serving import drop_connection

KEY = "sk-embed-0123456789"
MODEL = "text-embedding-test"
_MOST_INPUTS = 2048
_MOST_TOKENS = 8192
_MOST_TOKENS_IN_ALL = 300_000
_FIELDS = {"model", "input", "encoding_format", "dimensions", "user"}


def settings_for(url: str) -> dict[str, str]:
    """Returns the settings by which the program finds a server at this address."""
    return {
        "STEWARD_EMBED_URL": f"{url}/v1",
        "STEWARD_EMBED_MODEL": MODEL,
        "STEWARD_EMBED_KEY": KEY,
    }


class Embeddings:
    """Answers with vectors of the tests' embedder; a `fate` changes the next answers."""

    def __init__(
        self, size: int = 256, most_tokens: int = _MOST_TOKENS, model: str = MODEL
    ) -> None:
        self.model = model
        self.size = size
        self.most_tokens = most_tokens
        self.inputs: list[str] = []
        """Texts that were answered, with vectors good or bad."""
        self.asked: list[tuple[str, ...]] = []
        """The texts of each request that was not refused for its form."""
        self.fate = ""
        """`down`, `drop`, `refuse`, `huge`, `html`, `held`, or one of SPOILT; empty for none.

        `silent` is a good answer that tells no usage.
        """
        self.tokens: list[int] = []
        """The tokens that each good answer told."""
        self.spared = 0
        """Texts that are answered before `held` holds anything."""
        self.waiting = 0
        """Requests that are held now, or were when their sender died."""
        self.released = asyncio.Event()
        self.app = Starlette(routes=[Route("/v1/embeddings", self._answer, methods=["POST"])])

    async def _answer(self, request: Request) -> Response:
        if request.headers.get("authorization") != f"Bearer {KEY}":
            return _refused(401, "Incorrect API key provided.", "invalid_api_key")
        if not request.headers.get("content-type", "").startswith("application/json"):
            return _refused(400, "We could not parse the JSON body of your request.")
        body = json.loads(await request.body())
        refusal = self._judged(body)
        return refusal or await self._fated(request, body)

    def _judged(self, body: Mapping[str, Any]) -> Response | None:
        """Returns the refusal of a request that the real service refuses."""
        return self._judged_form(body) or self._judged_size(body["input"])

    def _judged_form(self, body: Mapping[str, Any]) -> Response | None:
        if unknown := body.keys() - _FIELDS:
            return _refused(400, f"Unrecognized request argument supplied: {min(unknown)}")
        if body.get("model") != self.model:
            told = f"The model `{body.get('model')}` does not exist or you do not have access."
            return _refused(404, told, "model_not_found")
        given = body.get("input")
        texts = [given] if isinstance(given, str) else given
        if not isinstance(texts, list) or not texts or not all(isinstance(t, str) for t in texts):
            return _refused(400, "'$.input' is invalid. Please check the API reference.")
        if body.get("encoding_format", "float") not in ("float", "base64"):
            return _refused(400, "Invalid value for 'encoding_format'.")
        return None

    def _judged_size(self, given: str | list[str]) -> Response | None:
        texts = [given] if isinstance(given, str) else given
        if len(texts) > _MOST_INPUTS:
            return _refused(400, f"'input' array must be {_MOST_INPUTS} dimensions or less")
        if not all(texts):
            return _refused(400, "'$.input' is invalid: input cannot be an empty string.")
        tokens = [_tokens(text) for text in texts]
        if max(tokens) > self.most_tokens:
            told = f"This model's maximum context length is {self.most_tokens} tokens"
            return _refused(400, f"{told}, however you requested {max(tokens)} tokens.")
        if sum(tokens) > _MOST_TOKENS_IN_ALL:
            return _refused(400, "Requested too many tokens, max 300000 tokens per request")
        return None

    async def _fated(self, request: Request, body: Mapping[str, Any]) -> Response:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        self.asked.append(tuple(texts))
        match self.fate:
            case "refuse":
                return _refused(400, "This model cannot be used at the moment.")
            case "down":
                return _refused(503, "The engine is currently overloaded", "server_error")
            case "drop":
                await drop_connection(request)
            case "held" if len(self.inputs) >= self.spared:
                self.waiting += 1
                await self.released.wait()
            case "html":
                return Response("<html>login</html>", media_type="text/html")
            case "huge":
                return Response(b" " * 5_000_000 + b"{}", media_type="application/json")
            case _:
                pass
        self.inputs.extend(texts)
        data = [
            {"object": "embedding", "index": n, "embedding": list(embedded(text, self.size))}
            for n, text in enumerate(texts)
        ]
        data = SPOILT.get(self.fate, list)(data)
        count = sum(map(_tokens, texts))
        told: dict[str, Any] = {"object": "list", "model": self.model, "data": data}
        if self.fate != "silent":
            told["usage"] = {"prompt_tokens": count, "total_tokens": count}
            self.tokens.append(count)
        return Response(json.dumps(told), media_type="application/json")


def _first(**changes: Any) -> Callable[[list[dict[str, Any]]], list[dict[str, Any]]]:
    """Changes the first vector of an answer."""
    return lambda data: [data[0] | changes, *data[1:]]


SPOILT: Mapping[str, Callable[[list[dict[str, Any]]], list[dict[str, Any]]]] = {
    "nan": _first(embedding=[float("nan")] * 256),
    "overflow": _first(embedding=[10**400] * 256),
    "strings": _first(embedding=["0.1"] * 256),
    "empty": _first(embedding=[]),
    "infinite": _first(index=float("inf")),
    "fewer": lambda data: data[:-1],
    "twice": lambda data: [*data, data[0]],
    "none": lambda data: [],
    "uneven": lambda data: [*data[:-1], data[-1] | {"embedding": [1.0]}],
}
"""Answers whose vectors are no vectors, by their fates."""


def _tokens(text: str) -> int:
    """Counts roughly as byte pair encodings do: a token is some four bytes of plain words."""
    return sum(max(1, len(word.encode()) // 4) for word in text.split()) or 1


def _refused(status: int, message: str, code: str | None = None) -> Response:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    return JSONResponse({"error": error}, status)
