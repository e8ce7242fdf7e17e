"""Upgrades copies of a database in processes that die at each statement; run by hand or a test.

`python -m tests.migrations.dying OLD FOLDER` prints how many died, and what each left behind.
"""

import asyncio
import os
import shutil
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import alembic.command
from sqlalchemy import event
from sqlalchemy.engine import Engine

from bot.adapters.sql.migrating import REVISIONS
from bot.adapters.sql.store import open_store


def die_at(statement: int) -> None:
    """Has this process killed before it carries out its nth statement."""
    count = 0

    def counted(*_: Any) -> None:
        nonlocal count
        count += 1
        if count == statement:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", counted)


async def upgraded(file: Path) -> None:
    async with open_store(f"sqlite:///{file}"):
        pass


def left(file: Path) -> tuple[str, str]:
    """Returns the revision of a file, and what SQLite says of its pages."""
    with closing(sqlite3.connect(file)) as connection:
        (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        (found,) = connection.execute("PRAGMA integrity_check").fetchone()
    return revision, found


def deaths(old: Path, folder: Path) -> tuple[int, list[str]]:
    """Returns how many processes died before one got through, and what was not as it had been."""
    # The library is loaded here, not in each child.
    assert alembic.command
    revision, odd = left(old)[0], list[str]()
    statement = 0
    while True:
        statement += 1
        file = folder / f"{statement}.db"
        shutil.copyfile(old, file)
        child = os.fork()
        if child == 0:
            die_at(statement)
            asyncio.run(upgraded(file))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        now = left(file)
        if os.WIFEXITED(status):
            odd += [] if now == (REVISIONS[-1], "ok") else [f"the last one: {now}"]
            return statement - 1, odd
        if now != (revision, "ok"):
            odd.append(f"{statement}: {now}")
        file.unlink()


if __name__ == "__main__":
    count, odd = deaths(Path(sys.argv[1]), Path(sys.argv[2]))
    sys.stdout.write(f"{count} deaths\n" + "".join(f"{one}\n" for one in odd))
