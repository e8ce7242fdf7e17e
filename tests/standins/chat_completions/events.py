"""Turns a scripted reply into the chunks of a stream, or into one completion."""

import json
from collections.abc import Iterator
from typing import Any

from tests.standins.chat_completions.replies import Call, Reply
from tests.standins.messages_api.wire import Json, size, tokens


def composed(reply: Reply, number: int, prompt: int) -> Json:
    """Build the whole message with ids for its calls, its finish reasons and its usage."""
    called = [_call(call, number, index) for index, call in enumerate(reply.called)]
    message: Json = {"role": "assistant", "content": reply.words or None}
    message |= dict(reply.reasoning)
    if called:
        message["tool_calls"] = called
    output = tokens(size(message))
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }
    finishes = reply.finishes or (("tool_calls",) if called else ("stop",))
    return {"message": message, "finishes": finishes, "usage": dict(reply.usage or usage)}


def chunks(reply: Reply, whole: Json, model: str, number: int, *, counted: bool) -> Iterator[str]:
    """Yield the data of each event, with `[DONE]` last."""
    if reply.raw is not None:
        yield from reply.raw
        return
    head = {
        "id": f"chatcmpl-{number:08d}",
        "object": "chat.completion.chunk",
        "created": 1_795_000_000,
        "model": model,
        "service_tier": "default",
        "system_fingerprint": None,
    }

    def chunk(delta: Json, reason: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return json.dumps({**head, "choices": [choice], **({"usage": None} if counted else {})})

    yield chunk({"role": "assistant", "content": ""})
    for delta in _deltas(reply, whole["message"]):
        yield chunk(delta)
    if not reply.without_end:
        for reason in whole["finishes"]:
            yield chunk({}, reason)
        if counted and not reply.without_usage:
            yield json.dumps({**head, "choices": [], "usage": whole["usage"]})
        yield "[DONE]"


def completion(whole: Json, model: str, number: int) -> Json:
    """Return the reply in one piece."""
    choice = {
        "index": 0,
        "message": whole["message"],
        "logprobs": None,
        "finish_reason": whole["finishes"][-1],
    }
    return {
        "id": f"chatcmpl-{number:08d}",
        "object": "chat.completion",
        "created": 1_795_000_000,
        "model": model,
        "choices": [choice],
        "usage": whole["usage"],
    }


def _call(call: Call, number: int, index: int) -> Json:
    call_id = f"call_{number:08d}_{index}" if call.id is None else call.id
    function = {"name": call.name, "arguments": call.arguments}
    fields: Json = {"id": call_id, "type": "function", "function": function}
    return {name: value for name, value in (fields | dict(call.extra)).items() if value != ""}


def _deltas(reply: Reply, message: Json) -> Iterator[Json]:
    for name, value in reply.reasoning:
        pieces: list[Any] = _cut(value, 2) if isinstance(value, str) else [[each] for each in value]
        for piece in pieces:
            yield {name: piece}
    for piece in _cut(reply.words, reply.pieces):
        yield {"content": piece}
    for index, call in enumerate(reply.called):
        whole = message["tool_calls"][index]
        first = {**whole, "function": {"name": call.name, "arguments": ""}}
        yield {"tool_calls": [{"index": index, **first}]}
        for piece in call.pieces:
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _cut(words: str, count: int) -> list[str]:
    each = max(1, -(-len(words) // count))
    return [words[start : start + each] for start in range(0, len(words), each)]
