"""Waits until a program that people talk to has nothing left to do."""

import asyncio
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

QUIET = 0.5
_PATIENCE = 6.0
"""Seconds for which a talk waits at most: a model that is held never ends its turn."""

_BUSY = (
    "SELECT count(*) FROM turn WHERE state IN ('running', 'queued')",
    "SELECT count(*) FROM outbox WHERE state = 'owed'",
    "SELECT count(*) FROM inbox WHERE state IN ('new', 'waiting')",
)


async def done(database: Path, before: int) -> None:
    """Waits for the next update after so many, until nothing is left to do for a while."""
    await holding(lambda: taken(database) > before, 0)
    await idle(database)


async def idle(database: Path) -> None:
    """Waits until nothing is left to do for a while."""
    await holding(lambda: not _busy(database), QUIET)


async def holding(holds: Callable[[], bool], seconds: float) -> None:
    """Waits until something holds for so long, but not for ever: a model may be held."""
    await asyncio.to_thread(_wait, holds, seconds)


def _wait(holds: Callable[[], bool], seconds: float) -> None:
    since = time.monotonic()
    deadline = since + _PATIENCE
    while time.monotonic() < deadline:
        if not holds():
            since = time.monotonic()
        elif time.monotonic() >= since + seconds:
            return
        time.sleep(0.05)


def taken(database: Path) -> int:
    """Returns the number of updates that were stored."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as rows:
        return rows.execute("SELECT count(*) FROM inbox").fetchone()[0]


def _busy(database: Path) -> bool:
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as rows:
        return any(rows.execute(wanted).fetchone()[0] for wanted in _BUSY)
