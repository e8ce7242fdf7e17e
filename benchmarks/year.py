"""A year of use, 1,000 turns a day: a start, a turn, every command and page, and the bytes.

A turn is compared with one of a home that is a day old. Two kinds of it are measured, since the
search of the memory is the part that finds more as time goes by: a message with words that nobody
has written yet, and one with eight words of those that people use.
"""

import asyncio
import secrets
import shutil
import sqlite3
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from sqlalchemy import NullPool, create_engine, make_url, text

from benchmarks import year_rows
from benchmarks.figure import Figure, median
from benchmarks.process import ROOT, MeasuredProcess
from benchmarks.reading import PAGES, signed_in
from benchmarks.scale import Scale
from benchmarks.stage import Stage, stage
from benchmarks.turn_cost import Contestant
from benchmarks.year_rows import A_DAY, PEOPLE
from bot.adapters.sql.migrating import migrate
from bot.adapters.sql.store import open_store
from tests.ports import free_port
from tests.postgres_server import named_server
from tests.standins.bot_api import Person

_KEPT = ROOT / "build" / "year"
"""Homes that were made; a later run uses them again."""

_MADE = "made"
_LOWEST = 19
_WARM_TURNS, _TIMES = 5, 4
_COMMAND_SECONDS = 60.0
_BOUND_MS = 100
_LEAST_BYTES = 20
_PHRASES, _IN_A_PHRASE = 200, 8
_ASKED = text("SELECT question FROM passage WHERE number >= :least ORDER BY number LIMIT 1")
_KEEP_ALL = {
    f"STEWARD_KEEP_{name}_DAYS": "0"
    for name in ("UPDATES", "PRESSES", "RECORD", "ROUNDS", "RUNS", "TOOL_MESSAGES", "FILES")
}
"""A night in the middle of a run must not make the next run another one."""

_PAGES_OF = (
    "SELECT stat.pageno, known.tbl_name FROM dbstat AS stat JOIN sqlite_master AS known"
    " ON known.name = stat.name WHERE stat.aggregate = TRUE"
)
_LOOKS = (
    *("/help", "/tools", "/rules", "/approvals", "/model", "/memory", "/memory w7 w1f", "/status"),
    *("/usage", "/usage month", "/usage month person", "/budget", "/conversations", "/why"),
    *("/people", "/plan", "/schedule", "/goal", "/skills", "/hooks", "/about", "/feedback"),
    *("/new", "/undo", "/stop"),
)
"""Commands that look something up, and those that end a conversation or a turn."""


async def kept_home(turns: int) -> Path:
    """Returns a folder with a home of so many turns; the first call makes it."""
    folder = _KEPT / f"{year_rows.source()}-{turns}"
    if not (folder / _MADE).exists():
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "data").mkdir(parents=True)
        await _made(folder / "patterns", f"sqlite:///{folder / 'data' / 'steward.db'}", turns)
        (folder / _MADE).touch()
    return folder


async def kept_database(turns: int) -> str:
    """Returns the address of a PostgreSQL database with so many turns; the first call makes it."""
    server = named_server()
    assert server is not None
    name = f"steward_year_{year_rows.source()}_{turns}"
    url = make_url(server).set(database=name).render_as_string(hide_password=False)
    mark = _KEPT / name
    engine = create_engine(server, isolation_level="AUTOCOMMIT", poolclass=NullPool)
    with engine.connect() as connection:
        there = connection.execute(
            text("SELECT 1 FROM pg_database WHERE datname = :name"), {"name": name}
        ).scalar()
        if there and mark.exists():
            return url
        connection.execute(text(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
        connection.execute(text(f"CREATE DATABASE {name}"))
        connection.execute(text(f"ALTER DATABASE {name} SET synchronous_commit = off"))
    patterns = _KEPT / f"{name}-patterns"
    shutil.rmtree(patterns, ignore_errors=True)
    await _made(patterns, url, turns)
    with engine.connect() as connection:
        connection.execute(text(f"ALTER DATABASE {name} RESET synchronous_commit"))
    mark.touch()
    return url


async def _made(patterns: Path, url: str, turns: int) -> None:
    """Makes the rows in a process that lets all others go first."""
    words = "import asyncio, sys; from pathlib import Path; from benchmarks.year_rows import made; "
    call = "asyncio.run(made(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))"
    process = await asyncio.create_subprocess_exec(
        *("nice", "-n", str(_LOWEST)),
        *(sys.executable, "-c", words + call, str(patterns), url, str(turns)),
        cwd=ROOT,
    )
    assert await process.wait() == 0


async def measure(folder: Path, scale: Scale) -> AsyncIterator[Figure]:
    """Measures on both databases; on SQLite alone where no server is named."""
    turns = scale.year
    home = await kept_home(turns)
    url = _file_url(home)
    day = _copied(await kept_home(A_DAY), folder / "sqlite")
    async for figure in _year((home, day), scale, (url, _file_url(day)), ""):
        yield figure
    if named_server() is not None:
        urls = await kept_database(turns), await kept_database(A_DAY)
        homes = folder / "server", folder / "postgres"
        async for figure in _year(homes, scale, urls, " on PostgreSQL"):
            yield figure


def _file_url(home: Path) -> str:
    return f"sqlite:///{home / 'data' / 'steward.db'}"


def _copied(home: Path, folder: Path) -> Path:
    """Copies a small home: a day must not become longer by each run."""
    return Path(shutil.copytree(home, folder))


async def _year(
    homes: tuple[Path, Path], scale: Scale, urls: tuple[str, str], named: str
) -> AsyncIterator[Figure]:
    """Measures a home or server of a year, and the first and second of each beside one another."""
    (home, folder), (url, of_a_day) = homes, urls
    told = f"A year, {scale.year:,} turns{named}"
    for table, bytes in sorted((await _bytes(url)).items(), key=lambda one: -one[1]):
        if (each := bytes / scale.year) >= _LEAST_BYTES:
            yield Figure(f"{told}: bytes a turn, {table}", round(each), "B")
    for each in (url, of_a_day):
        _forget_runs(each)
        async with open_store(each) as store:
            # The first start of a day does it beside its work, and would not come to rest.
            await store.upkeep.measure(datetime.now(UTC), swept=False)
    settings = {**_KEEP_ALL, "STEWARD_DATABASE_URL": url}
    async with stage(home) as on, stage(folder) as first:
        people, newcomers = on.people(PEOPLE), first.people(PEOPLE)
        starts, work = list[float](), list[float]()
        for _ in range(scale.starts):
            async with on.steward(people, settings) as process:
                starts.append(await on.polled(process))
                work.append(process.cpu_ms() / 1000)
                await process.at_rest()
        yield Figure(f"{told}: start to the first poll", median(starts), "s", aim="≤ 1.5 s")
        yield Figure("… its processor time", median(work), "s")
        port = free_port()
        own = settings | {"STEWARD_WEB_PORT": str(port)}
        fresh = settings | {"STEWARD_DATABASE_URL": of_a_day}
        async with (
            on.steward(people, own) as process,
            first.steward(newcomers, fresh) as young,
        ):
            ours = Contestant(on, process, people[0])
            floor = Contestant(first, young, newcomers[0])
            for kind, said in _kinds(url).items():
                old, new = await _turns(ours, floor, scale, said)
                yield Figure(f"{told}: processor time of a turn {kind}", old, "ms")
                yield Figure("… of a turn of the first day", new, "ms")
                yield Figure("… as much as on the first day", old / new, "×", aim="≤ 1.1 ×")
            async for figure in _commands(on, process, people[0], told):
                yield figure
            async for figure in _pages(on, process, people[0], port, told):
                yield figure
            yield Figure(f"{told}: resident", process.resident_mb(), "MB")


def _kinds(url: str) -> Mapping[str, Callable[[], str]]:
    """Returns what people say, by its kind."""
    heard = _phrases(url)
    return {
        "about what nobody has named yet": lambda: (
            f"What is {secrets.token_hex(5)} {secrets.token_hex(5)}?"
        ),
        "with eight words of the year": lambda: secrets.choice(heard),
    }


def _phrases(url: str) -> Sequence[str]:
    """Returns beginnings of what was asked at any time of the year."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        most = connection.execute(text("SELECT max(number) FROM passage")).scalar_one()
        wanted = [secrets.randbelow(most) for _ in range(_PHRASES)]
        rows = [connection.execute(_ASKED, {"least": number}).scalar_one() for number in wanted]
    return [" ".join(asked.split()[-_IN_A_PHRASE:]) for asked in rows]


async def _turns(
    ours: Contestant, floor: Contestant, scale: Scale, said: Callable[[], str]
) -> tuple[float, float]:
    """Alternates, so that a busy moment of the machine affects both; each hears the same words."""
    for _ in range(_WARM_TURNS):
        words = said()
        await ours.turn(words)
        await floor.turn(words)
    old, new = list[float](), list[float]()
    for number in range(scale.around * 2):
        words = said()
        for one, costs in ((ours, old), (floor, new))[:: -1 if number % 2 else 1]:
            costs.append((await one.measured(words))[0])
    return median(old), median(new)


async def _commands(
    on: Stage, process: MeasuredProcess, person: Person, told: str
) -> AsyncIterator[Figure]:
    """Yields the dearest of all commands that look, and each that is out of its bound."""
    taken = dict[str, float]()
    for command in _LOOKS:
        each = list[float]()
        for _ in range(_TIMES):
            each.append(await process.cost(partial(_answered, on, person, command)))
        taken[command] = median(each[1:])
    for figure in _worst(f"{told}: processor time of the dearest of {len(taken)} commands", taken):
        yield figure


async def _answered(on: Stage, person: Person, command: str) -> None:
    since = len(on.bot_api.calls)
    on.bot_api.say(person, command)
    await on.bot_api.wait_for(partial(_sent, on, since), _COMMAND_SECONDS)


def _sent(on: Stage, since: int) -> bool:
    return any(call.method == "sendMessage" for call in on.bot_api.calls[since:])


async def _pages(
    on: Stage, process: MeasuredProcess, person: Person, port: int, told: str
) -> AsyncIterator[Figure]:
    taken = dict[str, float]()
    async with signed_in(on, person, port) as page:
        old = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() - 864_000))
        places = {"old": old, "turn": f"t{4_000:015x}", "chat": f"/chat/telegram:{person.id}"}
        for name, path in PAGES.items():
            load = partial(page.get, path.format(**places))
            each = [await process.cost(load) for _ in range(_TIMES)]
            taken[name] = median(each[1:])
    for figure in _worst(f"{told}: processor time of the dearest of {len(taken)} pages", taken):
        yield figure


def _worst(named: str, taken: Mapping[str, float]) -> Iterator[Figure]:
    """Yields the slowest, and each other one above its bound."""
    slowest = max(taken, key=lambda name: taken[name])
    aim = f"≤ {_BOUND_MS} ms"
    yield Figure(f"{named}, {slowest}", taken[slowest], "ms", aim=aim)
    for name, took in taken.items():
        if took > _BOUND_MS and name != slowest:
            yield Figure(f"… {name}", took, "ms", aim=aim)


def _forget_runs(url: str) -> None:
    """Gives updates of earlier runs other keys: each run's stand-in counts from the same number."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        migrate(connection)
        connection.execute(
            text("UPDATE inbox SET key = key || '-' || id WHERE length(key) < :made"),
            {"made": len(str(year_rows.UPDATE))},
        )


async def _bytes(url: str) -> Mapping[str, int]:
    """Returns the bytes of each table with its indexes, counted page by page on SQLite."""
    if not url.startswith("sqlite"):
        async with open_store(url) as store:
            return await store.upkeep.tables()
    return await asyncio.to_thread(_of_pages, url)


def _of_pages(url: str) -> Mapping[str, int]:
    with closing(sqlite3.connect(url.partition(":///")[2])) as connection:
        (page,) = connection.execute("PRAGMA page_size").fetchone()
        found = dict[str, int]()
        # The library sums bytes up in 32 bits, but counts pages.
        for pages, table in connection.execute(_PAGES_OF).fetchall():
            found[table] = found.get(table, 0) + pages * page
        return found
