"""Showing a model the words of another one: no thinking, legal ids, nothing it cannot take."""

import re

from bot.domain.exchange import Masked, ModelProfile
from bot.domain.tool import ToolCall
from bot.domain.transcript import CallPart, ReplyBody, TextPart
from bot.domain.view import ViewPart

_LEGAL_ID = re.compile(r"[a-zA-Z0-9_-]{1,40}")
_ILLEGAL = re.compile(r"[^a-zA-Z0-9_-]")


def is_own(body: ReplyBody, profile: ModelProfile) -> bool:
    """Whether the model of this profile wrote the reply."""
    told = body.provenance
    return (told.provider, told.requested_model) == (profile.provider, profile.name)


def legal_id(call_id: str, seq: int) -> str:
    """An id every provider takes; ids that are legal already stay."""
    if _LEGAL_ID.fullmatch(call_id):
        return call_id
    return f"c{seq}-{_ILLEGAL.sub('-', call_id)}"[:40]


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
    if len(parts) == len(body.parts):
        return tuple(parts), None
    dropped = Masked(seq, "assistant", len(body.parts), len(parts), "written by another model")
    return tuple(parts), dropped


def _neutral(call: ToolCall, seq: int) -> ToolCall:
    return ToolCall(legal_id(call.id, seq), call.name, call.arguments_text, call.arguments)
