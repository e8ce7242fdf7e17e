"""Pages and `/metrics` beside the rows of a hundred thousand turns, over HTTP."""

import asyncio
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
from sqlalchemy import Connection, NullPool, create_engine, inspect, text

from benchmarks.figure import Figure, median
from benchmarks.process import MeasuredProcess
from benchmarks.scale import Scale
from benchmarks.scripted_model import asking
from benchmarks.stage import Stage, stage
from tests.e2e.browser import LINK, Browser, browser
from tests.ports import free_port
from tests.postgres_server import named_server, new_database
from tests.standins.bot_api import Person, ShownMessage

_LOOKS, _SCRAPES = 15, 50
_OPEN_SECONDS, _OPEN_EVERY = 30.0, 0.05
_INDEX_SECONDS = 900.0
_IN_A_CONVERSATION = 20
"""Turns of each conversation."""

_CHATS = 50
"""Conversations of the person."""

_MINUTES = 3
"""Minutes between two turns."""

_DATABASE = "STEWARD_DATABASE_URL"
_MOVED = {
    "sqlite": r"strftime('%Y-%m-%d %H\:%M\:%f000', {name}, '-' || {minutes} || ' minutes')",
    "postgresql": "{name} - {minutes} * interval '1 minute'",
}
"""The same moment, so many minutes earlier."""

_TABLES = (
    *("turn", "approval", "usage", "verdict", "outbox", "audit", "inbox", "entry"),
    "passage",
)
_BEDS = 5_000
"""Names of beds that tell the remembered questions apart."""

PAGES = {
    "Cards in one place": "/cards",
    "Older decisions": "/cards?before={old}~0~x",
    "Now": "/now",
    "Money of 30 days": "/money?span=month&by=person",
    "Memory: notes": "/memory",
    "Memory: a search with reasons": "/memory?q=note+of+bed+77",
    "Search in conversations": "/search?q=note+of+bed+77",
    "Skills": "/skills",
    "A skill": "/skills/meeting-minutes",
    "Tool servers": "/servers",
    "The doctor's report": "/doctor",
    "The record": "/record",
    "The record, far back and filtered": "/record?action=call.&before=1000",
    "The record of a day, of an action that never came": "/record?action=x&until=2100-01-01",
    "People": "/people",
    "Rules": "/rules",
    "A rule that a card offered": "/rules/offer?card={card}&rule=0",
    "Settings": "/settings",
    "What goes on, looked at again": "/now/part",
    "A chat": "{chat}",
    "Older messages of a chat": "{chat}/older?before=50000.50000",
    "What a chat has in view": "{chat}/side",
    "The list of 50 chats": "/chats",
    "Find, on any page": "/find?q=talk+4",
    "A turn, explained": "/turn/{turn}",
}


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    """Copies the rows of a turn with a card, then loads each page in a browser without scripts."""
    async for figure in _loads(folder / "sqlite", scale, {}, ""):
        yield figure
    server = named_server()
    if server is None:
        return
    with new_database(server, durable=True) as url:
        async for figure in _loads(folder / "postgres", scale, {_DATABASE: url}, " on PostgreSQL"):
            yield figure


async def _loads(
    folder: Path, scale: Scale, database: Mapping[str, str], named: str
) -> AsyncIterator[Figure]:
    async with stage(folder, asking) as on:
        person = on.people(1)[0]
        async with on.steward([person], {"STEWARD_WEB_PORT": "0", **database}) as process:
            await decided(on, process, person)
        # With the same words in it, nothing would change, and nobody would be asked again.
        await asyncio.to_thread((folder / "data" / "workspace" / "note.txt").unlink)
        url = database.get(_DATABASE, f"sqlite:///{folder / 'data' / 'steward.db'}")
        turn, card = await asyncio.to_thread(_copied, url, scale.turns)
        port, metrics = free_port(), str(free_port())
        own = {"STEWARD_WEB_PORT": str(port), "STEWARD_METRICS_LISTEN": metrics, **database}
        async with (
            on.steward([person], own) as process,
            signed_in(on, person, port) as page,
        ):
            await _indexed(url)
            await _asked(on, person)
            await _begun(page, _CHATS - 1)
            taken = await _scraped(f"http://127.0.0.1:{metrics}/metrics", process)
            told = f"{scale.turns:,} turns{named}: processor time of /metrics"
            yield Figure(told, taken, "ms", aim="≤ 5 ms")
            old = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() - 864_000))
            chat = f"/chat/telegram:{person.id}"
            places = {"old": old, "turn": turn, "card": card, "chat": chat}
            for name, path in PAGES.items():
                told = f"{scale.turns:,} turns{named}: {name}"
                taken = await _loaded(page, process, path.format(**places))
                yield Figure(told, taken, "ms", aim="≤ 100 ms")


@asynccontextmanager
async def signed_in(on: Stage, person: Person, port: int) -> AsyncGenerator[Browser]:
    """Signs in as the person, whose chat has all the turns."""
    await _open(port)
    on.bot_api.say(person, "/login")
    link = await on.bot_api.wait_for(
        lambda: LINK.search(" ".join(one.text for one in on.bot_api.screen(person.id).from_bot)),
        seconds=60,
    )
    assert link is not None
    async with browser(link[1]) as page:
        await page.enter(link[2])
        yield page


@asynccontextmanager
async def opened_page(port: int, log: Path) -> AsyncGenerator[Browser]:
    """Signs in by the link that the program has written."""
    await _open(port)
    link = LINK.findall(await asyncio.to_thread(log.read_text))[-1]
    async with browser(link[0]) as page:
        await page.enter(link[1])
        yield page


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


async def decided(
    on: Stage, process: MeasuredProcess, person: Person, words: str = "Write a note."
) -> None:
    """Lets one turn end that asked a person."""
    on.bot_api.say(person, words)
    card = await on.bot_api.wait_for(lambda: _shown(on, person), seconds=60)
    assert card is not None
    since = len(on.bot_api.calls)
    on.bot_api.press(person, card, next(label for label in card.labels if "Approve" in label))
    await on.answers(1, since)
    await process.at_rest()


async def _asked(on: Stage, person: Person) -> None:
    """Lets a card wait for the person while the pages are loaded."""
    on.bot_api.say(person, "Write another note.")
    assert await on.bot_api.wait_for(lambda: _shown(on, person), seconds=60)


async def _begun(page: Browser, count: int) -> None:
    """Begins conversations on the page, each with a title."""
    for number in range(count):
        begun = await page.post("/chat/new", (await page.forms("/chats"))[0].fields)
        where = begun.headers["location"]
        await page.say(f"/title Talk {number}", where)
        await page.sees("is called", where)


def _shown(on: Stage, person: Person) -> ShownMessage | None:
    messages = on.bot_api.screen(person.id).from_bot
    return next((one for one in messages if any("Approve" in label for label in one.labels)), None)


async def _indexed(url: str) -> None:
    """Waits until the words of all copies are indexed, which takes the program a while."""
    async with asyncio.timeout(_INDEX_SECONDS):
        while await asyncio.to_thread(_owed, url):
            await asyncio.sleep(1)


def _owed(url: str) -> int:
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        owed = text("SELECT count(*) FROM passage WHERE NOT indexed")
        return connection.execute(owed).scalar_one()


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


async def _scraped(url: str, process: MeasuredProcess) -> float:
    """Returns the milliseconds of processor time of one look at the figures of the program."""
    async with httpx.AsyncClient() as client:
        (await client.get(url)).raise_for_status()
        await process.at_rest()
        begun = process.cpu_ms()
        for _ in range(_SCRAPES):
            (await client.get(url)).raise_for_status()
        return (process.cpu_ms() - begun) / _SCRAPES


def _copied(url: str, turns: int) -> tuple[str, str]:
    """Writes copies of the one turn with everything about it.

    Returns the id of a late one, and that of the first one's card.
    """
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        turn = connection.execute(text("SELECT id FROM turn")).scalar_one()
        card = connection.execute(text("SELECT id FROM approval")).scalar_one()
        numbers = (
            "CREATE TEMP TABLE copy AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
            f"FROM n WHERE i < {turns}) SELECT i FROM n"
        )
        connection.execute(text(numbers))
        last = connection.execute(text("SELECT max(seq) FROM entry")).scalar_one()
        for table in _TABLES:
            _copy(connection, table, turn, int(last))
        connection.execute(text("UPDATE chat SET last_seq = (SELECT max(seq) FROM entry)"))
        connection.execute(text("ANALYZE"))
    return f"copy-{turns // 2}", str(card)


def _copy(connection: Connection, table: str, turn: str, last: int) -> None:
    """Copies the rows of a table, each with a name and a time of its own."""
    columns = [str(column["name"]) for column in inspect(connection).get_columns(table)]
    numbered = table in ("usage", "verdict", "outbox", "audit", "inbox")
    given = {"passage": "number"}.get(table, "id" if numbered else "")
    kept = [name for name in columns if name != given]
    moved = _MOVED[connection.dialect.name]
    told = ", ".join(_value(table, column, last, moved) for column in kept)
    named = ", ".join(f'"{name}"' for name in kept)
    of = {"turn": "id", "outbox": "about", "audit": "chat", "passage": "id"}.get(table, "turn")
    where = f'r."{of}" = :turn' if of != "chat" else "r.chat IS NOT NULL AND :turn <> ''"
    copied = (
        f'INSERT INTO "{table}" ({named}) SELECT {told} FROM "{table}" AS r, copy WHERE {where}'
    )
    connection.execute(text(copied), {"turn": turn})


def _value(table: str, column: str, last: int, moved: str) -> str:
    """Returns the value of a column in a copy."""
    name = f'r."{column}"'
    if re.search("_at$|^at$", column):
        told = moved.format(name=name, minutes=f"(copy.i * {_MINUTES})")
        return f"CASE WHEN {name} IS NULL THEN NULL ELSE {told} END"
    if (column == "id" and table in ("turn", "passage")) or column in ("turn", "about"):
        return "'copy-' || copy.i"
    if (table, column) == ("passage", "question"):
        return f"{name} || ' For bed ' || (copy.i % {_BEDS})"
    if (table, column) == ("passage", "indexed"):
        return "false"
    if column == "conversation":
        return f"'talk-' || (copy.i / {_IN_A_CONVERSATION})"
    if column == "seq":
        return f"{name} + copy.i * {last}"
    if column in ("id", "token", "key", "call") and table != "entry":
        return f"{name} || '-' || copy.i" if (table, column) != ("approval", "call") else name
    return name
