"""Reads answers that were given elsewhere: JSON Lines, and exports of ChatGPT and of Claude."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, TypeAlias, cast

from bot.domain.memory.passage import MOST_ANSWER, MOST_QUESTION, clipped_words
from bot.domain.value import frozen

LONGEST_LINE = 10_000_000
"""Characters of a line of JSON Lines."""

IMPORTED = "import:"
"""Stands before the id of each passage that was imported."""

_PLAIN_ID = re.compile(r"[\w.:@/+=-]{1,200}")
"""An id that a person can type behind `/forget`, and that no button is too short for."""

_ID_SHOWN = 60
_Object: TypeAlias = Mapping[str, Any]


@frozen
class Told:
    """A question and its answer from elsewhere."""

    id: str
    at: datetime
    question: str
    answer: str
    person: str | None = None
    """The account of the person, as in telegram:42; None means the owner."""
    chat: str | None = None
    """The address of a group whose memory it belongs to."""
    conversation: str = ""
    untrusted: str | None = None


@frozen
class BrokenLine:
    """A line or a conversation that cannot be read, by its number from 1, with the reason."""

    number: int
    why: str


Read: TypeAlias = Told | BrokenLine


def read_lines(lines: Iterable[str]) -> Iterator[Read]:
    """Reads JSON Lines with `id, at, question, answer` and, if they like, `chat` and `person`."""
    for number, line in enumerate(lines, 1):
        if len(line) >= LONGEST_LINE:
            yield BrokenLine(number, f"it is longer than {LONGEST_LINE:,} characters")
            continue
        if not line.strip():
            continue
        try:
            yield _line(json.loads(line))
        except (ValueError, RecursionError) as fault:
            yield BrokenLine(number, _reason(fault))


def read_export(whole: str) -> Iterator[Read]:
    """Reads the conversations of an export; raises ValueError when it is none that is known."""
    try:
        found: object = json.loads(whole)
    except json.JSONDecodeError as fault:
        raise ValueError(_reason(fault)) from None
    if not isinstance(found, list):
        raise ValueError("it is neither JSON Lines nor a list of conversations")
    for number, one in enumerate(cast("list[object]", found), 1):
        try:
            yield from _conversation(_object(one))
        except (ValueError, RecursionError) as fault:
            yield BrokenLine(number, _reason(fault))


def _reason(fault: Exception) -> str:
    if isinstance(fault, json.JSONDecodeError):
        return f"it is no JSON ({fault.msg} at character {fault.pos + 1})"
    return "it is nested too deeply" if isinstance(fault, RecursionError) else str(fault)


def _line(found: object) -> Told:
    one = _object(found)
    return Told(
        f"{IMPORTED}{_plain(_text(one, 'id'))}",
        _moment(one.get("at")),
        clipped_words(_text(one, "question"), MOST_QUESTION),
        clipped_words(_text(one, "answer"), MOST_ANSWER),
        _text(one, "person") if one.get("person") is not None else None,
        _text(one, "chat") if one.get("chat") is not None else None,
        untrusted="an imported answer",
    )


def _conversation(one: _Object) -> Iterator[Told]:
    if "mapping" in one:
        said, source = _of_chatgpt(one), "ChatGPT"
        id = str(one.get("conversation_id") or one.get("id") or one.get("create_time"))
    elif "chat_messages" in one:
        said, source = _of_claude(one), "Claude"
        id = _text(one, "uuid")
    else:
        raise ValueError("it is no conversation of ChatGPT or Claude")
    key = f"{IMPORTED}{source.lower()}:{_plain(id)}"
    told = f"a conversation imported from {source}"
    question, first = "", 0
    for number, (asks, at, text) in enumerate(said):
        if asks:
            question, first = text, number + 1
        elif question and (number + 1 == len(said) or said[number + 1][0]):
            # What came before it was said on the way: between two looks, or beside a call.
            asked = clipped_words(question, MOST_QUESTION)
            answer = clipped_words(text, MOST_ANSWER)
            yield Told(f"{key}:{first}", at, asked, answer, conversation=key, untrusted=told)
            question = ""


def _of_chatgpt(one: _Object) -> Sequence[tuple[bool, datetime, str]]:
    """Returns what was said on the branch that was shown last: its leaf names all before it."""
    nodes = _object(one["mapping"])
    at = one.get("current_node") or (list(nodes)[-1] if nodes else None)
    path: list[_Object] = []
    while isinstance(at, str) and at in nodes and len(path) <= len(nodes):
        node = _object(nodes[at])
        path.append(node)
        at = node.get("parent")
    said: list[tuple[bool, datetime, str]] = []
    for node in reversed(path):
        message = node.get("message")
        if not isinstance(message, Mapping):
            continue
        held = cast("_Object", message)
        role = _object(held.get("author") or {}).get("role")
        parts = _object(held.get("content") or {}).get("parts")
        words = _joined(parts)
        to_a_tool = held.get("recipient") not in (None, "all")
        if role in ("user", "assistant") and words and not to_a_tool:
            moment = held.get("create_time") or one.get("create_time")
            said.append((role == "user", _moment(moment), words))
    return said


def _of_claude(one: _Object) -> Sequence[tuple[bool, datetime, str]]:
    messages = one["chat_messages"]
    if not isinstance(messages, list):
        raise ValueError("its messages are no list")
    said: list[tuple[bool, datetime, str]] = []
    for found in cast("list[object]", messages):
        message = _object(found)
        parts = message.get("content")
        blocks = cast("list[object]", parts) if isinstance(parts, list) else []
        words = _final(list(map(_object, blocks))) or str(message.get("text") or "").strip()
        sender = message.get("sender")
        if sender in ("human", "assistant") and words:
            said.append((sender == "human", _moment(message.get("created_at")), words))
    return said


def _final(blocks: Sequence[_Object]) -> str:
    """Returns the words behind the last call of a tool; all words when there are none."""
    looked = (n for n, block in enumerate(blocks, 1) if "tool" in str(block.get("type")))
    behind = blocks[max(looked, default=0) :]
    return _joined([each.get("text") for each in behind]) or _joined(
        [each.get("text") for each in blocks]
    )


def _joined(parts: object) -> str:
    texts = cast("list[object]", parts) if isinstance(parts, list) else []
    return "\n\n".join(text.strip() for text in texts if isinstance(text, str) and text.strip())


def _object(found: object) -> _Object:
    if not isinstance(found, Mapping):
        raise ValueError("it is no JSON object")
    return cast("_Object", found)


def _text(one: _Object, name: str) -> str:
    found = one.get(name)
    if isinstance(found, int) and not isinstance(found, bool):
        found = str(found)
    if not isinstance(found, str) or not found.strip():
        raise ValueError(f"{name} is missing or no text")
    return found.strip()


def _plain(id: str) -> str:
    """Returns an id that can be typed; another one keeps its beginning, and a sum of the whole."""
    if _PLAIN_ID.fullmatch(id):
        return id
    whole = sha256(id.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    shown = re.sub(r"[^\w.:@-]+", "_", id)[:_ID_SHOWN]
    return f"{shown}-{whole}"


def _moment(found: object) -> datetime:
    """Reads a time: ISO 8601, in UTC unless it says otherwise, or seconds since 1970."""
    try:
        if isinstance(found, int | float) and not isinstance(found, bool):
            return datetime.fromtimestamp(found, UTC)
        if isinstance(found, str):
            at = datetime.fromisoformat(found.strip())
            return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        pass
    raise ValueError("at is no time, as in 2026-11-21T09:30:00Z")
