"""Turns a scripted reply into the message and the stream of events the API would send."""

import json
from collections.abc import Iterator

from tests.standins.messages_api.prompt_cache import Usage
from tests.standins.messages_api.replies import Call, Event, RawBlock, Reply, Text, Thinking
from tests.standins.messages_api.thinking_binding import Signer
from tests.standins.messages_api.wire import Json, size, tokens


def compose(reply: Reply, body: Json, *, message_id: str, prompt: Usage) -> Json:
    """Build the whole message: thinking signed, missing call ids made, usage counted."""
    content = _content(reply, body, message_id)
    calls = any(isinstance(block, Call) for block in reply.blocks)
    details = {"type": "refusal", "category": reply.refusal_category, "explanation": None}
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": reply.stop_reason or ("tool_use" if calls else "end_turn"),
        "stop_sequence": reply.stop_sequence,
        "stop_details": details if reply.stop_reason == "refusal" else None,
        "usage": {
            "input_tokens": prompt.input_tokens,
            "cache_creation_input_tokens": prompt.cache_creation_input_tokens,
            "cache_read_input_tokens": prompt.cache_read_input_tokens,
            "output_tokens": tokens(size(content)),
            "service_tier": "standard",
            **_searches(content),
        },
    }


def stream(reply: Reply, message: Json) -> Iterator[Event]:
    """Yield the message's own events in order."""
    usage = message["usage"]
    opening = {
        **message,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "stop_details": None,
        "usage": {**usage, "output_tokens": 1},
    }
    yield Event("message_start", {"type": "message_start", "message": opening})
    for index, block in enumerate(message["content"]):
        start, deltas = _streamed(reply, index, block)
        yield _indexed("content_block_start", index, content_block=start)
        for delta in deltas:
            yield _indexed("content_block_delta", index, delta=delta)
        yield _indexed("content_block_stop", index)
    ending = {key: message[key] for key in ("stop_reason", "stop_sequence", "stop_details")}
    counted = {key: value for key, value in usage.items() if key != "service_tier"}
    yield Event("message_delta", {"type": "message_delta", "delta": ending, "usage": counted})
    yield Event("message_stop", {"type": "message_stop"})


def _content(reply: Reply, body: Json, message_id: str) -> list[Json]:
    signer: Signer | None = None
    content: list[Json] = []
    for index, block in enumerate(reply.blocks):
        match block:
            case Text(words):
                content.append({"type": "text", "text": words})
            case Thinking(words, redacted):
                # Hashing the prefix costs as much as the history is long: only where needed.
                signer = signer or _signer_after(body, content)
                content.append(_thought(words, signer, redacted=redacted))
            case Call():
                call_id = f"toolu_{message_id.removeprefix('msg_')}_{index}"
                content.append(_call(block, call_id if block.id is None else block.id))
            case RawBlock(raw):
                content.append(raw)
        if signer:
            signer.add(content[-1])
    return content


def _searches(content: list[Json]) -> Json:
    made = sum(block["type"] == "server_tool_use" for block in content)
    return {"server_tool_use": {"web_search_requests": made}} if made else {}


def _signer_after(body: Json, content: list[Json]) -> Signer:
    signer = Signer(body)
    for block in content:
        signer.add(block)
    return signer


def _thought(words: str, signer: Signer, *, redacted: bool) -> Json:
    if redacted:
        return {"type": "redacted_thinking", "data": signer.sign("")}
    return {"type": "thinking", "thinking": words, "signature": signer.sign(words)}


def _call(call: Call, call_id: str) -> Json:
    return {"type": "tool_use", "id": call_id, "name": call.name, "input": _parsed(call)}


def _parsed(call: Call) -> object:
    try:
        return json.loads(call.arguments or "{}")
    except json.JSONDecodeError:
        return {}


def _streamed(reply: Reply, index: int, block: Json) -> tuple[Json, list[Json]]:
    scripted = reply.blocks[index]
    match scripted:
        case Text(words):
            deltas = [{"type": "text_delta", "text": piece} for piece in _cut(words, reply.pieces)]
            return {**block, "text": ""}, deltas
        case Thinking(words, False):
            deltas = [
                {"type": "thinking_delta", "thinking": piece} for piece in _cut(words, reply.pieces)
            ]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
            return {**block, "thinking": "", "signature": ""}, deltas
        case Call(_, pieces):
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
            return {**block, "input": {}}, deltas
        case _:
            return block, []


def _cut(words: str, count: int) -> list[str]:
    size = max(1, -(-len(words) // count))
    return [words[start : start + size] for start in range(0, len(words), size)]


def _indexed(name: str, index: int, **fields: Json) -> Event:
    return Event(name, {"type": name, "index": index, **fields})
