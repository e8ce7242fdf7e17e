"""The rules of all runs that nobody may be watching: those of tasks and those of hooks."""

from collections.abc import Mapping

from bot.domain.outcome import StopReason
from bot.domain.step import Refuse
from bot.domain.task import NOTHING_TO_REPORT
from bot.domain.tool import Code, Effect, Status
from bot.flow.log.work import Work
from bot.ports.tool import Tool

TRIED_AGAIN = frozenset(
    {
        StopReason.MODEL_FAILURE,
        StopReason.INTERNAL_FAILURE,
        StopReason.DEADLINE,
        StopReason.TOOL_FAILURE_POLICY,
    }
)
"""Ends after which another try may go well."""

FAILED = TRIED_AGAIN | {
    StopReason.REPEAT_GUARD,
    StopReason.BUDGET,
    StopReason.REFUSAL,
    StopReason.MAX_ROUNDS,
}
"""Ends that count as a failure."""

END_CONVERSATION = "end_conversation"
NOT_ITS_OWN = Refuse(
    Status.BLOCKED, Code.POLICY, "Not run: this conversation ends with the run by itself."
)
ONLY_READS = Refuse(
    Status.BLOCKED, Code.POLICY, "Not run: this run may only read. Report what you would change."
)


def changes(name: str, tools: Mapping[str, Tool]) -> bool:
    """Returns True for a known tool that does more than read."""
    tool = tools.get(name)
    return tool is not None and tool.spec.effect is not Effect.READ


def reported_nothing(work: Work) -> bool:
    """Returns True when the model said that there is nothing worth a message."""
    done = (one.result for one in work.progress.done)
    return any(r.tool == NOTHING_TO_REPORT and r.status is Status.SUCCESS for r in done)
