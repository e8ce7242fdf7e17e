"""A strict stand-in for OpenAI's Responses API: scripted replies, real rules, real HTTP."""

from tests.standins.chat_completions.refusal import Refusal
from tests.standins.responses_api.app import ResponsesApi
from tests.standins.responses_api.replies import (
    Reply,
    call,
    cut,
    failed,
    failure,
    look,
    raw_events,
    reasoning,
    refusing,
    says,
)

__all__ = [
    "Refusal",
    "Reply",
    "ResponsesApi",
    "call",
    "cut",
    "failed",
    "failure",
    "look",
    "raw_events",
    "reasoning",
    "refusing",
    "says",
]
