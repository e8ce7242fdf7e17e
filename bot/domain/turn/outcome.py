"""The ways a turn can end."""

from enum import StrEnum

from bot.domain.talk.message import FileRef
from bot.domain.value import frozen


class StopReason(StrEnum):
    FINAL_ANSWER = "final_answer"
    WAITING_FOR_USER = "waiting_for_user"
    SET_ASIDE = "set_aside"
    MAX_ROUNDS = "max_rounds"
    DEADLINE = "deadline"
    REPEAT_GUARD = "repeat_guard"
    TOOL_FAILURE_POLICY = "tool_failure_policy"
    USER_CANCELLED = "user_cancelled"
    EXPIRED = "expired"
    PLAN_READY = "plan_ready"
    PIPELINE_DEPTH = "pipeline_depth"
    BUDGET = "budget"
    REFUSAL = "refusal"
    MODEL_FAILURE = "model_failure"
    INTERNAL_FAILURE = "internal_failure"


@frozen
class Outcome:
    """The end of a settled turn: its reason, the text for the person, and files with it."""

    stop_reason: StopReason
    text: str
    files: tuple[FileRef, ...] = ()
