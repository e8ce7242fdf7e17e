"""Builds the body of a request to the Responses API, which alone can search the web.

OpenAI is asked to keep nothing. Items therefore go back without their ids, which it would look up.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bot.adapters.openai.request_body import (
    LONGEST_NAME,
    MOST_CALLS,
    result_text,
    written_arguments,
)
from bot.adapters.openai.searches import REASONING, SEARCH_CALL
from bot.adapters.provider_model import PieceEncoder, legal_name, piece, speaks
from bot.domain.tools.tool import ToolSpec
from bot.domain.turn.transcript import CallPart, ForeignPart, ImagePart, TextPart, ThinkingPart
from bot.domain.turn.view import ModelRequest, ResultPart, ViewMessage, ViewPart

_MOST_LOOKS = 5
"""Looks at the web in one call; each search costs money and adds what it finds to the prompt."""

_SOURCES = "web_search_call.action.sources"
_SEALED = "reasoning.encrypted_content"


class ResponsesEncoder(PieceEncoder):
    """Writes requests of the Responses API."""

    def __init__(self) -> None:
        super().__init__(encode_message, _encode_tool)

    def encode(self, request: ModelRequest) -> bytes:
        """Returns the whole body as UTF-8; lone surrogates, illegal in JSON, become `?`."""
        head: dict[str, Any] = {
            "model": request.profile.name,
            "stream": True,
            "store": False,
            "max_output_tokens": request.max_output or request.profile.max_output,
            "max_tool_calls": _MOST_LOOKS,
            # Models that do not reason refuse to be asked for their reasoning.
            "include": [_SOURCES, _SEALED] if request.profile.thinks else [_SOURCES],
        }
        if request.system.strip():
            head["instructions"] = request.system
        if not request.calls_allowed:
            head["tool_choice"] = "none"
        offered = map(self._tool, request.tools[:MOST_CALLS])
        items = filter(None, map(self._message, request.messages))
        pieces = [piece(head)[:-1], b',"tools":[', b",".join(offered), b"]"]
        pieces += [b',"input":[', b",".join(items), b"]}"]
        return b"".join(pieces)


def encode_message(message: ViewMessage) -> bytes:
    """Returns the items of a message of the view, joined; empty when none may be sent."""
    items = _said(message.parts) if message.role == "assistant" else _heard(message.parts)
    return b",".join(map(piece, items))


def _heard(parts: Sequence[ViewPart]) -> Iterator[Mapping[str, Any]]:
    """Yields results before all other words, as a request of Chat Completions has them."""
    for part in parts:
        if isinstance(part, ResultPart):
            output = result_text(part)
            yield {"type": "function_call_output", "call_id": part.call_id, "output": output}
    content = [_content(part) for part in parts if isinstance(part, ImagePart) or speaks(part)]
    if content:
        yield {"type": "message", "role": "user", "content": content}


def _said(parts: Sequence[ViewPart]) -> Iterator[Mapping[str, Any]]:
    """Yields the items of a reply; a look at the web goes back beside the reasoning alone.

    Reasoning that nothing follows is refused.
    """
    sealed = [part for part in parts if isinstance(part, ThinkingPart) and _is_sealed(part.raw)]
    for number, part in enumerate(parts):
        match part:
            case TextPart(text=text) if text.strip():
                content = [{"type": "output_text", "text": text}]
                yield {"type": "message", "role": "assistant", "content": content}
            case CallPart(call=call):
                name = legal_name(call, LONGEST_NAME)
                arguments = written_arguments(call)
                yield {
                    "type": "function_call",
                    "call_id": call.id,
                    "name": name,
                    "arguments": arguments,
                }
            case ThinkingPart(raw=raw) if part in sealed and _is_followed(parts[number + 1 :]):
                kept = ("type", "summary", "encrypted_content")
                yield {"summary": [], **{name: raw[name] for name in kept if name in raw}}
            case ForeignPart(raw=raw) if sealed and raw.get("type") == SEARCH_CALL:
                yield {name: value for name, value in raw.items() if name != "id"}
            case _:
                pass


def _is_sealed(raw: Mapping[str, Any]) -> bool:
    return raw.get("type") == REASONING and bool(raw.get("encrypted_content"))


def _is_followed(rest: Sequence[ViewPart]) -> bool:
    return any(not isinstance(part, ThinkingPart) for part in rest)


def _content(part: ViewPart) -> Mapping[str, Any]:
    if isinstance(part, ImagePart):
        url = f"data:{part.media_type};base64,{part.data}"
        return {"type": "input_image", "image_url": url, "detail": "auto"}
    return {"type": "input_text", "text": part.text if isinstance(part, TextPart) else ""}


def _encode_tool(spec: ToolSpec) -> bytes:
    if spec.hosted:
        return piece({"type": "web_search"})
    function = {"name": spec.name, "description": spec.told, "parameters": spec.input_schema}
    return piece({"type": "function", **function, "strict": False})
