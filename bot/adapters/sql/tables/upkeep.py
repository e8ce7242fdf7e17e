"""The progress of removing what is old, and the sizes of the database day by day."""

from datetime import date, datetime

from sqlalchemy import Date

from bot.adapters.sql.columns import Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, kept, stored


class SweepTable(Stored):
    """The last row of a kind that was looked at, and the time at which looking began anew."""

    name: str = kept(Words, primary_key=True)
    up_to: int = kept(Number)
    at: datetime = stored(UtcTime)


class MeasureTable(Stored):
    """The bytes of a part of the database on a day."""

    day: date = stored(Date, primary_key=True)
    part: str = kept(Words, primary_key=True)
    at: datetime = stored(UtcTime)
    bytes: int = kept(Number)


class FolderTable(Stored):
    """The tag of the workers that have the files of a folder, whose name is a digest."""

    name: str = kept(Words, primary_key=True)
    tag: str = kept(Words)


folder = METADATA.tables["folder"]
sweep = METADATA.tables["sweep"]
measure = METADATA.tables["measure"]
