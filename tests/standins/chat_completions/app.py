"""The stand-in itself: routes, judgement of each request, and what a test may ask of it."""

import json
from collections.abc import Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.standins.chat_completions.events import chunks, completion, composed
from tests.standins.chat_completions.limits import LIMITS, ModelLimits
from tests.standins.chat_completions.playback import Playback, refused
from tests.standins.chat_completions.refusal import Refusal
from tests.standins.chat_completions.replies import Reply, failure
from tests.standins.chat_completions.rules import Issued, first_refusal, spent_refusal
from tests.standins.messages_api.recording import Arrivals, ReceivedRequest
from tests.standins.messages_api.wire import Json, tokens

_MAX_BODY = 32 * 1024 * 1024
_PLAIN: Mapping[str, Mapping[str, Any]] = {name: {} for name in LIMITS}


class ChatCompletions:
    """A Chat Completions server that answers by script and refuses what the real one refuses.

    `listed` are further fields of the entries of its list of models, as servers differ in them;
    with `listed` of None the server has no list. `api_key` of None takes any key.
    """

    def __init__(
        self,
        *replies: Reply,
        api_key: str | None = "test-key",
        limits: Mapping[str, ModelLimits] = LIMITS,
        listed: Mapping[str, Mapping[str, Any]] | None = _PLAIN,
    ) -> None:
        self._waiting = list(replies)
        self._api_key = api_key
        self._limits = limits
        self._listed = listed
        self._arrivals = Arrivals(None)
        self._issued = Issued()
        self._answers = 0
        self.refusals: list[tuple[int, str]] = []
        self.unanswered: list[str] = []
        self.app = Starlette(
            routes=[
                Route("/v1/chat/completions", self._completions, methods=["POST"]),
                Route("/v1/models", self._models, methods=["GET"]),
            ]
        )

    @property
    def requests(self) -> list[ReceivedRequest]:
        """The recorded requests with a readable body, in order of arrival."""
        return list(self._arrivals.requests)

    async def received(self, count: int) -> ReceivedRequest:
        """Wait until so many requests have come in all; returns the latest."""
        await self._arrivals.reached(count)
        return self._arrivals.requests[-1]

    def add(self, *replies: Reply) -> None:
        """Append replies to the script."""
        self._waiting.extend(replies)

    def assert_exhausted(self) -> None:
        """Fail if scripted replies are left over, or if a request found none."""
        assert not self._waiting, f"{len(self._waiting)} replies were never asked for"
        assert not self.unanswered, "; ".join(self.unanswered)

    async def _completions(self, http: Request) -> Response:
        raw = await http.body()
        body = self._admitted(http, raw)
        if isinstance(body, Refusal):
            return self._refuse(body)
        request = await self._arrivals.add(dict(http.headers), body, len(raw))
        limits = self._limits.get(str(body.get("model")))
        if limits is None:
            told = (
                f"The model `{body.get('model')}` does not exist or you do not have access to it."
            )
            return self._refuse(Refusal(404, told, None, "model_not_found"))
        refusal = first_refusal(body, limits, self._issued)
        return self._refuse(refusal) if refusal else self._answer(request, limits)

    async def _models(self, http: Request) -> Response:
        refusal = self._key_refusal(http)
        if refusal is not None:
            return self._refuse(refusal)
        if self._listed is None:
            return JSONResponse({"detail": "Not Found"}, 404)
        entries = [
            {"id": name, "object": "model", "owned_by": "stand-in", **fields}
            for name, fields in self._listed.items()
        ]
        return JSONResponse({"object": "list", "data": entries})

    def _key_refusal(self, http: Request) -> Refusal | None:
        scheme, _, token = http.headers.get("authorization", "").partition(" ")
        if self._api_key is None:
            return None
        if scheme != "Bearer" or not token:
            return Refusal(401, "You didn't provide an API key.")
        if token != self._api_key:
            return Refusal(401, f"Incorrect API key provided: {token}.", None, "invalid_api_key")
        return None

    def _admitted(self, http: Request, raw: bytes) -> Json | Refusal:
        refusal = self._key_refusal(http)
        if refusal is not None:
            return refusal
        if http.headers.get("content-type", "").partition(";")[0] != "application/json":
            return Refusal(400, "Unsupported media type.")
        if len(raw) > _MAX_BODY:
            return Refusal(413, "Request too large")
        try:
            body = json.loads(raw)
            json.dumps(body, ensure_ascii=False).encode()
        except ValueError:
            return Refusal(400, "We could not parse the JSON body of your request.")
        return body if isinstance(body, dict) else Refusal(400, "The body is no object.")

    def _answer(self, request: ReceivedRequest, limits: ModelLimits) -> Response:
        body = request.body
        reply = self._waiting.pop(0) if self._waiting else self._without(request)
        if spent := spent_refusal(body, limits, reply.thought):
            return self._refuse(spent)
        self._answers += 1
        whole = composed(reply, self._answers, tokens(request.size))
        if not (reply.refusal or reply.raw or reply.body):
            self._issued.remember(whole["message"])
        counted = bool((body.get("stream_options") or {}).get("include_usage"))
        model = f"{body['model']}-2026-11-01"
        events = list(chunks(reply, whole, model, self._answers, counted=counted))
        one = completion(whole, model, self._answers)
        return Playback(reply, events, one, streamed=bool(body.get("stream")))

    def _without(self, request: ReceivedRequest) -> Reply:
        message = f"the script holds no reply for request {request.number}"
        self.unanswered.append(message)
        return failure(500, message)

    def _refuse(self, refusal: Refusal) -> Response:
        self.refusals.append((refusal.status, refusal.message))
        return refused(refusal)
