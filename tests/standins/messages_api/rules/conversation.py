"""Rules for the conversation's shape: roles, content, cache marks, and how it may end."""

from collections.abc import Callable, Iterator

from tests.standins.messages_api.model_profiles import ModelProfile
from tests.standins.messages_api.wire import Json, Placed, Turn, content_blocks

_MAX_MARKS = 4


def role_faults(messages: list[Json], profile: ModelProfile) -> Iterator[str]:
    """Yield unknown roles, a first message that is not the user's, misplaced system messages."""
    allowed = {"user", "assistant"} | ({"system"} if profile.system_messages else set())
    for message in messages:
        if message["role"] not in allowed:
            yield (
                f'messages: Unexpected role "{message["role"]}". Allowed roles are "user" or '
                '"assistant"'
            )
    if messages[0]["role"] != "user":
        yield 'messages: first message must use the "user" role'
    for position, message in enumerate(messages[:-1]):
        if message["role"] == "system" and messages[position + 1]["role"] != "assistant":
            yield (
                f"messages.{position}: system messages must precede an assistant message or end "
                "the messages array"
            )


def mark_faults(body: Json, blocks: list[Placed]) -> Iterator[str]:
    """Yield too many cache marks, or one on an empty text."""
    system = body.get("system")
    markable = [
        *(body.get("tools") or []),
        *(system if isinstance(system, list) else []),
        *(block for placed in blocks for block in _with_inner(placed.block)),
        body,
    ]
    count = sum(bool(each.get("cache_control")) for each in markable)
    if count > _MAX_MARKS:
        yield (
            f"A maximum of {_MAX_MARKS} blocks with cache_control may be provided. Found {count}."
        )
    for placed in blocks:
        if placed.kind == "text" and placed.block.get("cache_control") and not placed.block["text"]:
            yield f"{placed.path}.text: cache_control cannot be set for empty text blocks"


def content_faults(turns: list[Turn]) -> Iterator[str]:
    """Yield turns without content, and texts that are empty or blank."""
    for turn in turns:
        if turn.role == "user" and not turn.blocks:
            yield f"messages.{turn.message}: user messages must have non-empty content"
        if turn.role == "assistant" and not turn.blocks and turn is not turns[-1]:
            yield (
                f"messages.{turn.message}: all messages must have non-empty content except for "
                "the optional final assistant message"
            )
    for turn in turns:
        for block in (inner for placed in turn.blocks for inner in _with_inner(placed.block)):
            if block["type"] == "text" and not block["text"]:
                yield "messages: text content blocks must be non-empty"
            if block["type"] == "text" and not block["text"].strip():
                yield "messages: text content blocks must contain non-whitespace text"


def placement_faults(blocks: list[Placed]) -> Iterator[str]:
    """Yield documents sent as the assistant's and citations sent as the user's."""
    for placed in blocks:
        if placed.role == "assistant" and placed.kind == "document":
            yield f"{placed.path}: `document` blocks are not allowed in `assistant` messages"
        if placed.role == "user" and placed.block.get("citations") and placed.kind == "text":
            yield f"{placed.path}.text.citations: citations are not allowed in `user` messages"


def ending_faults(
    turns: list[Turn], profile: ModelProfile, paused: Callable[[Turn], bool]
) -> Iterator[str]:
    """Yield an assistant's turn at the end, unless it is one that the API paused itself."""
    last = turns[-1]
    if last.role != "assistant" or paused(last):
        return
    if not profile.prefill:
        yield (
            "This model does not support assistant message prefill. The conversation must end "
            "with a user message."
        )
    text = last.blocks[-1].block.get("text", "") if last.blocks else ""
    if text != text.rstrip():
        yield "messages: final assistant content cannot end with trailing whitespace"


def _with_inner(block: Json) -> Iterator[Json]:
    yield block
    if block["type"] == "tool_result":
        yield from content_blocks(block.get("content") or "")
