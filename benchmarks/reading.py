"""Pages for people who look, beside the rows of a hundred thousand turns: real pages over HTTP."""

import asyncio
import re
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

from benchmarks.figure import Figure, median
from benchmarks.process import MeasuredProcess
from benchmarks.scale import Scale
from benchmarks.scripted_model import asking
from benchmarks.stage import Stage, stage
from tests.e2e.browser import LINK, Browser, browser
from tests.ports import free_port
from tests.standins.bot_api import Person, ShownMessage

_LOOKS = 15
_OPEN_SECONDS, _OPEN_EVERY = 30.0, 0.05
_IN_A_CONVERSATION = 20
"""Turns of each conversation."""

_MINUTES = 3
"""Minutes between two turns."""

_PAGES = {
    "Cards in one place": "/cards",
    "Older decisions": "/cards?before={old}~0~x",
    "Now": "/now",
    "Money of 30 days": "/money?span=month&by=person",
    "The record": "/record",
    "The record, far back and filtered": "/record?action=call.&before=1000",
    "The record of a day, of an action that never came": "/record?action=x&until=2100-01-01",
    "People": "/people",
    "Rules": "/rules",
    "Settings": "/settings",
    "What goes on, looked at again": "/now/part",
}


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    """Copies the rows of a turn with a card, then loads each page in a browser without scripts."""
    async with stage(folder, asking) as on:
        person = on.people(1)[0]
        async with on.steward([person], {"STEWARD_WEB_PORT": "0"}) as process:
            await _decided(on, process, person)
        turn = _copied(folder / "data" / "steward.db", scale.turns)
        port = free_port()
        async with on.steward([person], {"STEWARD_WEB_PORT": str(port)}) as process:
            await _open(port)
            link = LINK.search((folder / "log").read_text())
            assert link is not None
            async with browser(link[1]) as page:
                await page.enter(link[2])
                old = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() - 864_000))
                pages = {name: path.format(old=old) for name, path in _PAGES.items()}
                pages["A turn, explained"] = f"/turn/{turn}"
                for name, path in pages.items():
                    told = f"{scale.turns:,} turns: {name}"
                    yield Figure(told, await _loaded(page, process, path), "ms", aim="≤ 100 ms")


async def _open(port: int) -> None:
    """Waits until the page is served: it is loaded behind the first poll."""
    async with asyncio.timeout(_OPEN_SECONDS):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(_OPEN_EVERY)
            else:
                writer.close()
                return


async def _decided(on: Stage, process: MeasuredProcess, person: Person) -> None:
    """Lets one turn end that asked a person."""
    on.bot_api.say(person, "Write a note.")
    card = await on.bot_api.wait_for(lambda: _shown(on, person), seconds=60)
    assert card is not None
    since = len(on.bot_api.calls)
    on.bot_api.press(person, card, next(label for label in card.labels if "Approve" in label))
    await on.answers(1, since)
    await process.at_rest()


def _shown(on: Stage, person: Person) -> ShownMessage | None:
    messages = on.bot_api.screen(person.id).from_bot
    return next((message for message in messages if message.buttons), None)


async def _loaded(page: Browser, process: MeasuredProcess, path: str) -> float:
    """Returns the milliseconds of a load, the median of some; the first one is a warm-up."""
    told: list[float] = []
    for _ in range(_LOOKS):
        await process.at_rest()
        begun = time.perf_counter()
        answer = await page.get(path)
        told.append((time.perf_counter() - begun) * 1000)
        assert answer.status_code == 200, (path, answer.status_code)
    return median(told[1:])


def _copied(database: Path, turns: int) -> str:
    """Writes copies of the one turn with everything about it; returns the id of a late one."""
    with closing(sqlite3.connect(database)) as connection, connection:
        (turn,) = connection.execute("SELECT id FROM turn").fetchone()
        numbers = (
            "CREATE TEMP TABLE copy AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
            "FROM n WHERE i < ?) SELECT i FROM n"
        )
        connection.execute(numbers, (turns,))
        (last,) = connection.execute("SELECT max(seq) FROM entry").fetchone()
        for table in ("turn", "approval", "usage", "verdict", "outbox", "audit", "inbox", "entry"):
            _copy(connection, table, turn, int(last))
        connection.execute("UPDATE chat SET last_seq = (SELECT max(seq) FROM entry)")
    return f"copy-{turns // 2}"


def _copy(connection: sqlite3.Connection, table: str, turn: str, last: int) -> None:
    """Copies the rows of a table, each with a name and a time of its own."""
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    told = ", ".join(_value(table, column, last) for column in columns)
    of = {"turn": "id", "outbox": "about", "audit": "chat", "approval": "turn"}.get(table, "turn")
    where = f'"{of}" = ?' if of != "chat" else "chat IS NOT NULL AND ? <> ''"
    connection.execute(
        f'INSERT INTO "{table}" SELECT {told} FROM "{table}" AS r, copy WHERE r.{where}', (turn,)
    )


def _value(table: str, column: str, last: int) -> str:
    """Returns the value of a column in a copy."""
    name = f'r."{column}"'
    if re.search("_at$|^at$", column):
        minutes = f"'-' || (copy.i * {_MINUTES}) || ' minutes'"
        moved = f"strftime('%Y-%m-%d %H:%M:%f000', {name}, {minutes})"
        return f"CASE WHEN {name} IS NULL THEN NULL ELSE {moved} END"
    if (table, column) == ("turn", "id") or column in ("turn", "about"):
        return "'copy-' || copy.i"
    if column == "conversation":
        return f"'talk-' || (copy.i / {_IN_A_CONVERSATION})"
    if column == "seq":
        return f"{name} + copy.i * {last}"
    if column == "id" and table in ("usage", "verdict", "outbox", "audit", "inbox"):
        return "NULL"
    if column in ("id", "token", "key", "call") and table != "entry":
        return f"{name} || '-' || copy.i" if (table, column) != ("approval", "call") else name
    return name
