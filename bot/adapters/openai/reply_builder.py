"""Builds a reply from the events of its stream, however a server writes them."""

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bot.adapters.openai.event_stream import END
from bot.adapters.openai.reasoning import Reasoning
from bot.adapters.openai.request_body import LONGEST_ARGUMENTS
from bot.domain.money.model import LONGEST_MODEL, FinishReason, Usage, believable_tokens
from bot.domain.talk.errors import ModelOverloaded, ModelUnreachable
from bot.domain.text import strict_json
from bot.domain.text.storable import storable, storable_fields
from bot.domain.tools.arguments import parse_arguments
from bot.domain.tools.tool import ToolCall
from bot.domain.turn.transcript import CallPart, ReplyPart, TextPart, ThinkingPart
from bot.domain.turn.view import ModelReply, ModelRequest

_FINISH = {
    "stop": FinishReason.END,
    "end_turn": FinishReason.END,
    "eos": FinishReason.END,
    "tool_calls": FinishReason.CALLS,
    "function_call": FinishReason.CALLS,
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "model_length": FinishReason.WINDOW,
    "content_filter": FinishReason.REFUSAL,
    "refusal": FinishReason.REFUSAL,
}
_GRAVITY = (
    FinishReason.LENGTH,
    FinishReason.WINDOW,
    FinishReason.REFUSAL,
    FinishReason.CALLS,
    FinishReason.END,
    FinishReason.UNKNOWN,
)
"""Of two reasons the first one here counts: a call that may be cut must not run."""

_FAILED = "error"
_LEGAL_ID = re.compile(r"[a-zA-Z0-9_-]{1,40}")
"""The ids that every server takes back: some send longer ones than others accept."""


@dataclass(slots=True)
class _Call:
    """A call that is arriving: the fields of its pieces, and the pieces of its arguments."""

    index: object
    fields: dict[str, Any] = field(default_factory=dict[str, Any])
    function: dict[str, Any] = field(default_factory=dict[str, Any])
    arguments: list[str] = field(default_factory=list[str])

    @property
    def id(self) -> str:
        return str(self.fields.get("id") or "")

    @property
    def name(self) -> str:
        return storable(str(self.function.get("name") or ""))

    def grow(self, piece: Mapping[str, Any]) -> None:
        for name, value in piece.items():
            if name not in ("function", "index") and value not in (None, ""):
                self.fields[name] = value
        function = piece.get("function")
        if function is None:
            return
        for name, value in strict_json.fields(function).items():
            if name == "arguments":
                self.arguments.append(_argument_text(value))
            elif value not in (None, ""):
                self.function.setdefault(name, value)


class ReplyBuilder:
    """Takes the events of one stream in order and ignores fields it does not know."""

    def __init__(self, request: ModelRequest) -> None:
        self._request = request
        self._model = request.profile.name
        self._words: list[str] = []
        self._reasoning = Reasoning()
        self._calls: list[_Call] = []
        self._finishes: set[FinishReason] = set()
        self._usage = Usage()
        self._heard = False
        self._whole = False

    def feed(self, data: str) -> str:
        """Adds one event and returns the words it adds to the answer.

        Raises ModelUnreachable for an event that cannot be read.
        """
        if data == END:
            self._whole = True
            return ""
        try:
            event = strict_json.read(data)
            return storable(self._take(strict_json.fields(event)))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            reason = f"the provider sent an event that cannot be read ({type(error).__name__})"
            raise ModelUnreachable(reason) from None

    def reply(self) -> ModelReply:
        """Returns the whole reply; raises ModelUnreachable when the stream ended too early."""
        if not self._heard:
            raise ModelUnreachable("the provider answered with nothing")
        if not self._finishes and not self._whole:
            raise ModelUnreachable("the stream was cut before the reply ended")
        finish = self._finish()
        return ModelReply(self._parts(finish), finish, self._model, self._usage)

    def _take(self, event: Mapping[str, Any]) -> str:
        if event.get("model"):
            self._model = storable(str(event["model"]))[:LONGEST_MODEL]
        usage = event.get("usage")
        if usage and (counted := usage_of(strict_json.fields(usage))).told:
            self._usage = counted  # counts are cumulative, and some servers end with zeros
        choices = event.get("choices") or []
        if not choices:
            return ""
        # Only one reply is asked for; a second choice is none of ours.
        choice = strict_json.fields(choices[0])
        self._heard = True
        reason = choice.get("finish_reason")
        if reason == _FAILED:
            raise ModelOverloaded("the provider broke off the reply")
        if reason:
            self._finishes.add(_FINISH.get(str(reason), FinishReason.UNKNOWN))
        delta = choice.get("delta") or choice.get("message")
        return self._grow(strict_json.fields(delta)) if delta else ""

    def _grow(self, delta: Mapping[str, Any]) -> str:
        self._reasoning.grow(delta)
        for piece in delta.get("tool_calls") or ():
            self._call(strict_json.fields(piece))
        if delta.get("function_call"):
            self._call({"function": delta["function_call"]})
        words = self._spoken(delta.get("content"))
        if delta.get("refusal"):
            self._finishes.add(FinishReason.REFUSAL)
        if words:
            self._words.append(words)
        return words

    def _spoken(self, content: object) -> str:
        """Returns the words of a content, which is a text or a list of parts."""
        if not content:
            return ""
        if isinstance(content, str):
            return content
        if not isinstance(content, list):
            raise TypeError("a content is neither a text nor a list")
        parts = [strict_json.fields(part) for part in content]
        return "".join(str(part.get("text") or "") for part in parts if part.get("type") == "text")

    def _call(self, piece: Mapping[str, Any]) -> None:
        """Adds a piece to its call, or opens a new one.

        Some servers leave the index out, or give each call the index 0: then another id, or
        another name once there are arguments, begins a new call.
        """
        index = piece.get("index")
        call = next((c for c in reversed(self._calls) if index in (None, c.index)), None)
        if call is None or _begins(call, piece):
            call = _Call(index if index is not None else len(self._calls))
            self._calls.append(call)
        call.grow(piece)

    def _finish(self) -> FinishReason:
        """Returns the gravest reason; a model that is not trusted goes on after calls."""
        finish = next((r for r in _GRAVITY if r in self._finishes), FinishReason.UNKNOWN)
        profile = self._request.profile
        if profile.trusted or not self._calls:
            return finish
        most = self._request.max_output or profile.max_output
        if self._usage.output >= most and finish is not FinishReason.REFUSAL:
            return FinishReason.LENGTH
        ended = finish in (FinishReason.END, FinishReason.UNKNOWN)
        return FinishReason.CALLS if ended else finish

    def _parts(self, finish: FinishReason) -> tuple[ReplyPart, ...]:
        parts: list[ReplyPart] = []
        reasoning = self._reasoning.raw()
        if reasoning:
            parts.append(ThinkingPart(storable_fields(reasoning)))
        words = storable("".join(self._words))
        if words:
            parts.append(TextPart(words))
        taken = self._request.call_ids if self._calls else set()
        cut = finish in (FinishReason.LENGTH, FinishReason.WINDOW)
        parts.extend(CallPart(_whole_call(call, taken, cut=cut)) for call in self._calls)
        return tuple(parts)


def usage_of(usage: Mapping[str, Any]) -> Usage:
    """Returns the tokens that a server counted; unknown or odd counts are zero."""
    details = usage.get("prompt_tokens_details")
    told: Mapping[str, Any] = details if isinstance(details, Mapping) else {}
    prompt = _count(usage.get("prompt_tokens"))
    read = _count(told.get("cached_tokens")) or _count(usage.get("prompt_cache_hit_tokens"))
    write = _count(told.get("cache_write_tokens"))
    read = min(read, prompt)
    write = min(write, prompt - read)
    output = _count(usage.get("completion_tokens"))
    return Usage(prompt - read - write, output, read, write)


def _count(value: object) -> int:
    return believable_tokens(value) or 0


def _begins(call: _Call, piece: Mapping[str, Any]) -> bool:
    new_id = str(piece.get("id") or "")
    if new_id and call.id:
        return new_id != call.id
    function = piece.get("function")
    name = str(function.get("name") or "") if isinstance(function, Mapping) else ""
    return bool(name and call.name and (new_id or call.arguments) and name != call.name)


def _whole_call(call: _Call, taken: set[str], *, cut: bool) -> ToolCall:
    written = storable("".join(call.arguments))
    whole = finished_call(call.id, call.name, written, taken, cut=cut)
    return replace(whole, raw=storable_fields({**call.fields, "function": call.function}))


def finished_call(id: str, name: str, written: str, taken: set[str], *, cut: bool) -> ToolCall:
    """Returns the call; a missing, illegal or used id becomes a fresh one."""
    arguments, fault = parse_arguments(written)
    if len(written) > LONGEST_ARGUMENTS:
        arguments, fault = None, f"the arguments have {len(written)} characters: too many"
    if cut and not written.strip():
        arguments, fault = None, "the reply was cut before the arguments began"
    if not _LEGAL_ID.fullmatch(id) or id in taken:
        id = f"call_{secrets.token_hex(12)}"
    taken.add(id)
    return ToolCall(id, name, written, arguments, fault)


def _argument_text(value: object) -> str:
    """Returns a piece of arguments; some servers send the object itself."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
