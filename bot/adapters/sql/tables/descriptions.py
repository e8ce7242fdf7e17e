"""Vectors of descriptions."""

from datetime import datetime

from sqlalchemy import LargeBinary

from bot.adapters.sql.columns import UtcTime, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, stored


class DescriptionTable(Stored, table=True):
    """A description that was or is being embedded, without its words.

    `vector` is null while a process is at it. `at` is the time of its claim, later of its last use.
    """

    key: str = stored(Words, primary_key=True)
    vector: bytes | None = stored(LargeBinary, null=True)
    at: datetime = stored(UtcTime)


description = METADATA.tables["description"]
