"""Judges a request body by every rule, in the order the API reports faults.

Rules yield faults lazily and only the first is read, so each may rely on those before it.
"""

from collections.abc import Iterator

from tests.standins.messages_api.issued import Issued
from tests.standins.messages_api.model_profiles import ModelProfile
from tests.standins.messages_api.rules.calls import call_faults, opening_faults
from tests.standins.messages_api.rules.conversation import (
    content_faults,
    ending_faults,
    mark_faults,
    placement_faults,
    role_faults,
)
from tests.standins.messages_api.rules.fields import field_faults
from tests.standins.messages_api.rules.images import image_faults
from tests.standins.messages_api.rules.model_limits import model_faults, window_faults
from tests.standins.messages_api.rules.terms import Terms
from tests.standins.messages_api.rules.tools import tool_agreement_faults
from tests.standins.messages_api.thinking_binding import binding_faults
from tests.standins.messages_api.wire import Json, placed_blocks, turns


def first_fault(body: Json, profile: ModelProfile, issued: Issued, terms: Terms) -> str | None:
    """Return the message of the first rule the body breaks, or None."""
    return next(_faults(body, profile, issued, terms), None)


def first_window_fault(
    body: Json, profile: ModelProfile, *, input_tokens: int, window: int
) -> str | None:
    """Return how a prompt of so many tokens exceeds the window, or None."""
    return next(window_faults(input_tokens, body["max_tokens"], window, profile), None)


def _faults(body: Json, profile: ModelProfile, issued: Issued, terms: Terms) -> Iterator[str]:
    yield from field_faults(body, terms, issued.is_unknown_block)
    yield from model_faults(body, profile)
    yield from tool_agreement_faults(body)
    messages: list[Json] = body["messages"]
    blocks, merged = placed_blocks(messages), turns(messages)
    yield from role_faults(messages, profile)
    yield from mark_faults(body, blocks)
    yield from content_faults(merged)
    yield from image_faults(blocks)
    if terms.tightened:
        yield from placement_faults(blocks)
    yield from call_faults(body, merged, issued.is_paused)
    yield from opening_faults(body, merged)
    if not _drops_mismatched(body):
        yield from issued.alteration_faults(profile.name, merged)
    yield from binding_faults(body, profile, drop_mismatched=_drops_mismatched(body))
    yield from ending_faults(merged, profile, issued.is_paused)


def _drops_mismatched(body: Json) -> bool:
    binding = (body.get("thinking") or {}).get("block_binding") or {}
    return binding.get("prefix_mismatch_behavior") == "drop_block"
