"""Takes the words out of stored values; their order and their kinds stay."""

import re
from collections.abc import Mapping, Set
from datetime import datetime
from typing import Any

from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.memory.note import (
    FORGET,
    NOTHING_FOUND,
    RECALL,
    REMEMBER,
    first_id,
    first_passage,
    note_id,
    note_of,
)
from bot.domain.memory.passage import NOBODY, Whose
from bot.domain.talk.chat import NONE_CLOSED
from bot.domain.talk.message import Outbound, Plain
from bot.domain.text.visible_text import visible
from bot.domain.tools.tool import Preview, ToolCall, ToolResult
from bot.domain.turn.transcript import (
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
from bot.domain.value import frozen, replace

ERASED = "memory.erased"
"""The action of the line that the record keeps of each erasing; its subject is what was erased."""

CONVERSATION, EVERYTHING = "conversation", "all"
"""The subjects of lines about more than one answer or note."""

COMMANDS = "command:"
"""Beginning of the key of a message that answers a command; the rest is the command's inbox row."""

ECHOES = "typed:"
"""Beginning of the key of a message that shows words written elsewhere; the rest is their row."""

BILL = "Usage of "
"""Stands in the head of an answer that tells what was spent, and on what."""

_BEGINNING = 8
"""Characters of a question that every bill shows, however little room it has."""

QUOTING = (RECALL, "get_conversation")
"""The tools that tell again what was said."""

_SPEAKING = ("call.", "card.", "plan.", "errand.", "file.")
"""Beginnings of the actions whose lines of the record have words as their subject."""

MARKED = "[erased "
_MARK = re.compile(r"\[erased \d{4}-\d\d-\d\d\]")

_WORDS = ("arguments", "reason", "why")


@frozen
class Target:
    """The thing to erase: one passage, one conversation, or everything of a person or a group."""

    whose: Whose
    turn: str | None = None
    """The id of a turn, or of another passage: a note, or an answer that was imported."""
    conversation: str | None = None

    @property
    def everything(self) -> bool:
        return self.turn is None and self.conversation is None

    @property
    def note(self) -> str | None:
        """Returns the id under which the note was taken; None when it is not about a note."""
        named = None if self.turn is None else note_of(self.turn)
        return None if named is None else first_id(named)

    @property
    def named(self) -> frozenset[str]:
        """Returns the ids of the one passage that is named, with those of its other versions."""
        return frozenset(() if self.turn is None else (self.turn, first_passage(self.turn)))


def mark_of(at: datetime) -> str:
    """Returns the words that stand in the place of erased ones."""
    return f"{MARKED}{at:%Y-%m-%d}]"


def billed(question: str) -> str:
    """Returns the beginning of a question as a bill of tasks shows it."""
    return " ".join(visible(question).replace("`", "'").split())[:_BEGINNING]


def quotes(body: Body, passages: Set[str]) -> bool:
    """Returns True when an entry tells words of these passages or conversations again.

    A note in `passages` stands for every version of it.
    """
    match body:
        case RecallBody(passages=told):
            return not passages.isdisjoint(map(first_passage, told))
        case ResultBody(result=result):
            # A result of an older version does not tell what it quotes, so it may be any of these.
            unknown = result.tool in QUOTING and not (result.passages or result.is_error)
            told = result.text not in (NOTHING_FOUND, NONE_CLOSED)
            quoted = not passages.isdisjoint(map(first_passage, result.passages))
            return (unknown and told) or quoted
        case _:
            return False


def calls_about(body: Body, turn: str, note: str | None) -> frozenset[str]:
    """Returns the ids of the calls of a turn's entry that took this note, or would delete it."""
    if note is None or not isinstance(body, ReplyBody):
        return frozenset()
    return frozenset(call.id for call in body.calls if _about(call, turn) == note)


def _about(call: ToolCall, turn: str) -> str | None:
    if call.name == REMEMBER:
        return note_id(turn, call.id)
    if call.name == FORGET:
        return first_id(str((call.arguments or {}).get("note", "")).strip())
    return None


def without(body: Body, calls: Set[str]) -> Body:
    """Returns a reply without what it called these with, and without thinking about it.

    Its text stays: it belongs to the answer. No model takes the reply for its own any more, so
    nothing of it is sent as it was.
    """
    if not calls or not isinstance(body, ReplyBody):
        return body
    words = (TextPart(body.text),) if body.text else ()
    left = (erased_call(call) if call.id in calls else call for call in body.calls)
    nobody = replace(body.provenance, provider=NOBODY)
    return replace(body, parts=(*words, *map(CallPart, left)), provenance=nobody)


def is_erased(body: Body) -> bool:
    """Returns True for a question or an answer whose words are erased."""
    return isinstance(body, AskerBody | ReplyBody) and _MARK.fullmatch(body.text) is not None


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


def as_kept(card: Approval) -> Approval:
    """Returns a card as it is kept from now on: without the words of an erased turn.

    While a card is open it keeps what it is about, and its purpose says that its turn was erased.
    An approved call has still to run; the words with which somebody denied it came later.
    """
    stays = card.state in (ApprovalState.OPEN, ApprovalState.APPROVED)
    if stays or _MARK.fullmatch(card.purpose) is None:
        return card
    return replace(erased_card(card, card.purpose), reason=card.reason)


def erased_line(
    action: str, subject: str, details: Mapping[str, Any], mark: str
) -> tuple[str, Mapping[str, Any]]:
    """Returns subject and details of a line of the record without words; who, when, how stay."""
    left = {name: mark if name in _WORDS and was else was for name, was in details.items()}
    return mark if subject and action.startswith(_SPEAKING) else subject, left


def erased_message(content: Outbound, mark: str) -> Outbound:
    """Returns a message without its words, its buttons and its files."""
    return Outbound(content.kind, (Plain(mark),), reply_to=content.reply_to)


def is_erased_message(content: Outbound) -> bool:
    """Returns True for a message whose words are erased; a screen may still show it as it was."""
    match content.blocks:
        case (Plain(text=text),):
            return _MARK.fullmatch(text) is not None
        case _:
            return False


def erased_call(call: ToolCall) -> ToolCall:
    return ToolCall(call.id, call.name, "{}", {})


def _erased_reply(body: ReplyBody, mark: str) -> ReplyBody:
    words = (TextPart(mark),) if body.text else ()
    calls = tuple(CallPart(erased_call(call)) for call in body.calls)
    nobody = replace(body.provenance, provider=NOBODY)
    return replace(body, parts=(*words, *calls), provenance=nobody)


def _erased_result(result: ToolResult, mark: str) -> ToolResult:
    question = None if result.question is None else mark
    closes = None if result.closes is None else mark
    left = replace(result, text=mark, files=(), question=question, choices=(), closes=closes)
    return replace(left, submits=None, ruled="", pictures=(), undo="")
