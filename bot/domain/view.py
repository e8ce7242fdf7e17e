"""The request a model sees: computed from the log, never stored in its place."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bot.domain.exchange import Diagnostics, FinishReason, ModelProfile, Usage
from bot.domain.tool import ToolSpec
from bot.domain.transcript import (
    CallPart,
    ForeignPart,
    ImagePart,
    ReplyPart,
    TextPart,
    ThinkingPart,
)


@dataclass(frozen=True, slots=True)
class ResultPart:
    """The answer to one call, as the model reads it."""

    call_id: str
    text: str
    is_error: bool


ViewPart: TypeAlias = TextPart | ImagePart | ThinkingPart | CallPart | ForeignPart | ResultPart


@dataclass(frozen=True, slots=True)
class ViewMessage:
    role: Literal["user", "assistant"]
    parts: tuple[ViewPart, ...]


@dataclass(frozen=True, slots=True)
class RequestView:
    """Messages in the order the model reads them, with what was changed on the way."""

    messages: tuple[ViewMessage, ...]
    diagnostics: Diagnostics


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """Everything a provider needs for one call; `calls_allowed` is False for a wrap-up."""

    profile: ModelProfile
    system: str
    tools: tuple[ToolSpec, ...]
    messages: tuple[ViewMessage, ...]
    calls_allowed: bool = True
    max_output: int | None = None


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A few more characters of the answer, for the live view only."""

    text: str


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A whole reply, verbatim, with what it cost."""

    parts: tuple[ReplyPart, ...]
    finish: FinishReason
    answered_model: str
    usage: Usage


ModelEvent: TypeAlias = TextDelta | ModelReply
