"""A strict stand-in for Chat Completions: scripted replies, real rules, real HTTP."""

from tests.standins.chat_completions.app import ChatCompletions
from tests.standins.chat_completions.limits import LIMITS, ModelLimits
from tests.standins.chat_completions.refusal import Refusal
from tests.standins.chat_completions.replies import (
    Call,
    Reply,
    calls,
    dropped,
    empty,
    failure,
    page,
    raw_events,
    silence,
    text,
    thinking,
    tool,
)
from tests.standins.messages_api import Gate, ReceivedRequest

__all__ = [
    "LIMITS",
    "Call",
    "ChatCompletions",
    "Gate",
    "ModelLimits",
    "ReceivedRequest",
    "Refusal",
    "Reply",
    "calls",
    "dropped",
    "empty",
    "failure",
    "page",
    "raw_events",
    "silence",
    "text",
    "thinking",
    "tool",
]
