"""Giving every call its one result, whatever happened to it."""

from collections.abc import Iterable, Sequence

from bot.domain.step import OUTCOME_UNKNOWN, Refuse
from bot.domain.tool import Code, Status, ToolCall, ToolResult

_WHY: dict[Code, tuple[Status, str]] = {
    Code.CANCELLED: (Status.SKIPPED, "Not run: the turn was stopped before it."),
    Code.LIMIT: (Status.SKIPPED, "Not run: the turn reached a limit."),
    Code.EXPIRED: (Status.BLOCKED, "Not run: nobody decided in time."),
    Code.AWAITING_DECISION: (
        Status.SKIPPED,
        "Not run: the person has not decided yet and wrote something else. The card stays open; "
        "if they decide later, the outcome arrives as a late result.",
    ),
    Code.ERROR: (Status.FAILED, "Not run: the turn ended with a fault of the program."),
    Code.OUTCOME_UNKNOWN: (OUTCOME_UNKNOWN.status, OUTCOME_UNKNOWN.text),
}


def synthetic(call: ToolCall, refusal: Refuse) -> ToolResult:
    """The result of a call that did not run."""
    return ToolResult(
        call.id, call.name, refusal.status, refusal.text, code=refusal.code, synthetic=True
    )


def close(
    open_calls: Iterable[ToolCall], reason: Code, begun: Sequence[str] = ()
) -> tuple[ToolResult, ...]:
    """One synthetic result for each open call; those that had begun have an unknown outcome."""
    results: dict[str, ToolResult] = {}
    for call in open_calls:
        code = Code.OUTCOME_UNKNOWN if call.id in begun else reason
        status, text = _WHY.get(code, (Status.SKIPPED, "Not run."))
        results.setdefault(call.id, synthetic(call, Refuse(status, code, text)))
    return tuple(results.values())
