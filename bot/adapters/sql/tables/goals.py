"""Goals, their diaries and their turns."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, Integer

from bot.adapters.sql.columns import Choice, Moment, Number, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, of_chat, stored
from bot.domain.assignments.goal import DiaryKind, GoalPace, GoalState


class GoalTable(Stored, table=True):
    """A goal; `version` grows with every write. Its own task has the same id."""

    __table_args__ = (Index("ix_goal_chat", "chat"), Index("ix_goal_asker", "asker"))
    id: str = stored(Words, primary_key=True)
    chat: int = of_chat()
    asker: int = stored(Number)
    asker_name: str = stored(Words)
    text: str = stored(Words)
    pace: GoalPace = stored(Choice(GoalPace))
    a_day: int | None = stored(Number, null=True)
    budget: int | None = stored(Number, null=True)
    until: datetime = stored(Moment)
    created_at: datetime = stored(Moment)
    state: GoalState = stored(Choice(GoalState))
    question: str = stored(Words)
    version: int = stored(Integer)


class DiaryTable(Stored, table=True):
    """An entry in the diary of a goal."""

    __table_args__ = (Index("ix_diary_goal", "goal", "at"), Index("ix_diary_turn", "turn"))
    id: str = stored(Words, primary_key=True)
    goal: str = stored(Words, ForeignKey("goal.id"))
    at: datetime = stored(Moment)
    kind: DiaryKind = stored(Choice(DiaryKind))
    text: str = stored(Words)
    turn: str = stored(Words)
    untrusted: str | None = stored(Words, null=True)


class GoalTurnTable(Stored, table=True):
    """A turn that works for a goal, whose cost counts there."""

    __table_args__ = (Index("ix_goal_turn_goal", "goal"),)
    turn: str = stored(Words, primary_key=True)
    goal: str = stored(Words, ForeignKey("goal.id"))


goal = METADATA.tables["goal"]
diary = METADATA.tables["diary"]
goal_turn = METADATA.tables["goal_turn"]
