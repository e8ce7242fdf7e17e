"""Doubts about the replies of models whose finish reason cannot be relied on."""

import json
import re
from collections.abc import Collection, Mapping
from typing import cast

from bot.domain.money.model import FinishReason
from bot.domain.tools.tool import Code, Effect, Status
from bot.domain.turn.progress import Progress
from bot.domain.turn.step import AskFirst, Gate, Run
from bot.domain.turn.transcript import ResultBody

LONG_ENOUGH = 200
"""Characters above which a text beside calls may be the answer itself."""

_WHOLE = (FinishReason.CALLS, FinishReason.END, FinishReason.UNKNOWN)

_LONGEST_CALL = 20_000
"""Characters of a text that may be a call; a longer one is an answer that holds JSON."""

_NAMES = ("name", "tool", "tool_name", "function", "function_name", "action")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "tool_input", "action_input")
_WRAPPERS = ("tool_calls", "tool_call", "function_call", "function")
_LAYERS = 8
"""Lists and objects around a call, at most: models write two or three."""

_OPENING = re.compile(r"(?:<\|?\w+\|?>\s*)?(?:```\w*\s*)?")
_CLOSING_TAG = re.compile(r"</?[^<>]*>")


def repeats_reads(progress: Progress, gates: Mapping[str, Gate]) -> bool:
    """Returns true for a long text beside calls that were all answered before and only read.

    Such a model has said what it has to say and goes on from habit.
    """
    reply = progress.reply
    if reply is None or reply.finish not in _WHOLE or len(reply.text) <= LONG_ENOUGH:
        return False
    waiting = {open_call.call.id for open_call in progress.open_calls}
    known = {d.call.signature for d in progress.done if d.result.status is Status.SUCCESS}
    return bool(reply.calls) and all(
        call.id in waiting and call.signature in known and _reads(gates.get(call.id))
        for call in reply.calls
    )


def closed_as_answered(progress: Progress) -> bool:
    """Returns true when every call of the newest reply was closed in favour of its text."""
    reply = progress.reply
    if reply is None or not reply.calls or len(reply.text) <= LONG_ENOUGH:
        return False
    results = [body.result for body in progress.since_reply if isinstance(body, ResultBody)]
    finished = {result.call_id for result in results if result.code is Code.FINISHED}
    return all(call.id in finished for call in reply.calls)


def written_call(text: str, tools: Collection[str]) -> str:
    """Returns the name of the tool that a text calls in JSON instead of calling it.

    It is empty for any other text: the JSON must be the whole reply, apart from a fence or a tag,
    and name a tool that is offered.
    """
    if len(text) > _LONGEST_CALL:
        return ""
    try:
        value: object = json.loads(_unwrapped(text))
    except (ValueError, RecursionError):
        return ""
    return _called(value, tools)


def _unwrapped(text: str) -> str:
    """Returns a text without the tags and the fence around it."""
    text = text.strip()
    opening = _OPENING.match(text)
    text = text[opening.end() if opening is not None else 0 :]
    tag = text[text.rfind("<") :] if text.endswith(">") else ""
    if _CLOSING_TAG.fullmatch(tag):
        text = text[: -len(tag)].rstrip()
    return text.removesuffix("```")


def _called(value: object, tools: Collection[str], layers: int = _LAYERS) -> str:
    if not layers:
        return ""
    if isinstance(value, list):
        items = cast("list[object]", value)
        names = [_called(item, tools, layers - 1) for item in items]
        return names[0] if names and all(names) else ""
    if not isinstance(value, Mapping):
        return ""
    fields = cast("Mapping[str, object]", value)
    for wrapper in _WRAPPERS:
        if name := _called(fields.get(wrapper), tools, layers - 1):
            return name
    name = next((n for key in _NAMES if isinstance(n := fields.get(key), str)), "")
    given = any(key in fields for key in _ARGUMENTS)
    return name if given and name in tools else ""


def _reads(gate: Gate | None) -> bool:
    match gate:
        case Run(effect=effect):
            return effect is Effect.READ
        case AskFirst(preview=preview):
            return preview.effect is Effect.READ
        case _:
            return False
