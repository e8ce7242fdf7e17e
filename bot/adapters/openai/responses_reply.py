"""Builds a reply from the events of a stream of the Responses API."""

from collections.abc import Iterable, Mapping
from typing import Any

from bot.adapters.openai import searches
from bot.adapters.openai.event_stream import END
from bot.adapters.openai.reply_builder import finished_call
from bot.domain.money.model import LONGEST_MODEL, FinishReason, Usage, believable_tokens
from bot.domain.talk.errors import ModelUnreachable
from bot.domain.text import strict_json
from bot.domain.text.storable import storable, storable_fields
from bot.domain.turn.transcript import CallPart, ReplyPart, TextPart, ThinkingPart
from bot.domain.turn.view import ModelReply, ModelRequest

_CUT = {
    "max_output_tokens": FinishReason.LENGTH,
    "content_filter": FinishReason.REFUSAL,
}
_ENDS = frozenset({"response.completed", "response.incomplete"})


class ResponsesBuilder:
    """Takes the events of one stream in order and ignores those that it does not know."""

    def __init__(self, request: ModelRequest) -> None:
        self._request = request
        self._items: dict[int, Mapping[str, Any]] = {}
        self._ended: Mapping[str, Any] | None = None

    def feed(self, data: str) -> str:
        """Adds one event and returns the words it adds to the answer.

        Raises ModelUnreachable for an event that cannot be read.
        """
        if data == END:
            return ""
        try:
            event = strict_json.fields(strict_json.read(data))
            return storable(self._take(str(event.get("type")), event))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _unreadable(error) from None

    def reply(self) -> ModelReply:
        """Returns the whole reply; raises ModelUnreachable when the stream ended too early."""
        if self._ended is None:
            raise ModelUnreachable("the stream was cut before the reply ended")
        try:
            return self._whole(self._ended)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _unreadable(error) from None

    def _take(self, kind: str, event: Mapping[str, Any]) -> str:
        if kind == "response.output_text.delta":
            return _text(event["delta"])
        if kind == "response.output_item.done":
            self._items[int(event["output_index"])] = strict_json.fields(event["item"])
        elif kind in _ENDS:
            self._ended = strict_json.fields(event["response"])
        elif event.get("object") == "response":
            self._ended = event  # it came in one piece
        return ""

    def _whole(self, ended: Mapping[str, Any]) -> ModelReply:
        listed = enumerate(map(strict_json.fields, ended.get("output") or ()))
        items = [item for _, item in sorted({**self._items, **dict(listed)}.items())]
        finish = _finish(ended, items)
        model = storable(str(ended.get("model") or self._request.profile.name))[:LONGEST_MODEL]
        counted = ended.get("usage")
        usage = _usage(counted if isinstance(counted, Mapping) else {}, items)
        return ModelReply(self._parts(items, finish), finish, model, usage)

    def _parts(
        self, items: Iterable[Mapping[str, Any]], finish: FinishReason
    ) -> tuple[ReplyPart, ...]:
        items = list(items)
        cited = [url for item in items for url in _cited(item)]
        taken = self._request.call_ids
        parts: list[ReplyPart] = []
        for item in items:
            match item.get("type"):
                case "message":
                    if words := storable("".join(_spoken(item))):
                        parts.append(TextPart(words))
                case "function_call":
                    cut = finish is FinishReason.LENGTH and item.get("status") != "completed"
                    id, name = str(item.get("call_id") or ""), storable(str(item.get("name") or ""))
                    written = storable(_text(item.get("arguments") or ""))
                    parts.append(CallPart(finished_call(id, name, written, taken, cut=cut)))
                case searches.REASONING:
                    if item.get("encrypted_content"):
                        parts.append(ThinkingPart(storable_fields(item)))
                case searches.SEARCH_CALL:
                    if item.get("status") in ("completed", "failed"):
                        parts.append(searches.part(storable_fields(item), cited))
                case _:
                    pass
        return tuple(parts)


def _finish(ended: Mapping[str, Any], items: Iterable[Mapping[str, Any]]) -> FinishReason:
    kinds = {str(item.get("type")) for item in items}
    if ended.get("status") == "incomplete":
        why = strict_json.fields(ended.get("incomplete_details") or {}).get("reason")
        return _CUT.get(str(why), FinishReason.UNKNOWN)
    if any(part.get("type") == "refusal" for item in items for part in _content(item)):
        return FinishReason.REFUSAL
    return FinishReason.CALLS if "function_call" in kinds else FinishReason.END


def _usage(told: Mapping[str, Any], items: Iterable[Mapping[str, Any]]) -> Usage:
    """Returns the tokens that were counted, and the searches among the items."""
    details = told.get("input_tokens_details")
    inner: Mapping[str, Any] = details if isinstance(details, Mapping) else {}
    prompt = believable_tokens(told.get("input_tokens")) or 0
    read = min(believable_tokens(inner.get("cached_tokens")) or 0, prompt)
    write = min(believable_tokens(inner.get("cache_write_tokens")) or 0, prompt - read)
    output = believable_tokens(told.get("output_tokens")) or 0
    looks = sum(map(searches.count, items))
    return Usage(prompt - read - write, output, read, write, looks)


def _content(item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = item.get("content") if item.get("type") == "message" else None
    return [strict_json.fields(part) for part in content or ()]


def _spoken(item: Mapping[str, Any]) -> Iterable[str]:
    return (_text(part["text"]) for part in _content(item) if part.get("type") == "output_text")


def _cited(item: Mapping[str, Any]) -> Iterable[str]:
    marks = (mark for part in _content(item) for mark in part.get("annotations") or ())
    return (str(mark["url"]) for mark in marks if isinstance(mark, Mapping) and mark.get("url"))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("a text is no text")
    return value


def _unreadable(error: Exception) -> ModelUnreachable:
    reason = f"the provider sent an event that cannot be read ({type(error).__name__})"
    return ModelUnreachable(reason)
