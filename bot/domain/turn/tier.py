"""Tiers of models, and when the work of a turn asks for the deepest one."""

import re
from collections.abc import Sequence
from enum import StrEnum

from bot.domain.money.provider import read_model_name
from bot.domain.setting import setting
from bot.domain.tools.tool import Status, ToolResult
from bot.domain.turn.transcript import AskerBody, Entry, ReplyBody, ResultBody
from bot.domain.value import frozen


class Tier(StrEnum):
    """The three sizes of models: the more one thinks, the more it costs."""

    FAST = "fast"
    BALANCED = "balanced"
    DEEP = "deep"


@frozen
class Tiers:
    """The model of each tier, as `provider/name`."""

    fast: str = setting(
        "anthropic/claude-haiku-5-5",
        "The model of the tier fast, for small things; provider/name.",
        name="fast_model",
        check=read_model_name,
    )
    balanced: str = setting(
        "anthropic/claude-sonnet-5-5",
        "The model of the tier balanced, for most things; provider/name.",
        name="balanced_model",
        check=read_model_name,
    )
    deep: str = setting(
        "anthropic/claude-opus-5-5",
        "The model of the tier deep, for code and hard questions; provider/name.",
        name="deep_model",
        check=read_model_name,
    )
    raises: bool = setting(
        True,
        "Whether a chat on a tier changes to deep for code and repeated failures.",
        name="tier_raise",
    )

    def model(self, tier: Tier) -> str:
        return {Tier.FAST: self.fast, Tier.BALANCED: self.balanced, Tier.DEEP: self.deep}[tier]


def tier_of(text: str | None) -> Tier | None:
    """Returns the tier of this name; None for any other text."""
    return Tier(text) if text in set(Tier) else None


_FENCE = re.compile(r"^(```|~~~)", re.MULTILINE)
_CODE_LINES = 8
"""Lines between fences from which a message counts as code."""

_TRACE = re.compile(
    r"Traceback \(most recent call last\)"
    r"|^[^\S\n]+at [\w$.<>]+\(.*:\d+\)"
    r"|^[^\S\n]+at \S.* \(?\S+:\d+:\d+\)?$"
    r"|^panic: |^goroutine \d+ \["
    r"|^thread '.+' panicked at"
    r"|^(Caused by|Exception in thread)\b",
    re.MULTILINE,
)
_FAILURES = 3
"""Calls of a turn that fail before the deepest model takes over."""

_FAILED = frozenset({Status.FAILED, Status.TIMEOUT, Status.INVALID})
_LOOKED_AT = 20_000
"""Characters of one text that are looked at."""


def raised(entries: Sequence[Entry]) -> str:
    """Returns why the entries of a turn ask for the deepest tier; empty when they do not.

    The same entries give the same answer, so a turn that is taken up again goes on alike.
    """
    failures = 0
    for entry in entries:
        match entry.body:
            case AskerBody(text=text) if _traced(text):
                return "a stack trace"
            case AskerBody(text=text) if _is_code(text):
                return "code"
            case ReplyBody() as reply if _is_code(reply.text):
                return "code"
            case ResultBody(result=result):
                if _failed(result):
                    failures += 1
                if _traced(result.text):
                    return "a stack trace"
            case _:
                pass
    return f"{failures} failed calls" if failures >= _FAILURES else ""


def _failed(result: ToolResult) -> bool:
    return result.status in _FAILED


def _traced(text: str) -> bool:
    return _TRACE.search(text[:_LOOKED_AT]) is not None


def _is_code(text: str) -> bool:
    """Returns true when fences hold more than a few lines."""
    parts = _FENCE.split(text[:_LOOKED_AT])
    inside = parts[2::4]
    return sum(part.count("\n") for part in inside) > _CODE_LINES
