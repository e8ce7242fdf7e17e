"""Changes of files that can be taken back."""

from datetime import datetime

from sqlalchemy import Boolean, Index, Integer, LargeBinary

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
from bot.domain.tools.file_change import Stage


class FileChangeTable(Stored):
    """Changes of files that can be taken back."""

    __table_args__ = (
        Index("uq_file_change_id", "id", unique=True),
        Index("ix_file_change_task", "task"),
        Index("ix_file_change_by", "by"),
        Index("ix_file_change_chat", "chat", "number"),
    )
    number: int | None = kept(Number, primary_key=True)
    id: str = kept(Words)
    chat: int = of_chat()
    turn: str = of_turn(Forget.ROW)
    task: str = of_turn(Forget.ROW)
    call: str = kept(Words)
    asker: int = of_person()
    root: str = kept(Words)
    path: str = spoken(Words, Forget.ROW)
    content: bytes | None = spoken(LargeBinary, Forget.ROW, null=True)
    mode: int = stored(Integer)
    now: str = kept(Words)
    at: datetime = stored(UtcTime)
    undone: bool = stored(Boolean)
    flips: int = stored(Integer)
    version: int = stored(Integer)
    stage: Stage = stored(Choice(Stage))
    by: str = of_turn(Forget.STAYS)
    met: str = spoken(Words, Forget.ROW)
    agreed: bool = stored(Boolean)
    spare: bytes | None = spoken(LargeBinary, Forget.ROW, null=True)
    spare_now: str = kept(Words)
    spare_mode: int = stored(Integer)
    spare_kept: bool = stored(Boolean)


file_change = METADATA.tables["file_change"]
