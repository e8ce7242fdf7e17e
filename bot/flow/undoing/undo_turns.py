"""The turns that take something back, and the turn that they take back."""

import secrets
from collections.abc import Sequence
from datetime import datetime

from bot.domain.talk.chat import Chat
from bot.domain.talk.person import Person
from bot.domain.tools.tool import Code
from bot.domain.turn.mandate import PERSONAL
from bot.domain.turn.transcript import (
    AskerBody,
    CutBody,
    Entry,
    IntentBody,
    ReplyBody,
    ResultBody,
    SummaryBody,
    uncovered,
)
from bot.domain.turn.turn import Turn, TurnAsker

_PREFIX = "undo-"


def undo_turn(
    chat: Chat, by: Person, now: datetime, *, key: str = "", follows: str | None = None
) -> Turn:
    """Returns the queued turn that takes something back.

    It takes the turn that it `follows` out of view. `key` names the message that asked for it.
    """
    asker, id = TurnAsker(chat.id, chat.conversation, by.id, by.name), secrets.token_hex(8)
    return asker.starts(f"{_PREFIX}{id}", now, PERSONAL, origin="undo", follows=follows, said=key)


def newest_turn(log: Sequence[Entry]) -> str | None:
    """Returns the newest turn in view; summaries and the taking back itself are none."""
    return next((entry.turn for entry in uncovered(reversed(log)) if _is_talk(entry)), None)


def newest_deed(log: Sequence[Entry]) -> str | None:
    """Returns the newest turn that can be taken back: of the talk, or one that only summarised."""
    deeds = (
        entry.turn
        for entry in uncovered(reversed(log))
        if _is_talk(entry) or (isinstance(entry.body, SummaryBody) and summarised(log, entry.turn))
    )
    return next(deeds, None)


def summarised(log: Sequence[Entry], turn: str) -> bool:
    """Returns True for a turn that a person began for a summary alone."""
    own = [entry.body for entry in log if entry.turn == turn]
    return bool(own) and all(isinstance(body, SummaryBody) for body in own)


def _is_talk(entry: Entry) -> bool:
    about_view = isinstance(entry.body, SummaryBody | CutBody)
    return bool(entry.turn) and not about_view and not entry.turn.startswith(_PREFIX)


def asked_in(entries: Sequence[Entry]) -> str:
    """Returns the words of the person in a turn; empty when none opened it."""
    asked = (e.body.purpose for e in entries if isinstance(e.body, AskerBody))
    return next(asked, "")


def ruled_in(entries: Sequence[Entry], turn: str) -> frozenset[str]:
    """Returns the changes of files of a turn that a standing rule let happen."""
    own = (e.body.result for e in entries if e.turn == turn and isinstance(e.body, ResultBody))
    return frozenset(result.undo for result in own if result.ruled and result.undo)


def past_undoing(entries: Sequence[Entry]) -> tuple[str, ...]:
    """Returns what a turn did that cannot be taken back, each in a line for people."""
    begun = {e.body.call_id for e in entries if isinstance(e.body, IntentBody)}
    calls = {
        call.id: call for e in entries if isinstance(e.body, ReplyBody) for call in e.body.calls
    }
    results = (e.body.result for e in entries if isinstance(e.body, ResultBody))
    # A command that failed or was stopped may have done something, too.
    left = (one for one in results if one.call_id in begun and one.call_id in calls)
    return tuple(
        calls[one.call_id].subject
        for one in left
        if not one.undo and (one.code is Code.OUTCOME_UNKNOWN or not one.synthetic)
    )
