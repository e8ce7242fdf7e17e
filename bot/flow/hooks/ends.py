"""The end of a try of a call: it is over, or it is tried again."""

from datetime import datetime

from bot.domain.assignments.hook import HookCall
from bot.domain.assignments.task import RunState
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.step import Finish
from bot.flow.log.work import Work
from bot.flow.schedules.unwatched import FAILED, next_try, reported_nothing


def over(call: HookCall, work: Work, finish: Finish, now: datetime) -> HookCall:
    """Returns the call at its end, or before its next try."""
    again_at = next_try(finish, call.tries, now)
    if again_at is not None:
        return call.again(again_at, finish.why)
    if finish.stop_reason in FAILED:
        return call.ended(RunState.FAILED, now, finish.why)
    if finish.stop_reason is StopReason.USER_CANCELLED:
        return call.ended(RunState.STOPPED, now, work.turn.stop_asked or "")
    if finish.stop_reason is StopReason.FINAL_ANSWER and reported_nothing(work):
        return call.ended(RunState.SILENT, now)
    return call.ended(RunState.DONE, now)
