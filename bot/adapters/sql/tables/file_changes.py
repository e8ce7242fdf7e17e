"""Changes of files that can be taken back."""

from datetime import datetime

from sqlalchemy import Boolean, Index, Integer, LargeBinary

from bot.adapters.sql.columns import Choice, Moment, Number, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, of_chat, stored
from bot.domain.tools.file_change import Stage


class FileChangeTable(Stored, table=True):
    """Changes of files that can be taken back."""

    __table_args__ = (
        Index("uq_file_change_id", "id", unique=True),
        Index("ix_file_change_task", "task"),
        Index("ix_file_change_by", "by"),
        Index("ix_file_change_chat", "chat", "number"),
    )
    number: int | None = stored(Number, primary_key=True)
    id: str = stored(Words)
    chat: int = of_chat()
    turn: str = stored(Words)
    task: str = stored(Words)
    call: str = stored(Words)
    asker: int = stored(Number)
    root: str = stored(Words)
    path: str = stored(Words)
    content: bytes | None = stored(LargeBinary, null=True)
    mode: int = stored(Integer)
    now: str = stored(Words)
    at: datetime = stored(Moment)
    undone: bool = stored(Boolean)
    flips: int = stored(Integer)
    version: int = stored(Integer)
    stage: Stage = stored(Choice(Stage))
    by: str = stored(Words)
    met: str = stored(Words)
    agreed: bool = stored(Boolean)
    spare: bytes | None = stored(LargeBinary, null=True)
    spare_now: str = stored(Words)
    spare_mode: int = stored(Integer)
    spare_kept: bool = stored(Boolean)


file_change = METADATA.tables["file_change"]
