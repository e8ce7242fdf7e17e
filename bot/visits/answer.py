"""The end of a question from the command line: what is printed, and the exit code."""

import json
import sys
from collections.abc import Mapping
from typing import Any

from bot.adapters.terminal.question import Question
from bot.domain.turn.outcome import StopReason

_FAILED, _STOPPED, _DENIED, _ASKS_BACK = 3, 4, 5, 6

_CODES = {
    StopReason.FINAL_ANSWER: 0,
    StopReason.PIPELINE_DEPTH: 0,
    StopReason.PLAN_READY: 0,
    StopReason.WAITING_FOR_USER: _ASKS_BACK,
    StopReason.MAX_ROUNDS: _STOPPED,
    StopReason.DEADLINE: _STOPPED,
    StopReason.REPEAT_GUARD: _STOPPED,
    StopReason.USER_CANCELLED: _STOPPED,
    StopReason.BUDGET: _STOPPED,
}
"""The exit codes; any other reason is a failure."""


def printed(question: Question, report: Mapping[str, Any], *, as_json: bool) -> None:
    """Prints the answer as text, or everything as one JSON object."""
    if not as_json:
        question.print_answer()
        return
    told = {
        "answer": question.answer,
        "stop_reason": report["stop_reason"],
        "tools": report["tools"],
        "denied": question.denied,
        "files": [file.path for file in question.channel.files],
        "usage": report["usage"],
    }
    sys.stdout.write(f"{json.dumps(told, ensure_ascii=False)}\n")


def code_of(question: Question, report: Mapping[str, Any]) -> int:
    """Returns the exit code that `steward ask` documents."""
    if question.told is not None:
        return 128 + question.told
    reason = report["stop_reason"]
    code = next((code for known, code in _CODES.items() if reason == known), _FAILED)
    if not reason and question.answer:
        code = 0  # a command was carried out, which needs no turn
    if question.gave_up:
        code = _FAILED
    return _DENIED if code == 0 and question.denied else code
