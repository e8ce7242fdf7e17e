"""Tries whether rows can be written: writes some for real, and removes them."""

import secrets
from datetime import UTC, datetime

from sqlalchemy import Connection, delete

from bot.adapters.sql.database import Database
from bot.adapters.sql.tables import pairing
from bot.adapters.sql.upsert import Upsert, overwrite

_NUMBER = -1
_BYTES = 65_536
"""Enough that the database needs new pages, which a full disk does not give."""

_PUT = Upsert(pairing, ["id"], overwrite("code_hash", "expires_at"))
_TAKE_AWAY = delete(pairing).where(pairing.c.id == _NUMBER)


async def try_writing(database: Database) -> None:
    """Raises a StoreError when rows cannot be written; leaves none.

    The row stands for no pairing code: it has expired, and nobody knows words with its hash.
    """
    await database.write(_put, repeatable=True)
    await database.write(_take_away, repeatable=True)


def _put(connection: Connection) -> None:
    words = secrets.token_hex(_BYTES // 2)
    row = {"id": _NUMBER, "code_hash": words, "expires_at": datetime(1970, 1, 1, tzinfo=UTC)}
    _PUT.run(connection, row)


def _take_away(connection: Connection) -> None:
    connection.execute(_TAKE_AWAY)
