"""Shows a model the replies of another one: without thinking, and with ids that it accepts."""

import re
from collections.abc import Iterable
from hashlib import sha256

from bot.domain.tools.tool import ToolCall
from bot.domain.turn.transcript import (
    CallPart,
    ForeignPart,
    ImagePart,
    ReplyBody,
    TextPart,
    ThinkingPart,
)
from bot.domain.turn.view import Masked, ResultPart, ViewPart

_LEGAL_ID = re.compile(r"[a-zA-Z0-9_-]{1,40}")


def legal_id(call_id: str, seq: int) -> str:
    """Returns an id that every provider accepts: the same if it is legal, else a unique new one."""
    if _LEGAL_ID.fullmatch(call_id):
        return call_id
    return f"c{seq}-{sha256(call_id.encode(errors='replace')).hexdigest()[:20]}"


def mask(
    body: ReplyBody, seq: int, *, told: bool = False
) -> tuple[tuple[ViewPart, ...], Masked | None]:
    """Returns the text and the calls of a foreign reply, with a record if parts are left out.

    The calls are `told` as text to a model that takes none, or none of others.
    """
    parts: list[ViewPart] = []
    for part in body.parts:
        match part:
            case TextPart(text=text) if text.strip():
                parts.append(TextPart(text))
            case CallPart(call=call) if told:
                parts.append(
                    TextPart(f"[Called {call.written_name}: {call.arguments_text or '{}'}]")
                )
            case CallPart(call=call):
                parts.append(CallPart(_neutral(call, seq)))
            case _:
                pass
    if told and body.calls:
        before, after = length(body.parts), length(parts)
        return tuple(parts), Masked(seq, "assistant", before, after, "calls told as text")
    if len(parts) == len(body.parts) and all(legal_id(c.id, seq) == c.id for c in body.calls):
        return tuple(parts), None
    before, after = length(body.parts), length(parts)
    return tuple(parts), Masked(seq, "assistant", before, after, "written by another model")


def length(parts: Iterable[ViewPart]) -> int:
    """Returns the number of characters in parts, thinking included."""
    return sum(map(_length, parts))


def _length(part: ViewPart) -> int:
    match part:
        case TextPart(text=text) | ResultPart(text=text):
            return len(text)
        case CallPart(call=call):
            return len(call.arguments_text)
        case ImagePart(data=data):
            return len(data)
        case ThinkingPart(raw=raw) | ForeignPart(raw=raw):
            return sum(len(str(value)) for value in raw.values())


def _neutral(call: ToolCall, seq: int) -> ToolCall:
    return ToolCall(
        legal_id(call.id, seq), call.name, call.arguments_text, call.arguments, through=call.through
    )
