"""Gives each open call its one result, even if the call never ran."""

from collections.abc import Iterable, Mapping, Sequence

from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.text.names import quoted_name
from bot.domain.tools.tool import Code, Status, ToolCall, ToolResult
from bot.domain.turn.progress import OpenCall
from bot.domain.turn.step import OUTCOME_UNKNOWN, Refuse
from bot.domain.turn.transcript import Body, LateResultBody, ResultBody

ENDED_BY_FAULT = "Not run: the turn ended with a fault of the program."
"""The result of a call that a fault of ours kept from running."""

_WHY: dict[Code, tuple[Status, str]] = {
    Code.CANCELLED: (Status.SKIPPED, "Not run: the turn was stopped before it."),
    Code.LIMIT: (Status.SKIPPED, "Not run: the turn reached a limit."),
    Code.EXPIRED: (Status.BLOCKED, "Not run: nobody decided in time."),
    Code.AWAITING_DECISION: (
        Status.SKIPPED,
        "Not run: the person has not decided yet and wrote something else. The card stays open; "
        "if they decide later, the outcome arrives as a late result.",
    ),
    Code.INTERRUPTED: (
        Status.SKIPPED,
        "Not run: the program failed before it. Make the call again if it is still needed.",
    ),
    Code.ERROR: (Status.FAILED, ENDED_BY_FAULT),
    Code.OUTCOME_UNKNOWN: (OUTCOME_UNKNOWN.status, OUTCOME_UNKNOWN.text),
}


def synthetic(call: ToolCall, refusal: Refuse) -> ToolResult:
    """Returns the result of a call that did not run."""
    return ToolResult(
        call.id, call.name, refusal.status, refusal.text, code=refusal.code, synthetic=True
    )


def close(
    open_calls: Iterable[ToolCall], reason: Code, begun: Sequence[str] = ()
) -> tuple[ToolResult, ...]:
    """Returns a synthetic result for each open call; a begun call has an unknown outcome."""
    results: dict[str, ToolResult] = {}
    for call in open_calls:
        code = Code.OUTCOME_UNKNOWN if call.id in begun else reason
        status, text = _WHY.get(code, (Status.SKIPPED, "Not run."))
        results.setdefault(call.id, synthetic(call, Refuse(status, code, text)))
    return tuple(results.values())


def closings(
    open_calls: Sequence[OpenCall], code: Code, worded: Mapping[str, Refuse] | None = None
) -> list[tuple[ToolCall, ToolResult]]:
    """Returns each open call with the result that closes it; an expired card has its own.

    `worded` has the results of calls that close in words of their own.
    """
    own = worded or {}
    told = [(c.call, synthetic(c.call, own[c.call.id])) for c in open_calls if c.call.id in own]
    open_calls = [c for c in open_calls if c.call.id not in own]
    begun = [c.call.id for c in open_calls if c.begun]
    expired = [c.call for c in open_calls if _has_expired(c)]
    others = [c.call for c in open_calls if not _has_expired(c)]
    code = Code.CANCELLED if code is Code.EXPIRED else code
    results = (*close(expired, Code.EXPIRED, begun), *close(others, code, begun))
    calls = {c.call.id: c.call for c in open_calls}
    return [*told, *((calls[result.call_id], result) for result in results)]


def _has_expired(open_call: OpenCall) -> bool:
    card = open_call.approval
    return card is not None and card.state is ApprovalState.EXPIRED


def body_of(result: ToolResult, late: Approval | None) -> Body:
    """Returns the body of a result's entry: a late result if it belongs to the card `late`."""
    if late is None or late.call.id != result.call_id:
        return ResultBody(result)
    return _late_body(late, result)


def bodies_of(closed: Iterable[tuple[ToolCall, ToolResult]], late: Approval | None) -> list[Body]:
    """Returns the bodies of closed calls, in their order."""
    return [body_of(result, late) for _, result in closed]


def _late_body(card: Approval, result: ToolResult) -> LateResultBody:
    """Returns the opening of a continuation: the decision, its author and time, the output."""
    when = f" at {card.decided_at:%Y-%m-%d %H:%M} UTC" if card.decided_at is not None else ""
    who = quoted_name(card.decider_name) if card.decider_name else "nobody"
    decision = f"{card.state.value} by {who}{when}"
    return LateResultBody(
        approval=card.id,
        tool=result.tool,
        subject=card.preview.subject,
        decision=f"{decision}; {result.status.value}",
        text=result.text,
        result=result,
        untrusted=result.untrusted,
    )
