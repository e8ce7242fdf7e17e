"""Vectors of descriptions."""

from datetime import datetime

from sqlalchemy import LargeBinary

from bot.adapters.sql.columns import UtcTime, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, kept, stored


class DescriptionTable(Stored):
    """A description that was or is being embedded, without its words.

    `vector` is null while a process is at it. `at` is the time of its claim, later of its last use.
    """

    key: str = kept(Words, primary_key=True)
    vector: bytes | None = kept(LargeBinary, null=True)
    at: datetime = stored(UtcTime)


description = METADATA.tables["description"]
