"""The stand-in itself: routes, judgement of each request, and what a test may ask of it."""

from collections.abc import Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.standins.messages_api.admission import body_refusal, key_refusal, parsed
from tests.standins.messages_api.issued import Issued
from tests.standins.messages_api.judgement import first_fault, first_window_fault
from tests.standins.messages_api.messages import compose
from tests.standins.messages_api.model_profiles import PROFILES, ModelProfile
from tests.standins.messages_api.playback import Playback, refused
from tests.standins.messages_api.prompt_cache import PromptCache, Usage
from tests.standins.messages_api.recording import Arrivals, ReceivedRequest
from tests.standins.messages_api.refusal import Refusal
from tests.standins.messages_api.replies import Reply
from tests.standins.messages_api.rules.terms import Terms
from tests.standins.messages_api.script import Respond, Script
from tests.standins.messages_api.wire import Json, tokens


class MessagesApi:
    """A Messages API that answers by script and refuses what the real one refuses.

    `strict=False` turns validation and cache accounting off, for load and benchmarks; `keep`
    bounds how many requests are recorded; `context_window` (tokens) overrides the models' own.
    """

    def __init__(
        self,
        *replies: Reply,
        respond: Respond | None = None,
        api_key: str = "test-key",
        strict: bool = True,
        context_window: int | None = None,
        keep: int | None = None,
        profiles: Mapping[str, ModelProfile] = PROFILES,
    ) -> None:
        self.script = Script(replies, respond)
        self.refusals: list[tuple[int, str]] = []
        self.usage_totals = Usage()
        self.most_listed = 1000
        """The most models on a page of the list, whatever limit is asked for."""
        self._api_key = api_key
        self._strict = strict
        self._context_window = context_window
        self._profiles = profiles
        self._arrivals = Arrivals(keep)
        self._issued = Issued()
        self._cache = PromptCache()
        self._answers = 0
        self.app = Starlette(
            routes=[
                Route("/v1/messages", self._messages, methods=["POST"]),
                Route("/v1/messages/count_tokens", self._count_tokens, methods=["POST"]),
                Route("/v1/models", self._models, methods=["GET"]),
                Route("/v1/models/{model_id}", self._model, methods=["GET"]),
            ]
        )

    @property
    def requests(self) -> list[ReceivedRequest]:
        """The recorded calls of /v1/messages with a readable body, in order of arrival."""
        return list(self._arrivals.requests)

    async def received(self, count: int) -> ReceivedRequest:
        """Wait until so many requests have come in all; returns the latest."""
        await self._arrivals.reached(count)
        return self._arrivals.requests[-1]

    def assert_exhausted(self) -> None:
        """Fail if scripted replies are left over, or if a request found none."""
        self.script.assert_exhausted()

    async def _messages(self, http: Request) -> Response:
        raw = await http.body()
        body = self._admitted(http, raw)
        if isinstance(body, Refusal):
            return self._refuse(body)
        request = await self._arrivals.add(dict(http.headers), body, len(raw))
        refusal = self._judged(request) if self._strict else None
        return self._refuse(refusal) if refusal else self._answer(request)

    async def _count_tokens(self, http: Request) -> Response:
        raw = await http.body()
        body = self._admitted(http, raw)
        if isinstance(body, Refusal):
            return self._refuse(body)
        return JSONResponse({"input_tokens": tokens(len(raw))})

    async def _model(self, http: Request) -> Response:
        model_id: str = http.path_params["model_id"]
        refusal = key_refusal(http.headers, self._api_key)
        if refusal is None and model_id not in self._profiles:
            refusal = Refusal(404, f"model: {model_id}")
        if refusal:
            return self._refuse(refusal)
        return JSONResponse(_model_info(self._profiles[model_id]))

    async def _models(self, http: Request) -> Response:
        """A page of the list; like the provider it takes a limit of 1 to 1000 and two marks."""
        refusal = key_refusal(http.headers, self._api_key)
        names, query = list(self._profiles), http.query_params
        limit, after = query.get("limit", "20"), query.get("after_id")
        if refusal is None and set(query) - {"limit", "after_id"}:
            refusal = Refusal(400, "unexpected query parameters")
        if refusal is None and not (limit.isdecimal() and 1 <= int(limit) <= 1000):
            refusal = Refusal(400, "limit: must be between 1 and 1000")
        if refusal is None and after is not None and after not in names:
            refusal = Refusal(400, "after_id: unknown model")
        if refusal:
            return self._refuse(refusal)
        rest = names[names.index(after) + 1 :] if after else names
        page = rest[: min(int(limit), self.most_listed)]
        return JSONResponse(
            {
                "data": [_model_info(self._profiles[name]) for name in page],
                "has_more": len(page) < len(rest),
                "first_id": page[0] if page else None,
                "last_id": page[-1] if page else None,
            }
        )

    def _admitted(self, http: Request, raw: bytes) -> Json | Refusal:
        refusal = key_refusal(http.headers, self._api_key) or body_refusal(http.headers, raw)
        return refusal or parsed(raw)

    def _judged(self, request: ReceivedRequest) -> Refusal | None:
        body = request.body
        if "model" not in body:
            return Refusal(400, "model: Field required")
        profile = self._profiles.get(body["model"])
        if profile is None:
            return Refusal(404, f"model: {body['model']}")
        terms = Terms.of(request.headers)
        fault = first_fault(body, profile, self._issued, terms) or first_window_fault(
            body,
            profile,
            input_tokens=tokens(request.size),
            window=self._context_window or profile.context_window,
        )
        return Refusal(400, fault) if fault else None

    def _answer(self, request: ReceivedRequest) -> Response:
        reply = self.script.next(request)
        self._answers += 1
        request_id = f"req_{self._answers:08d}"
        message = {} if reply.refusal else self._composed(reply, request)
        streamed = bool(request.body.get("stream"))
        return Playback(reply, message, streamed=streamed, request_id=request_id)

    def _composed(self, reply: Reply, request: ReceivedRequest) -> Json:
        body, total = request.body, tokens(request.size)
        prompt = Usage(input_tokens=total)
        if self._strict:
            prompt = self._cache.account(body, self._profiles[body["model"]], total)
        message_id = f"msg_{self._answers:08d}"
        message = compose(reply, body, message_id=message_id, prompt=prompt)
        if self._strict:
            self._issued.remember(body["model"], message["content"], message["stop_reason"])
        answered = Usage(output_tokens=message["usage"]["output_tokens"])
        self.usage_totals += prompt + answered
        return message

    def _refuse(self, refusal: Refusal) -> Response:
        self.refusals.append((refusal.status, refusal.message))
        return refused(refusal, f"req_refused_{len(self.refusals):06d}")


def _model_info(profile: ModelProfile) -> dict[str, Any]:
    return {
        "type": "model",
        "id": profile.name,
        "display_name": profile.display_name,
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": "active",
        "max_input_tokens": profile.context_window,
        "max_tokens": profile.max_output,
    }
