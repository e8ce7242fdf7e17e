"""Takes the words out of stored values; their order and their kinds stay."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from bot.domain.approval import Approval
from bot.domain.message import Outbound, Plain
from bot.domain.passage import Whose
from bot.domain.tool import Preview, ToolCall, ToolResult
from bot.domain.transcript import (
    ArrivalBody,
    AskerBody,
    Body,
    CallPart,
    LateResultBody,
    NoteBody,
    RecallBody,
    ReplyBody,
    ResultBody,
    SkillBody,
    SummaryBody,
    TextPart,
)

_NOBODY = "erased"
"""The provider of an erased reply: no model takes it for its own, so nothing is sent as it was."""

TOLD = ("answer", "voice", "rest", "wait", "servers")
"""Beginnings of the keys of the messages about a turn."""

_SPEAKING = ("call.", "card.", "plan.")
"""Beginnings of the actions whose lines of the record have words as their subject."""

_WORDS = ("arguments", "reason", "why")


@dataclass(frozen=True, slots=True)
class Target:
    """The thing to erase: one turn, one conversation, or everything of a person or a group."""

    whose: Whose
    turn: str | None = None
    conversation: str | None = None


def mark_of(at: datetime) -> str:
    """Returns the words that stand in the place of erased ones."""
    return f"[erased {at:%Y-%m-%d}]"


def erased(body: Body, mark: str) -> Body:
    """Returns an entry without its words; calls keep their ids and names, so results fit them."""
    match body:
        case AskerBody():
            heard = mark if body.heard else ""
            return replace(body, text=mark, wish="", images=(), heard=heard, seam=None)
        case ReplyBody():
            return _erased_reply(body, mark)
        case ResultBody(result=result):
            return replace(body, result=_erased_result(result, mark))
        case LateResultBody(result=result):
            left = None if result is None else _erased_result(result, mark)
            return replace(body, subject=mark, text=mark if body.text else "", result=left)
        case NoteBody() | SkillBody() | RecallBody() | SummaryBody() | ArrivalBody():
            return replace(body, text=mark)
        case _:
            return body


def erased_card(card: Approval, mark: str) -> Approval:
    """Returns a decided card without what it was about."""
    preview = Preview(mark, mark, card.preview.effect)
    call = erased_call(card.call)
    return replace(
        card, call=call, preview=preview, purpose=mark, reason=mark if card.reason else ""
    )


def erased_line(
    action: str, subject: str, details: Mapping[str, Any], mark: str
) -> tuple[str, Mapping[str, Any]]:
    """Returns subject and details of a line of the record without words; who, when, how stay."""
    left = {name: mark if name in _WORDS and was else was for name, was in details.items()}
    return mark if subject and action.startswith(_SPEAKING) else subject, left


def erased_message(content: Outbound, mark: str) -> Outbound:
    """Returns a message without its words, its buttons and its files."""
    return Outbound(content.kind, (Plain(mark),), reply_to=content.reply_to)


def erased_call(call: ToolCall) -> ToolCall:
    return ToolCall(call.id, call.name, "{}", {})


def _erased_reply(body: ReplyBody, mark: str) -> ReplyBody:
    words = (TextPart(mark),) if body.text else ()
    calls = tuple(CallPart(erased_call(call)) for call in body.calls)
    nobody = replace(body.provenance, provider=_NOBODY)
    return replace(body, parts=(*words, *calls), provenance=nobody)


def _erased_result(result: ToolResult, mark: str) -> ToolResult:
    question = None if result.question is None else mark
    return replace(result, text=mark, files=(), question=question, submits=None)
