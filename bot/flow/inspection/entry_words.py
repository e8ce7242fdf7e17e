"""Entries of a log in words, as a page shows them beside what the model was given."""

from collections.abc import Callable
from typing import Literal

from bot.domain.text.names import plain_name
from bot.domain.turn.transcript import (
    AskerBody,
    Body,
    CutBody,
    Entry,
    IntentBody,
    RecallBody,
    ReplyBody,
    ResultBody,
    SkillBody,
)
from bot.flow.commanding.wording import counted
from bot.flow.log.request_view import foreign_to
from bot.ports.turn_page import ViewItem


def words_of(body: Body) -> str:
    """Returns the words of an entry as a model reads them, without what stands around them."""
    match body:
        case ReplyBody():
            called = (f"{call.name} {call.arguments_text}" for call in body.calls)
            return "\n".join(part for part in (body.text, *called) if part)
        case ResultBody(result=result):
            return result.text
        case IntentBody() | CutBody():
            return ""
        case _:
            return body.text


def entry_item(
    entry: Entry, shown: Callable[[str], str], asker: int | None, note: str, size: int
) -> ViewItem:
    """Returns an entry as a part of a view or of the log; without an asker it is the log."""
    source = None if asker is None else foreign_to(asker, (entry,))
    title = title_of(entry.body) if asker is not None else f"{entry.seq} · {title_of(entry.body)}"
    kind: Literal["plain", "outside"] = "plain" if source is None else "outside"
    told = shown(words_of(entry.body))
    if source is not None:
        title = f"From outside: {shown(source)[:120]}"
    return ViewItem(title, told, note, f"{size:,}" if size else "", kind)


def title_of(body: Body) -> str:
    """Returns what an entry is, and whose."""
    match body:
        case AskerBody(speaker=speaker, steering=steering):
            name = plain_name(speaker) if speaker else "The message"
            return f"{name}, who joined" if steering else name
        case ReplyBody(provenance=origin):
            return f"Reply of {plain_name(origin.requested_model)}"
        case ResultBody(result=result):
            return f"Result of {plain_name(result.tool)}"
        case SkillBody(name=name):
            return f"The skill {plain_name(name)}" if name else "A skill ended"
        case RecallBody(passages=passages):
            return f"From the memory: {counted(len(passages), 'passage')}"
        case _:
            return _TITLES[body.kind]


_TITLES = {
    "intent": "A call is about to run once",
    "late_result": "The result of a call that was decided late",
    "background": "Words that stand behind the conversation",
    "summary": "Summary of the earlier part",
    "cut": "The view was cut here",
    "arrival": "Data of another program",
    "note": "A note of the program",
}
