"""The stand-in itself: judgement of each request, the stream, and what a test may ask of it."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.standins.chat_completions.app import ChatCompletions
from tests.standins.chat_completions.playback import refused
from tests.standins.chat_completions.refusal import Refusal
from tests.standins.messages_api.wire import Json, size, tokens
from tests.standins.responses_api.replies import Reply, failure, pieces
from tests.standins.responses_api.rules import SEALED, SOURCES, Issued, first_refusal


class ResponsesApi:
    """The Responses API beside the Chat Completions of the same key; each has its own script."""

    def __init__(self, *replies: Reply, api_key: str = "test-key") -> None:
        self._waiting = list(replies)
        self._api_key = api_key
        self._issued = Issued()
        self.chat = ChatCompletions(api_key=api_key)
        self.bodies: list[Json] = []
        self.refusals: list[str] = []
        self.app = Starlette(
            routes=[
                Route("/v1/responses", self._responses, methods=["POST"]),
                *self.chat.app.routes,
            ]
        )

    def add(self, *replies: Reply) -> None:
        """Append replies to the script."""
        self._waiting.extend(replies)

    def assert_exhausted(self) -> None:
        """Fail if scripted replies are left over."""
        assert not self._waiting, f"{len(self._waiting)} replies were never asked for"
        self.chat.assert_exhausted()

    async def _responses(self, http: Request) -> Response:
        if http.headers.get("authorization") != f"Bearer {self._api_key}":
            return refused(Refusal(401, "Incorrect API key provided.", None, "invalid_api_key"))
        raw = await http.body()
        try:
            body: Json = json.loads(raw)
            json.dumps(body, ensure_ascii=False).encode()
        except ValueError:
            return refused(Refusal(400, "We could not parse the JSON body of your request."))
        self.bodies.append(body)
        refusal = first_refusal(body, self._issued)
        if refusal is not None:
            self.refusals.append(refusal.message)
            return refused(refusal)
        reply = self._waiting.pop(0) if self._waiting else failure(500, "the script is over")
        if reply.refusal:
            return refused(reply.refusal)
        response = self._response(body, reply)
        if not body.get("stream"):
            return JSONResponse(response)
        events = [*(reply.raw or _events(response))]
        return StreamingResponse(_sent(events, reply), media_type="text/event-stream")

    def _response(self, body: Json, reply: Reply) -> Json:
        """Return the whole response; what was not asked for is not in it."""
        include, number = body.get("include") or (), len(self.bodies)
        output: list[Json] = []
        for place, scripted in enumerate(reply.items):
            item: Json = {**scripted, "id": f"{scripted['id']}_{number:08d}_{place}"}
            if item["type"] == "reasoning" and SEALED not in include:
                item["encrypted_content"] = None
            if item["type"] == "web_search_call" and SOURCES not in include:
                item["action"] = {k: v for k, v in item["action"].items() if k != "sources"}
            output.append(item)
        self._issued.remember(output)
        read, wrote = tokens(size(body)), tokens(size(output))
        return {
            "id": f"resp_{number:08d}",
            "object": "response",
            "created_at": 1_795_000_000,
            "status": reply.status,
            "error": {"code": reply.why, "message": "It went wrong."}
            if reply.status == "failed"
            else None,
            "incomplete_details": {"reason": reply.why} if reply.status == "incomplete" else None,
            "model": f"{body['model']}-2026-11-01",
            "output": output,
            "usage": {
                "input_tokens": read,
                "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
                "output_tokens": wrote,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": read + wrote,
            },
        }


def _events(response: Json) -> Iterator[str]:
    begun = {**response, "status": "in_progress", "output": [], "usage": None, "error": None}
    yield _event("response.created", response=begun)
    yield _event("response.in_progress", response=begun)
    for place, item in enumerate(response["output"]):
        yield _event("response.output_item.added", output_index=place, item={**item, "content": []})
        yield from _growing(item, place)
        yield _event("response.output_item.done", output_index=place, item=item)
    yield _event(f"response.{response['status']}", response=response)


def _growing(item: Json, place: int) -> Iterator[str]:
    at: Json = {"output_index": place, "item_id": item["id"]}
    if item["type"] == "web_search_call":
        yield _event("response.web_search_call.searching", **at)
        yield _event("response.web_search_call.completed", **at)
    if item["type"] == "function_call":
        for piece in pieces(item["arguments"]):
            yield _event("response.function_call_arguments.delta", delta=piece, **at)
    for number, part in enumerate(item.get("content") or () if item["type"] == "message" else ()):
        field = "text" if part["type"] == "output_text" else "refusal"
        for piece in pieces(part[field]):
            kind = f"response.{part['type']}.delta"
            yield _event(kind, content_index=number, delta=piece, **at)


def _event(kind: str, **fields: Any) -> str:
    return json.dumps({"type": kind, "sequence_number": 0, **fields})


async def _sent(events: list[str], reply: Reply) -> AsyncIterator[bytes]:
    for number, data in enumerate(events, 1):
        if reply.gate is not None and number == len(events):
            await reply.gate.hold()
        yield f"event: {json.loads(data).get('type')}\ndata: {data}\n\n".encode()
        if reply.drop_after == number:
            raise ConnectionResetError("the script resets the connection here")
