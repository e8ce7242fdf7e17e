"""Chooses the buttons below the end of a turn."""

from collections.abc import Sequence

from bot.domain.money.model import FinishReason
from bot.domain.money.trouble import Trouble
from bot.domain.talk.message import ButtonRows
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.step import Finish
from bot.flow.log.work import Work
from bot.flow.ways.buttons import again, choices, onward, other_models

_FAILED = (StopReason.MODEL_FAILURE, StopReason.INTERNAL_FAILURE, StopReason.TOOL_FAILURE_POLICY)
_LIMITED = (StopReason.MAX_ROUNDS, StopReason.DEADLINE, StopReason.REPEAT_GUARD, StopReason.BUDGET)
_CUT = (FinishReason.LENGTH, FinishReason.WINDOW)
_FRESH_START = (Trouble.TOO_LONG, Trouble.FORM)
"""Kinds of trouble that another try with the same conversation would only meet again."""


def ways_of(work: Work, finish: Finish, models: Sequence[str]) -> ButtonRows:
    """Returns the buttons for this end of a turn; `models` are those set up, by their names."""
    turn, reason = work.turn, finish.stop_reason
    if reason is StopReason.WAITING_FOR_USER:
        return choices(turn.id, work.progress.choices)
    # The card of an approved plan has its own buttons to go on, and a summary is asked for anew.
    if turn.origin in ("plan", "compaction", "undo"):
        return ()
    if reason in _LIMITED or (reason is StopReason.FINAL_ANSWER and _cut(work)):
        return onward(turn.id)
    trouble = finish.trouble
    tried = {turn.model, *((trouble.model, *trouble.others) if trouble is not None else ())}
    return _another_try(work, finish, [one for one in models if one not in tried])


def _another_try(work: Work, finish: Finish, others: Sequence[str]) -> ButtonRows:
    trouble, turn = finish.trouble, work.turn.id
    in_vain = trouble is not None and trouble.kind in _FRESH_START
    if finish.stop_reason is StopReason.REFUSAL or in_vain:
        return other_models(turn, others)
    if finish.stop_reason in _FAILED:
        return (*again(turn), *other_models(turn, others))
    return ()


def _cut(work: Work) -> bool:
    reply = work.progress.reply
    return reply is not None and reply.finish in _CUT
