"""The rules of all runs that nobody may be watching: those of tasks and those of hooks."""

from datetime import datetime, timedelta

from bot.domain.assignments.task import AGAIN_MINUTES, NOTHING_TO_REPORT
from bot.domain.tools.tool import Code, Status
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.step import Finish, Refuse
from bot.flow.log.work import Work

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

TRY_AGAIN = (
    "An earlier try failed. Calls that have a result above are done: do not repeat those that "
    "worked."
)
"""Words to the model at the opening of another try."""

QUIETLY = f"If there is nothing worth a message, call {NOTHING_TO_REPORT} and write nothing."
READING_ONLY = "You may only read. Calls that change something are refused."

NOT_ITS_OWN = Refuse(
    Status.BLOCKED, Code.POLICY, "Not run: this conversation ends with the run by itself."
)


def next_try(finish: Finish, tries: int, now: datetime) -> datetime | None:
    """Returns the time of the next try of a run that failed so often; None when there is none.

    A model that stayed away was tried again for more than an hour by then.
    """
    if finish.stop_reason not in TRIED_AGAIN or finish.fleeting or tries > len(AGAIN_MINUTES):
        return None
    return now + timedelta(minutes=AGAIN_MINUTES[tries - 1])


def reported_nothing(work: Work) -> bool:
    """Returns True when the model said that there is nothing worth a message."""
    done = (one.result for one in work.progress.done)
    return any(r.tool == NOTHING_TO_REPORT and r.status is Status.SUCCESS for r in done)
