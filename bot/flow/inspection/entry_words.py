"""Entries of a log in words, as a page shows them beside what the model was given."""

from collections.abc import Callable, Iterator

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
from bot.domain.value import replace
from bot.flow.commanding.wording import counted
from bot.flow.log.request_view import foreign_to
from bot.flow.reading.attachment_words import told_apart
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


def entry_items(
    entry: Entry, shown: Callable[[str], str], asker: int | None, note: str, size: int
) -> Iterator[ViewItem]:
    """Yields an entry as parts of a view or of the log; without an asker it is the log.

    The own words of a person stand apart from what came along with them.
    """
    body, words = entry.body, words_of(entry.body)
    if asker is None:
        yield ViewItem(f"{entry.seq} · {title_of(body)}", shown(words), note, _size(size))
        return
    source = foreign_to(asker, (entry,))
    if source is None:
        yield ViewItem(title_of(body), shown(words), note, _size(size))
        return
    own, foreign = _apart(body, asker)
    if own:
        share = size * len(own) // len(words)
        yield ViewItem(title_of(body), shown(own), note, _size(share))
        size -= share
    title = f"From outside: {shown(source)[:120]}"
    yield ViewItem(title, shown(foreign or words), note, _size(size), "outside")


def _apart(body: Body, asker: int) -> tuple[str, str]:
    """Returns the asker's own words in a message, and the rest; no own ones where none is apart."""
    if not isinstance(body, AskerBody) or replace(body, untrusted=None).untrusted_for(asker):
        return "", ""
    own, beside = told_apart(body.text)
    foreign = "\n\n".join(filter(None, (beside, body.heard)))
    return (own, foreign) if foreign else ("", "")


def _size(tokens: int) -> str:
    return f"{tokens:,}" if tokens else ""


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
