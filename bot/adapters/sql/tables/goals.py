"""Goals, their diaries and their turns."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, Integer

from bot.adapters.sql.columns import Choice, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import (
    METADATA,
    Stored,
    kept,
    of_chat,
    of_person,
    of_turn,
    spoken,
    stored,
)
from bot.adapters.sql.tables.marks import Forget
from bot.domain.assignments.goal import DiaryKind, GoalPace, GoalState


class GoalTable(Stored):
    """A goal; `version` grows with every write. Its own task has the same id."""

    __table_args__ = (Index("ix_goal_chat", "chat"), Index("ix_goal_asker", "asker"))
    id: str = kept(Words, primary_key=True)
    chat: int = of_chat()
    asker: int = of_person()
    asker_name: str = kept(Words)
    text: str = spoken(Words, Forget.BY_HAND, told=True)
    pace: GoalPace = stored(Choice(GoalPace))
    a_day: int | None = kept(Number, null=True)
    budget: int | None = kept(Number, null=True)
    until: datetime = stored(UtcTime)
    created_at: datetime = stored(UtcTime)
    state: GoalState = stored(Choice(GoalState))
    question: str = spoken(Words, Forget.BY_HAND)
    version: int = stored(Integer)


class DiaryTable(Stored):
    """An entry in the diary of a goal."""

    __table_args__ = (Index("ix_diary_goal", "goal", "at"), Index("ix_diary_turn", "turn"))
    id: str = kept(Words, primary_key=True)
    goal: str = kept(Words, ForeignKey("goal.id"))
    at: datetime = stored(UtcTime)
    kind: DiaryKind = stored(Choice(DiaryKind))
    text: str = spoken(Words, Forget.ROW, told=True)
    turn: str = of_turn(Forget.ROW)
    untrusted: str | None = kept(Words, null=True)


class GoalTurnTable(Stored):
    """A turn that works for a goal, whose cost counts there."""

    __table_args__ = (Index("ix_goal_turn_goal", "goal"),)
    turn: str = of_turn(Forget.STAYS, primary_key=True)
    goal: str = kept(Words, ForeignKey("goal.id"))


goal = METADATA.tables["goal"]
diary = METADATA.tables["diary"]
goal_turn = METADATA.tables["goal_turn"]
