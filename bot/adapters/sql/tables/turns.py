"""The rows of turns, and the record of their rounds."""

from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Index, Integer, false, text

from bot.adapters.sql.codec import DETAILS, MANDATE
from bot.adapters.sql.columns import Choice, Json, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import (
    METADATA,
    Stored,
    kept,
    of_chat,
    of_person,
    of_talk,
    of_turn,
    partial,
    spoken,
    stored,
)
from bot.adapters.sql.tables.marks import Forget
from bot.adapters.sql.this_process import ThisProcess
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.turn import TurnState, Way, WaysOn

UNSETTLED = text("state <> 'settled'")
AT_WORK = text("state IN ('queued', 'running', 'resting')")
STOPPING = text("state = 'parked' AND stop_asked IS NOT NULL")
LEADS_ON = text("ways_on = 'open'")


class TurnTable(Stored):
    """A turn; its owner is the process in whose line it stands as long as nobody waits for it."""

    __table_args__ = (
        partial("ix_turn_unsettled", "chat", where=UNSETTLED),
        partial("ix_turn_at_work", "chat", where=AT_WORK),
        partial("ix_turn_stopping", "chat", where=STOPPING),
        partial("ix_turn_ways_on", "chat", where=LEADS_ON),
    )
    id: str = of_turn(Forget.MARK, primary_key=True)
    chat: int = of_chat()
    conversation: str = of_talk()
    asker: int = of_person()
    asker_name: str = kept(Words)
    model: str = kept(Words)
    created_at: datetime = stored(UtcTime)
    mandate: Any = kept(Json(MANDATE), server_default="{}")
    origin: str = kept(Words)
    approval: str | None = kept(Words, null=True)
    state: TurnState = stored(Choice(TurnState))
    stop_reason: StopReason | None = stored(Choice(StopReason), null=True)
    rounds: int = stored(Integer)
    calls: int = stored(Integer)
    worked_ms: int = kept(Number)
    attempts: int = stored(Integer)
    stop_asked: str | None = kept(Words, null=True)
    reply_to: str | None = kept(Words, null=True)
    ended_at: datetime | None = stored(UtcTime, null=True)
    skill: str | None = kept(Words, null=True)
    stages: int = stored(Integer, server_default="0")
    rests: int = stored(Integer, server_default="0")
    rests_until: datetime | None = stored(UtcTime, null=True)
    begun: int = stored(Integer, server_default="0")
    held_back: bool = stored(Boolean, server_default=false())
    ways_on: WaysOn = stored(Choice(WaysOn), server_default="none")
    follows: str | None = of_turn(Forget.STAYS, null=True)
    way: Way | None = stored(Choice(Way), null=True)
    said: str = spoken(Words, server_default="")
    parent: str | None = of_turn(Forget.STAYS, null=True)
    owner: int | None = kept(Number, null=True, default=ThisProcess())


class VerdictTable(Stored):
    __table_args__ = (Index("ix_verdict_turn", "turn"),)
    id: int | None = kept(Number, primary_key=True)
    turn: str = of_turn(Forget.STAYS)
    round: int = stored(Integer)
    at: datetime = stored(UtcTime)
    details: Any = kept(Json(DETAILS))


turn = METADATA.tables["turn"]
verdict = METADATA.tables["verdict"]
