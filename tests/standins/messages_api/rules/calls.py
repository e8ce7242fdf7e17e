"""Rules that tie every tool call to its one result in the very next message."""

from collections.abc import Callable, Iterator
from itertools import takewhile

from tests.standins.messages_api.wire import Json, Placed, Turn

_ROLE_OF = {"tool_use": "assistant", "tool_result": "user"}


def call_faults(body: Json, turns: list[Turn], paused: Callable[[Turn], bool]) -> Iterator[str]:
    """Yield calls and results that stand in the wrong place or lack their counterpart."""
    blocks = [placed for turn in turns for placed in turn.blocks if placed.kind in _ROLE_OF]
    if blocks and not body.get("tools"):
        yield "Requests which include `tool_use` or `tool_result` blocks must define tools."
    for placed in blocks:
        role = _ROLE_OF[placed.kind]
        if placed.role != role:
            yield (
                f"messages.{placed.message}: `{placed.kind}` blocks can only be in `{role}` "
                "messages"
            )
    yield from _repeated_id_faults(blocks)
    yield from _search_faults(turns, paused)
    for position, turn in enumerate(turns):
        before = turns[position - 1] if position else None
        after = turns[position + 1] if position + 1 < len(turns) else None
        if turn.role == "assistant" and not (after is None and paused(turn)):
            yield from _unanswered_faults(turn, after)
        if turn.role == "user":
            yield from _result_faults(turn, before)


def opening_faults(body: Json, turns: list[Turn]) -> Iterator[str]:
    """Yield a tool loop's assistant turn that does not open with thinking (manual mode only)."""
    if (body.get("thinking") or {}).get("type") != "enabled":
        return
    loop = open_loop(turns)
    if loop and loop.blocks[0].kind not in {"thinking", "redacted_thinking"}:
        first = loop.blocks[0]
        yield (
            f"{first.path}.type: Expected `thinking` or `redacted_thinking`, but found "
            f"`{first.kind}`. When `thinking` is enabled, a final `assistant` message must start "
            "with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` "
            "blocks)."
        )


def open_loop(turns: list[Turn]) -> Turn | None:
    """Return the assistant's turn whose calls the end of the conversation answers, if any."""
    answered = [turn for turn in turns[-3:] if turn.role == "assistant"]
    ends_with_results = any(
        placed.kind == "tool_result" for turn in turns[-2:] for placed in turn.blocks
    )
    if turns[-1].role == "assistant" or not answered or not ends_with_results:
        return None
    return answered[-1]


def _search_faults(turns: list[Turn], paused: Callable[[Turn], bool]) -> Iterator[str]:
    """Yield searches of the API itself that stand without what they found."""
    for turn in turns:
        if turn.role != "assistant" or (turn is turns[-1] and paused(turn)):
            continue
        found = {
            placed.block["tool_use_id"]
            for placed in turn.blocks
            if placed.kind == "web_search_tool_result"
        }
        for placed in turn.blocks:
            if placed.kind == "server_tool_use" and placed.block["id"] not in found:
                yield (
                    f"messages.{placed.message}: `{placed.block['name']}` tool use with id "
                    f"`{placed.block['id']}` was found without a corresponding "
                    f"`{placed.block['name']}_tool_result` block"
                )


def _repeated_id_faults(blocks: list[Placed]) -> Iterator[str]:
    seen: set[str] = set()
    for placed in blocks:
        if placed.kind == "tool_use":
            if placed.block["id"] in seen:
                yield f"{placed.path}: `tool_use` ids must be unique"
            seen.add(placed.block["id"])


def _unanswered_faults(turn: Turn, after: Turn | None) -> Iterator[str]:
    ids = _call_ids(turn)
    following = after.blocks if after else ()
    results = {p.block["tool_use_id"] for p in following if p.kind == "tool_result"}
    missing = [each for each in ids if each not in results]
    if missing:
        yield (
            f"messages.{turn.blocks[-1].message}: `tool_use` ids were found without "
            f"`tool_result` blocks immediately after: {', '.join(missing)}. Each `tool_use` "
            "block must have a corresponding `tool_result` block in the next message."
        )
    leading = list(takewhile(lambda placed: placed.kind == "tool_result", following))
    if after and len(leading) < len(ids):
        yield (
            f"messages.{after.message}: Did not find {len(ids) - len(leading)} `tool_result` "
            "block(s) at the beginning of this message."
        )


def _result_faults(turn: Turn, before: Turn | None) -> Iterator[str]:
    calls = set(_call_ids(before)) if before else set[str]()
    seen: set[str] = set()
    for placed in turn.blocks:
        if placed.kind != "tool_result":
            continue
        call_id: str = placed.block["tool_use_id"]
        if call_id not in calls:
            yield (
                f"{placed.path}: unexpected `tool_use_id` found in `tool_result` blocks: "
                f"{call_id}. Each `tool_result` block must have a corresponding `tool_use` block "
                "in the previous message."
            )
        if call_id in seen:
            yield (
                f"{placed.path}: each tool_use must have a single result. Found multiple "
                f"`tool_result` blocks with id: {call_id}"
            )
        seen.add(call_id)


def _call_ids(turn: Turn) -> list[str]:
    return [placed.block["id"] for placed in turn.blocks if placed.kind == "tool_use"]
