"""Showing a model the words of another one: no thinking, legal ids, nothing it cannot take."""

import re
from collections.abc import Iterable
from hashlib import sha256

from bot.domain.model import ModelProfile
from bot.domain.tool import ToolCall
from bot.domain.transcript import (
    CallPart,
    ForeignPart,
    ImagePart,
    ReplyBody,
    TextPart,
    ThinkingPart,
)
from bot.domain.view import Masked, ResultPart, ViewPart

_LEGAL_ID = re.compile(r"[a-zA-Z0-9_-]{1,40}")


def is_own(body: ReplyBody, profile: ModelProfile) -> bool:
    """Whether the model of this profile wrote the reply."""
    told = body.provenance
    return (told.provider, told.requested_model) == (profile.provider, profile.name)


def legal_id(call_id: str, seq: int) -> str:
    """An id every provider takes: a legal one stays, another becomes one that is its alone."""
    if _LEGAL_ID.fullmatch(call_id):
        return call_id
    return f"c{seq}-{sha256(call_id.encode(errors='replace')).hexdigest()[:20]}"


def mask(body: ReplyBody, seq: int) -> tuple[tuple[ViewPart, ...], Masked | None]:
    """A foreign reply in neutral parts: its words and its calls, without what is sealed."""
    parts: list[ViewPart] = []
    for part in body.parts:
        match part:
            case TextPart(text=text) if text.strip():
                parts.append(TextPart(text))
            case CallPart(call=call):
                parts.append(CallPart(_neutral(call, seq)))
            case _:
                pass
    if len(parts) == len(body.parts) and all(legal_id(c.id, seq) == c.id for c in body.calls):
        return tuple(parts), None
    before, after = length(body.parts), length(parts)
    return tuple(parts), Masked(seq, "assistant", before, after, "written by another model")


def length(parts: Iterable[ViewPart]) -> int:
    """The characters that parts carry, sealed ones included."""
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
    return ToolCall(legal_id(call.id, seq), call.name, call.arguments_text, call.arguments)
