"""Builds a reply from the events of its stream."""

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.adapters.anthropic import searches
from bot.domain.money.model import LONGEST_MODEL, FinishReason, Usage, believable_tokens
from bot.domain.talk.errors import ModelUnreachable
from bot.domain.text import strict_json
from bot.domain.text.storable import storable, storable_fields
from bot.domain.tools.arguments import parse_arguments
from bot.domain.tools.tool import ToolCall
from bot.domain.turn.transcript import CallPart, ReplyPart, TextPart, ThinkingPart
from bot.domain.turn.view import ModelReply, ModelRequest

_FINISH = {
    "end_turn": FinishReason.END,
    "stop_sequence": FinishReason.END,
    "tool_use": FinishReason.CALLS,
    "max_tokens": FinishReason.LENGTH,
    "pause_turn": FinishReason.PAUSE,
    "refusal": FinishReason.REFUSAL,
    "model_context_window_exceeded": FinishReason.WINDOW,
}
_CUT_SHORT = frozenset({FinishReason.LENGTH, FinishReason.WINDOW})
_USAGE = {
    "input_tokens": "input",
    "output_tokens": "output",
    "cache_read_input_tokens": "cache_read",
    "cache_creation_input_tokens": "cache_write",
}
_GROWING = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "signature_delta": ("signature", "signature"),
    "input_json_delta": ("partial_json", "input"),
}
_LEGAL_ID = re.compile(r"[a-zA-Z0-9_-]+")


@dataclass(slots=True)
class _Block:
    """A content block that is arriving: its opening, and the later pieces of its fields."""

    opened: dict[str, Any]
    pieces: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    citations: list[Any] = field(default_factory=list[Any])
    closed: bool = False

    @property
    def kind(self) -> str:
        return self.opened["type"]

    def grow(self, delta: Mapping[str, Any]) -> str:
        """Adds a delta; returns the words it adds to the answer."""
        kind = delta["type"]
        if kind == "citations_delta":
            self.citations.append(delta["citation"])
        if kind not in _GROWING:
            return ""
        source, target = _GROWING[kind]
        piece = delta[source]
        if not isinstance(piece, str):
            raise TypeError(f"{source} is not a text")
        self.pieces.setdefault(target, []).append(piece)
        return piece if kind == "text_delta" else ""

    def written_input(self) -> str:
        """Returns the argument text, either streamed or from the opening of the block."""
        text = "".join(self.pieces.get("input", ()))
        given = self.opened.get("input")
        return json.dumps(given, ensure_ascii=False) if not text and given else text

    def raw(self) -> dict[str, Any]:
        """Returns the block as the provider would have sent it in one piece, without its input."""
        whole = dict(self.opened)
        for name, pieces in self.pieces.items():
            if name != "input":
                whole[name] = (whole.get(name) or "") + "".join(pieces)
        if self.citations:
            whole["citations"] = [*(whole.get("citations") or ()), *self.citations]
        return whole


class ReplyBuilder:
    """Takes the events of one stream in order and ignores kinds it does not know."""

    def __init__(self, request: ModelRequest) -> None:
        self._request = request
        self._model = request.profile.name
        self._blocks: dict[int, _Block] = {}
        self._usage: dict[str, int] = {}
        self._stop_reason = ""
        self._reply: ModelReply | None = None

    def feed(self, data: str) -> str:
        """Adds one event and returns the words it adds to the answer.

        Raises ModelUnreachable for an event that cannot be read.
        """
        try:
            return storable(self._take(strict_json.read(data)))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            reason = f"the provider sent an event that cannot be read ({type(error).__name__})"
            raise ModelUnreachable(reason) from None

    def reply(self) -> ModelReply:
        """Returns the whole reply; raises ModelUnreachable when the stream ended too early."""
        if self._reply is None:
            raise ModelUnreachable("the stream was cut before the reply ended")
        return self._reply

    def _take(self, event: Mapping[str, Any]) -> str:
        match event["type"]:
            case "message_start":
                message = event["message"]
                told = str(message.get("model") or self._model)
                self._model = storable(told)[:LONGEST_MODEL]
                self._count(message.get("usage"))
            case "content_block_start":
                opened = dict(event["content_block"])
                if not isinstance(opened["type"], str):
                    raise TypeError("a block's type is not a text")
                self._blocks[int(event["index"])] = _Block(opened)
            case "content_block_delta":
                return self._blocks[event["index"]].grow(event["delta"])
            case "content_block_stop":
                self._blocks[event["index"]].closed = True
            case "message_delta":
                self._stop_reason = str(event["delta"].get("stop_reason") or "")
                self._count(event.get("usage"))
            case "message_stop":
                finish = _FINISH.get(self._stop_reason, FinishReason.UNKNOWN)
                usage = Usage(**self._usage)
                self._reply = ModelReply(self._parts(finish), finish, self._model, usage)
            case _:
                pass
        return ""

    def _count(self, usage: Mapping[str, Any] | None) -> None:
        """Keeps the latest count of each kind, because counts are cumulative."""
        for theirs, ours in _USAGE.items():
            count = believable_tokens((usage or {}).get(theirs))
            if count is not None:
                self._usage[ours] = count
        if (count := searches.count(usage)) is not None:
            self._usage["searches"] = count

    def _parts(self, finish: FinishReason) -> tuple[ReplyPart, ...]:
        parts: list[ReplyPart] = []
        taken: set[str] | None = None
        last = max(self._blocks, default=0)
        answered = searches.answered(block.opened for block in self._blocks.values())
        for index, block in sorted(self._blocks.items()):
            cut = not block.closed or (index == last and finish in _CUT_SHORT)
            searched = searches.is_call(block.opened) and block.opened.get("id") not in answered
            if searched and finish is not FinishReason.PAUSE:
                continue  # cut off before its result: no later request may hold it
            if block.kind == "tool_use":
                taken = self._request.call_ids if taken is None else taken
                call_id = _free_id(block, taken)
                parts.append(CallPart(_call(block, call_id, cut=cut)))
            else:
                parts.append(_part(block))
        return tuple(parts)


def _part(block: _Block) -> ReplyPart:
    raw = storable_fields(block.raw())
    match block.kind:
        case "text":
            return TextPart(_words(raw), raw)
        case "thinking" | "redacted_thinking":
            return ThinkingPart(raw)
        case _:
            written = block.written_input()
            if "input" in block.pieces:
                raw["input"] = parse_arguments(written)[0] or {}
            return searches.part(raw)


def _words(raw: Mapping[str, Any]) -> str:
    """Returns the words of a text block; raises TypeError for a value that cannot be sent back."""
    words = raw.get("text") or ""
    if not isinstance(words, str):
        raise TypeError("the text of a block is not a text")
    return words


def _call(block: _Block, call_id: str, *, cut: bool) -> ToolCall:
    """Returns the call; its arguments count only when the model had finished writing them."""
    written = storable(block.written_input())
    arguments, fault = parse_arguments(written)
    if cut and not written.strip():
        arguments, fault = None, "the reply was cut before the arguments began"
    return ToolCall(
        call_id,
        storable(str(block.opened.get("name", ""))),
        written,
        arguments,
        fault,
        storable_fields(block.raw()),
    )


def _free_id(block: _Block, taken: set[str]) -> str:
    """Returns the block's own id, or a fresh one when it is missing, illegal or used before."""
    wanted = block.opened.get("id")
    if not isinstance(wanted, str) or not _LEGAL_ID.fullmatch(wanted) or wanted in taken:
        wanted = f"call_{secrets.token_hex(12)}"
    taken.add(wanted)
    return wanted
