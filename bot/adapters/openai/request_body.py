"""Builds the body of a request: JSON joined from pieces that are encoded once and kept."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot.adapters.openai.searches import is_item
from bot.adapters.provider_model import PieceEncoder, legal_name, piece, speaks
from bot.domain.money.provider import ProviderSpec
from bot.domain.tools.tool import ToolCall, ToolSpec
from bot.domain.turn.transcript import CallPart, ForeignPart, ImagePart, TextPart, ThinkingPart
from bot.domain.turn.view import ModelRequest, ResultPart, ViewMessage, ViewPart

MOST_CALLS = 128
"""Calls that one message may hold, and tools that one request may offer."""

LONGEST_ARGUMENTS = 1_000_000
"""Characters of arguments that are sent back; a longer text is refused by OpenAI."""

LONGEST_NAME = 64
_LONGEST_ID = 40
"""Characters of an id of a call; a longer one is refused by OpenAI."""

_FAILED = "[failed] "
_NOTHING = "[no output]"


class RequestEncoder(PieceEncoder):
    """Writes requests of Chat Completions.

    They have no field for a failed result, so its text begins with a mark.
    """

    def __init__(self, spec: ProviderSpec) -> None:
        super().__init__(encode_message, _encode_tool)
        self._spec = spec

    def encode(self, request: ModelRequest) -> bytes:
        """Returns the whole body as UTF-8; lone surrogates, illegal in JSON, become `?`."""
        head: dict[str, Any] = {
            "model": request.profile.name,
            "stream": True,
            self._spec.output_field: request.max_output or request.profile.max_output,
        }
        if self._spec.streams_usage:
            head["stream_options"] = {"include_usage": True}
        # Only the Responses API runs tools of its own.
        tools = [spec for spec in request.tools if not spec.hosted]
        if tools and not request.calls_allowed:
            head["tool_choice"] = "none"
        pieces = [piece(head)[:-1]]
        if tools:
            offered = map(self._tool, tools[:MOST_CALLS])
            pieces += [b',"tools":[', b",".join(offered), b"]"]
        opening = piece({"role": "system", "content": request.system})
        messages = [opening] if request.system.strip() else []
        own = _own_ids(request.messages)
        encoded = (self._encoded(message, own) for message in _in_portions(request.messages))
        messages += filter(None, encoded)
        pieces += [b',"messages":[', b",".join(messages), b"]}"]
        return b"".join(pieces)

    def _encoded(self, message: ViewMessage, own: Mapping[str, str]) -> bytes:
        """Returns a message; one with ids of the server's own is rare and encoded each time."""
        named = _named(message, own) if own else message
        return self._message(message) if named is message else encode_message(named)


def _own_ids(messages: Sequence[ViewMessage]) -> Mapping[str, str]:
    """Returns the server's own id of each call that got another one in the log.

    Only calls that this model wrote hold what the server sent. Some models read meaning in their
    ids, as in `functions.read_file:0`, and other providers refuse such ids. An id that was used
    before in the request stays replaced.
    """
    calls = [part.call for m in messages for part in m.parts if isinstance(part, CallPart)]
    found = dict[str, str]()
    used: set[str] | None = None
    for call in calls:
        id = (call.raw or {}).get("id")
        if not isinstance(id, str) or id == call.id or not 0 < len(id) <= _LONGEST_ID:
            continue
        used = {each.id for each in calls} if used is None else used
        if id not in used:
            used.add(id)
            found[call.id] = id
    return found


def _named(message: ViewMessage, own: Mapping[str, str]) -> ViewMessage:
    """Returns the message with these ids; itself if none of its calls and results has one."""
    parts = tuple(_renamed(part, own) for part in message.parts)
    changed = any(new is not old for new, old in zip(parts, message.parts, strict=True))
    return ViewMessage(message.role, parts) if changed else message


def _renamed(part: ViewPart, own: Mapping[str, str]) -> ViewPart:
    match part:
        case CallPart(call=call) if call.id in own:
            return replace(part, call=replace(call, id=own[call.id]))
        case ResultPart(call_id=call_id) if call_id in own:
            return replace(part, call_id=own[call_id])
        case _:
            return part


def encode_message(message: ViewMessage) -> bytes:
    """Returns a message of the view: results become messages of their own, before all other words.

    It is empty when no part of it may be sent.
    """
    if message.role == "assistant":
        return _assistant(message.parts)
    results = [_result(part) for part in message.parts if isinstance(part, ResultPart)]
    said = _content([part for part in message.parts if not isinstance(part, ResultPart)])
    return b",".join([*results, *([piece({"role": "user", "content": said})] if said else [])])


def _in_portions(messages: Sequence[ViewMessage]) -> Iterator[ViewMessage]:
    """Parts replies of more calls than a message may hold, each portion before its results."""
    waiting: list[ViewMessage] = []
    for message in messages:
        calls = [part for part in message.parts if isinstance(part, CallPart)]
        if message.role == "assistant" and len(calls) > MOST_CALLS:
            said = tuple(part for part in message.parts if not isinstance(part, CallPart))
            starts = range(0, len(calls), MOST_CALLS)
            portions: list[tuple[ViewPart, ...]] = [
                tuple(calls[start : start + MOST_CALLS]) for start in starts
            ]
            portions[0] = (*said, *portions[0])
            waiting = [ViewMessage("assistant", portion) for portion in portions]
        elif waiting:
            yield from _answered(waiting, message)
            waiting = []
        else:
            yield message


def _answered(portions: Sequence[ViewMessage], results: ViewMessage) -> Iterator[ViewMessage]:
    for portion in portions:
        ids = {part.call.id for part in portion.parts if isinstance(part, CallPart)}
        of_these = [p for p in results.parts if isinstance(p, ResultPart) and p.call_id in ids]
        yield portion
        yield ViewMessage("user", tuple(of_these))
    rest = tuple(part for part in results.parts if not isinstance(part, ResultPart))
    if rest:
        yield ViewMessage("user", rest)


def _assistant(parts: Sequence[ViewPart]) -> bytes:
    """Returns a reply; its reasoning goes back as it came, in the fields it came in."""
    fields: dict[str, Any] = {"role": "assistant"}
    words = "\n\n".join(p.text for p in parts if isinstance(p, TextPart) and p.text.strip())
    calls = [part.call for part in parts if isinstance(part, CallPart)]
    if not words and not calls:
        return b""
    fields["content"] = words or None
    for part in parts:
        if isinstance(part, ThinkingPart | ForeignPart) and not is_item(part.raw):
            fields |= {name: value for name, value in part.raw.items() if name not in fields}
    if calls:
        fields["tool_calls"] = [_call(call) for call in calls]
    return piece(fields)


def written_arguments(call: ToolCall) -> str:
    """Returns the arguments as the model wrote them; unreadable ones become an empty object.

    Some servers read the arguments of earlier calls, and fail at text that is no JSON.
    """
    written = call.arguments_text if call.arguments is not None else ""
    return written if written.strip() and len(written) <= LONGEST_ARGUMENTS else "{}"


def _call(call: ToolCall) -> dict[str, Any]:
    raw = call.raw or {}
    given = raw.get("function")
    function: dict[str, Any] = {**(given if isinstance(given, Mapping) else {})}
    function["name"] = legal_name(call, LONGEST_NAME)
    function["arguments"] = written_arguments(call)
    others = {name: value for name, value in raw.items() if name not in _OWN}
    return {**others, "id": call.id, "type": "function", "function": function}


_OWN = frozenset({"id", "type", "function", "name", "index", "input"})
"""Fields of a call that are written here; a name beside the function belongs to other providers."""


def result_text(result: ResultPart) -> str:
    """Returns the words of a result, which has no other field for a failure."""
    text = result.text if result.text.strip() else _NOTHING
    return f"{_FAILED}{text}" if result.is_error else text


def _result(result: ResultPart) -> bytes:
    content = result_text(result)
    return piece({"role": "tool", "tool_call_id": result.call_id, "content": content})


def _content(parts: Sequence[ViewPart]) -> str | list[dict[str, Any]]:
    """Returns words as one text, which every server takes, and pictures in parts."""
    words = [part.text for part in parts if isinstance(part, TextPart) and part.text.strip()]
    if not any(isinstance(part, ImagePart) for part in parts):
        return "\n\n".join(words)
    return [_part(part) for part in parts if isinstance(part, ImagePart) or speaks(part)]


def _part(part: ViewPart) -> dict[str, Any]:
    if isinstance(part, ImagePart):
        url = f"data:{part.media_type};base64,{part.data}"
        return {"type": "image_url", "image_url": {"url": url}}
    return {"type": "text", "text": part.text if isinstance(part, TextPart) else ""}


def _encode_tool(spec: ToolSpec) -> bytes:
    function = {"name": spec.name, "description": spec.told, "parameters": spec.input_schema}
    return piece({"type": "function", "function": function})
