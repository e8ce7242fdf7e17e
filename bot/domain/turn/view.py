"""The request a model sees: computed from the log, never stored in its place."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Literal, TypeAlias

from bot.domain.money.model import FinishReason, ModelProfile, Usage
from bot.domain.tools.tool import ToolSpec
from bot.domain.turn.transcript import (
    CallPart,
    ForeignPart,
    ImagePart,
    ReplyPart,
    TextPart,
    ThinkingPart,
)
from bot.domain.value import frozen


@frozen
class ResultPart:
    """The answer to one call, as the model reads it."""

    call_id: str
    text: str
    is_error: bool


ViewPart: TypeAlias = TextPart | ImagePart | ThinkingPart | CallPart | ForeignPart | ResultPart


@frozen
class ViewMessage:
    role: Literal["user", "assistant"]
    parts: tuple[ViewPart, ...]


@frozen
class Masked:
    """One entry that a view shows differently from the log, and the reason; sizes in characters."""

    seq: int
    role: str
    before: int
    after: int
    reason: str
    budget: int | None = None


@frozen
class Diagnostics:
    """The record of a view: its entries, its estimate in tokens, and the changed entries."""

    entries: int
    estimate: int
    masked: tuple[Masked, ...] = ()
    summary_covers: int | None = None

    def as_json(self) -> Mapping[str, object]:
        return {
            "entries": self.entries,
            "estimate": self.estimate,
            "summary_covers": self.summary_covers,
            "masked": [asdict(m) for m in self.masked],
        }


@frozen
class RequestView:
    """Messages in the order the model reads them, with what was changed on the way."""

    messages: tuple[ViewMessage, ...]
    diagnostics: Diagnostics


@frozen
class ModelRequest:
    """Everything a provider needs for one call; `calls_allowed` is False for a wrap-up."""

    profile: ModelProfile
    system: str
    tools: tuple[ToolSpec, ...]
    messages: tuple[ViewMessage, ...]
    calls_allowed: bool = True
    max_output: int | None = None
    estimate: int = 0
    """Tokens of the prompt, estimated."""

    @property
    def call_ids(self) -> set[str]:
        """Returns the ids of all calls in view; a new call must not reuse any of them."""
        return {
            part.call.id
            for message in self.messages
            if message.role == "assistant"
            for part in message.parts
            if isinstance(part, CallPart)
        }


@frozen
class TextDelta:
    """A few more characters of the answer, for the live view only."""

    text: str


@frozen
class ModelReply:
    """A whole reply, verbatim, with what it cost."""

    parts: tuple[ReplyPart, ...]
    finish: FinishReason
    answered_model: str
    usage: Usage

    @property
    def words(self) -> str:
        """Returns all that it says to a person."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))


ModelEvent: TypeAlias = TextDelta | ModelReply
