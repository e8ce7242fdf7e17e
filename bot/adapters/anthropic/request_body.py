"""Builds the body of a request: JSON joined from pieces that are encoded once and kept."""

from collections.abc import Sequence
from typing import Any, assert_never

from bot.adapters.anthropic.searches import SEARCH_TYPE, holds_any, looked_up
from bot.adapters.provider_model import KEPT_BYTES, PieceEncoder, legal_name, piece
from bot.domain.memory.memo import Memo
from bot.domain.tools.tool import ToolCall, ToolSpec
from bot.domain.turn.transcript import CallPart, ForeignPart, ImagePart, TextPart, ThinkingPart
from bot.domain.turn.view import ModelRequest, ResultPart, ViewMessage, ViewPart

_MARK = b',"cache_control":{"type":"ephemeral"}'
_MARKED_MESSAGES = 3
_MOST_SEARCHES = 5
"""Searches of one call; each costs money and adds what it finds to the prompt."""


class RequestEncoder(PieceEncoder):
    """Writes requests of the Messages API.

    The cache marks stand at the end of the system text and of the newest three user messages. The
    request before this one ended at the second of these messages. A mark looks back only 20
    blocks, but with that second mark the whole earlier request is read from the cache, however
    many blocks the last round added.
    """

    def __init__(self) -> None:
        super().__init__(encode_message, _encode_tool)
        self._plain = Memo(_encode_plain, KEPT_BYTES)

    def encode(self, request: ModelRequest) -> bytes:
        """Returns the whole body as UTF-8; lone surrogates, illegal in JSON, become `?`."""
        head: dict[str, Any] = {
            "model": request.profile.name,
            "max_tokens": request.max_output or request.profile.max_output,
            "stream": True,
        }
        if request.profile.thinks:
            head["thinking"] = {"type": "adaptive"}
        if request.tools and not request.calls_allowed:
            head["tool_choice"] = {"type": "none"}
        pieces = [piece(head)[:-1]]
        if request.tools:
            pieces += [b',"tools":[', b",".join(map(self._tool, request.tools)), b"]"]
        if request.system.strip():
            block = piece({"type": "text", "text": request.system})
            pieces += [b',"system":[', block[:-1], _MARK, b"}]"]
        searches = any(spec.hosted for spec in request.tools)
        messages = self._messages(request.messages, searches=searches)
        pieces += [b',"messages":[', b",".join(messages), b"]}"]
        return b"".join(pieces)

    def _messages(self, messages: Sequence[ViewMessage], *, searches: bool) -> list[bytes]:
        encoded = list(map(self._plain, messages))
        for position, message in enumerate(messages):
            if not encoded[position]:
                last = position == len(messages) - 1
                fit = looked_up(message, searches=searches, last=last)
                encoded[position] = self._message(fit)
        for position in _run_ends(messages):
            if encoded[position]:
                encoded[position] = _marked(encoded[position])
        return list(filter(None, encoded))


def _encode_plain(message: ViewMessage) -> bytes:
    """Returns one message; empty if it holds searches, which each request looks at anew."""
    return b"" if holds_any(message) else encode_message(message)


def encode_message(message: ViewMessage) -> bytes:
    """Returns one message without marks; empty when no part of it may be sent."""
    blocks = [_block(part, message.role) for part in message.parts]
    content = b",".join(block for block in blocks if block)
    return b'{"role":"%s","content":[%s]}' % (message.role.encode(), content) if content else b""


def _run_ends(messages: Sequence[ViewMessage]) -> list[int]:
    """Returns the places of the newest messages after which the model spoke or speaks next."""
    ends: list[int] = []
    after = "assistant"
    for position in range(len(messages) - 1, -1, -1):
        role = messages[position].role
        if role == "user" and after == "assistant":
            ends.append(position)
            if len(ends) == _MARKED_MESSAGES:
                break
        after = role
    return ends


def _marked(message: bytes) -> bytes:
    """Returns the message with a mark on its last block; its end is always `}]}`."""
    return message[:-3] + _MARK + message[-3:]


def _block(part: ViewPart, role: str) -> bytes:
    """Returns one content block; empty for blank text and unsigned thinking: both are refused."""
    match part:
        case TextPart(text=text, raw=raw):
            # A text of another model may end in white space, but a request must not end so.
            plain = text.rstrip() if role == "assistant" else text
            return piece(raw or {"type": "text", "text": plain}) if text.strip() else b""
        case ImagePart(media_type=media_type, data=data):
            source = {"type": "base64", "media_type": media_type, "data": data}
            return piece({"type": "image", "source": source})
        case ThinkingPart(raw=raw):
            unsigned = raw.get("type") == "thinking" and not raw.get("signature")
            return b"" if unsigned else piece(raw)
        case CallPart(call=call):
            return _call_block(call)
        case ForeignPart(raw=raw):
            return piece(raw)
        case ResultPart():
            return _result_block(part)
        case _:
            assert_never(part)


def _call_block(call: ToolCall) -> bytes:
    """Returns a call with the arguments the model wrote; unreadable ones become an empty object.

    Its id and name stay, because results refer to them.
    """
    fields: dict[str, Any] = {"type": "tool_use", **(call.raw or {})}
    fields |= {"id": call.id, "name": legal_name(call, 128)}
    fields.pop("input", None)
    written = call.arguments_text.strip() if call.arguments is not None else ""
    return piece(fields)[:-1] + b',"input":' + (written.encode(errors="replace") or b"{}") + b"}"


def _result_block(result: ResultPart) -> bytes:
    fields: dict[str, Any] = {"type": "tool_result", "tool_use_id": result.call_id}
    if result.text.strip():
        fields["content"] = result.text
    if result.is_error:
        fields["is_error"] = True
    return piece(fields)


def _encode_tool(spec: ToolSpec) -> bytes:
    if spec.hosted:
        return piece({"type": SEARCH_TYPE, "name": spec.name, "max_uses": _MOST_SEARCHES})
    return piece({"name": spec.name, "description": spec.told, "input_schema": spec.input_schema})
