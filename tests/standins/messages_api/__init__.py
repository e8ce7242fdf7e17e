"""A strict stand-in for the Messages API: scripted replies, real rules, real HTTP."""

from tests.standins.messages_api.app import MessagesApi
from tests.standins.messages_api.model_profiles import PROFILES, ModelProfile
from tests.standins.messages_api.prompt_cache import Usage
from tests.standins.messages_api.recording import ReceivedRequest
from tests.standins.messages_api.refusal import Refusal
from tests.standins.messages_api.replies import (
    Call,
    Gate,
    Reply,
    calls,
    dropped,
    empty,
    failure,
    raw_block,
    search,
    silence,
    text,
    thinking,
    tool,
)

__all__ = [
    "PROFILES",
    "Call",
    "Gate",
    "MessagesApi",
    "ModelProfile",
    "ReceivedRequest",
    "Refusal",
    "Reply",
    "Usage",
    "calls",
    "dropped",
    "empty",
    "failure",
    "raw_block",
    "search",
    "silence",
    "text",
    "thinking",
    "tool",
]
