"""A turn: from an inbound message, or a late decision, to its settled outcome."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from bot.domain.outcome import StopReason

ACCESS_ENDED = "access was taken back"
"""What `stop_asked` says of a turn whose asker is nobody any more."""

BOT_GONE = "the bot is no longer in the chat"
"""What `stop_asked` says of a turn of a chat that the bot was removed from."""


class TurnState(StrEnum):
    """Where a turn stands; a parked one waits for a person and holds nothing but its rows."""

    QUEUED = "queued"
    RUNNING = "running"
    PARKED = "parked"
    SETTLED = "settled"


@dataclass(frozen=True, slots=True)
class Turn:
    """The row of a turn: what the log does not say.

    `origin` is a message, the continuation of the card `approval`, a wish for compaction, or a
    plan to be executed. `calls` counts the calls of all replies so far, `attempts` the starts
    without progress, `worked_ms` the time at work, not the time waiting for people. `stop_asked`
    is written from outside the lane and names who asked and how. `skill` is the one at work,
    `stages` how often another took over from it in this turn.
    """

    id: str
    chat: int
    conversation: str
    asker: int
    asker_name: str
    model: str
    created_at: datetime
    origin: Literal["message", "continuation", "compaction", "plan"] = "message"
    approval: str | None = None
    state: TurnState = TurnState.RUNNING
    stop_reason: StopReason | None = None
    rounds: int = 0
    calls: int = 0
    worked_ms: int = 0
    attempts: int = 0
    stop_asked: str | None = None
    reply_to: str | None = None
    ended_at: datetime | None = None
    skill: str | None = None
    stages: int = 0
