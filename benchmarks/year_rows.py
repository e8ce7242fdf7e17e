"""Makes a home with a year of turns, and keeps it: the program writes some, the rest are like them.

The rows go through the tables of the program's own store, each turn with its own words, ids, times.
"""

import hashlib
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, NullPool, Text, create_engine, inspect, select, text
from sqlalchemy import column as named_column
from sqlalchemy import table as named_table

from benchmarks.process import MeasuredProcess
from benchmarks.reading import decided
from benchmarks.stage import Stage, stage
from bot.adapters.sql.columns import Json
from bot.adapters.sql.migrating import migrate
from bot.adapters.sql.store import open_store
from bot.adapters.sql.tables import METADATA
from tests.standins.bot_api import Person
from tests.standins.messages_api import ReceivedRequest, Reply, calls, tool
from tests.standins.messages_api import text as words_of
from tests.standins.messages_api.wire import content_blocks

PEOPLE = 20
"""People who write, each in a private chat; every second turn is of the first one."""

A_DAY = 1_000
_CARD_EVERY = 10
_IN_A_CONVERSATION = 20
_AT_ONCE = 500
_OWED_AT_ONCE = 500
_VOCABULARY = 20_000
_LINES, _IN_A_LINE = 20_000, 10
_ASKED, _TOLD = "ASKEDFOR", "TOLDTHEM"
_WORDS_ASKED, _WORDS_TOLD = 170, 120
"""Words of a question and of an answer: 1 kB and 0.7 kB."""

_TABLES = ("turn", "entry", "approval", "verdict", "usage", "inbox", "outbox", "sight", "audit")
UPDATE = 10_000_000_000
"""Numbers of updates that no stand-in gives."""

_ALL = (*_TABLES, "passage")
_PEOPLE = ("person", "account", "chat", "past")
_NUMBERED = {**dict.fromkeys(("verdict", "usage", "inbox", "outbox", "audit"), "id")}
_NUMBERED["passage"] = "number"
_MOST_ROWS = 16
"""Rows of one turn in one table at most: numbers of different turns never meet."""


def of_a_year(request: ReceivedRequest) -> Reply:
    """Answers in two rounds; a message about a note asks a person first."""
    last = content_blocks(request.body["messages"][-1]["content"])
    if any(block["type"] == "tool_result" for block in last):
        return words_of(f"Done. {_TOLD}")
    if any("note" in str(block.get("text", "")) for block in last):
        return calls(tool("write_file", {"path": "note.txt", "content": "A line.\n"}))
    return calls(tool("current_time", {}))


@dataclass(frozen=True, slots=True)
class _Pattern:
    """The rows of one turn, by table, and the names in them that are its own."""

    turn: str
    conversation: str
    began: datetime
    rows: Mapping[str, Sequence[Mapping[str, Any]]]
    names: tuple[str, ...]
    """Ids of its cards and of its calls."""


class _Words:
    """Words that are as rare as those of people."""

    def __init__(self) -> None:
        self._random = random.Random(7)
        words = [f"w{n:x}" for n in range(_VOCABULARY)]
        often = list(accumulate(1 / (n + 8) for n in range(_VOCABULARY)))
        chosen = self._random.choices(words, cum_weights=often, k=_LINES * _IN_A_LINE)
        self._lines = [
            " ".join(chosen[first : first + _IN_A_LINE])
            for first in range(0, len(chosen), _IN_A_LINE)
        ]

    def some(self, count: int) -> str:
        return " ".join(self._random.choices(self._lines, k=count // _IN_A_LINE))


def source() -> str:
    """Returns a name for what this file makes; a home of another name is made anew."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:12]


async def made(folder: Path, url: str, turns: int) -> None:
    """Fills an empty database at a URL with so many turns; `folder` is for the patterns."""
    patterns, people = await _patterns(folder)
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        migrate(connection)
        for name, rows in people.items():
            connection.execute(_plain(name).insert(), rows)
    maker = _Maker(patterns, people, turns)
    inserts = {name: _plain(name).insert() for name in (*_ALL, "conversation")}
    with engine.connect() as connection:
        if connection.dialect.name == "sqlite":
            # Nothing is lost: a home that was not made to its end is made anew.
            connection.exec_driver_sql("PRAGMA synchronous = OFF")
            connection.exec_driver_sql("PRAGMA cache_size = -200000")
        for some in maker.portions():
            for name, insert in inserts.items():
                if some[name]:
                    connection.execute(insert, some[name])
            connection.commit()
        _end(connection, maker)
        connection.commit()
    async with open_store(url) as store:
        while owed := await store.memory.owed(_OWED_AT_ONCE):
            await store.words.take_in(owed)
    with engine.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT").execute(text("ANALYZE"))


def _end(connection: Connection, maker: "_Maker") -> None:
    """Sets the ends of the logs, and on PostgreSQL the next numbers of rows."""
    for chat, end in maker.ends.items():
        told = {"end": end, "of": chat, "talk": f"now{chat}"}
        moved = "UPDATE chat SET last_seq = :end, conversation = :talk WHERE id = :of"
        connection.execute(text(moved), told)
        row = {"id": told["talk"], "chat": chat, "opened_at": datetime.now(UTC), "shared": 0}
        connection.execute(_plain("conversation").insert(), [{**row, "title": "", "summary": ""}])
    if connection.dialect.name != "postgresql":
        return
    for name in METADATA.tables:
        for column in inspect(connection).get_columns(name):
            if column.get("autoincrement") is True:
                own = f"pg_get_serial_sequence('\"{name}\"', '{column['name']}')"
                most = f'(SELECT coalesce(max("{column["name"]}"), 0) + 1 FROM "{name}")'
                connection.execute(text(f"SELECT setval({own}, {most}, false)"))


def _plain(name: str) -> Any:
    """Returns a table whose JSON is text: it is not read for each row."""
    columns = METADATA.tables[name].c
    kinds = ((one.name, Text() if isinstance(one.type, Json) else one.type) for one in columns)
    return named_table(name, *(named_column(name, kind) for name, kind in kinds))


class _Maker:
    """Makes the rows of turns from patterns, in the order of their times."""

    def __init__(
        self,
        patterns: Sequence[_Pattern],
        people: Mapping[str, Sequence[Mapping[str, Any]]],
        turns: int,
    ) -> None:
        self._patterns, self._turns, self._words = patterns, turns, _Words()
        self._chats = [(row["id"], row["address"]) for row in people["chat"]]
        whose = {row["key"]: row["person"] for row in people["account"]}
        self._askers = {id: whose[address.key] for id, address in self._chats}
        self.ends = dict.fromkeys(self._askers, 0)
        self._talked = dict.fromkeys(self._askers, 0)
        self._random = random.Random(11)
        self._step = timedelta(days=1) / A_DAY
        self._begin = datetime.now(UTC) - self._step * (turns + 1)
        self._message = 10_000_000

    def portions(self) -> Iterator[dict[str, list[dict[str, Any]]]]:
        for first in range(0, self._turns, _AT_ONCE):
            some: dict[str, list[dict[str, Any]]] = {name: [] for name in (*_ALL, "conversation")}
            for number in range(first, min(first + _AT_ONCE, self._turns)):
                self._turn(number, some)
            yield some

    def _turn(self, number: int, some: dict[str, list[dict[str, Any]]]) -> None:
        busiest = self._random.random() < 0.5
        chat, _ = self._chats[0] if busiest else self._random.choice(self._chats)
        pattern = self._patterns[number % _CARD_EVERY == 0]
        at, talk = self._begin + self._step * number, self._talk(chat, number, some)
        # Of one length: else “1” and “11” could end alike.
        named = {name: f"{number:06x}{name[6:]}" for name in pattern.names}
        turn = f"t{number:015x}"
        changed = {pattern.turn: turn, pattern.conversation: talk, **named}
        changed[_ASKED] = self._words.some(_WORDS_ASKED)
        changed[_TOLD] = self._words.some(_WORDS_TOLD)
        delta, seqs = at - pattern.began, self.ends[chat]
        for name, rows in pattern.rows.items():
            for place, row in enumerate(rows):
                made = {key: _moved(value, changed, delta) for key, value in row.items()}
                self._own(name, made, (number, place), (chat, seqs))
                some[name].append(made)
        self.ends[chat] += len(pattern.rows["entry"])

    def _own(
        self, name: str, row: dict[str, Any], at: tuple[int, int], of: tuple[int, int]
    ) -> None:
        """Gives a row its own numbers: `at` are those of its turn and in it, `of` of its chat."""
        (number, place), (chat, seqs) = at, of
        asker = self._askers[chat]
        for key, value in (("chat", chat), ("asker", asker), ("person", asker)):
            if row.get(key) is not None:
                row[key] = value
        if name in _NUMBERED:
            row[_NUMBERED[name]] = number * _MOST_ROWS + place + 1
        if name == "entry":
            row["seq"] = seqs + place + 1
        if name == "inbox":
            row["key"] = f"{UPDATE + number * _MOST_ROWS + place}"
        if name == "sight":
            row["outbox"] = number * _MOST_ROWS + place + 1
            row["message_id"] = f"{self._message + number * _MOST_ROWS + place}"
        if name == "outbox":
            row["message_ids"] = f'["{self._message + number * _MOST_ROWS + place}"]'
        if name == "passage":
            row["whose"], row["indexed"] = f"p{asker}", False
        if name == "usage":
            row["call"] = f"{number * _MOST_ROWS + place:016x}"

    def _talk(self, chat: int, number: int, some: dict[str, list[dict[str, Any]]]) -> str:
        count, self._talked[chat] = self._talked[chat], self._talked[chat] + 1
        talk = f"c{chat}x{count // _IN_A_CONVERSATION:x}"
        if count % _IN_A_CONVERSATION == 0:
            opened = self._begin + self._step * number
            closed = opened + timedelta(hours=6)
            row = {"id": talk, "chat": chat, "opened_at": opened, "closed_at": closed}
            some["conversation"].append({**row, "title": "", "summary": "", "shared": 0})
        return talk


def _moved(value: Any, changed: Mapping[str, str], delta: timedelta) -> Any:
    if isinstance(value, datetime):
        return value + delta
    if isinstance(value, str):
        for old, new in changed.items():
            if old in value:
                value = value.replace(old, new)
    return value


async def _patterns(folder: Path) -> tuple[Sequence[_Pattern], dict[str, list[dict[str, Any]]]]:
    """Lets the program carry out a plain turn and one with a card, and everybody write once."""
    async with stage(folder, of_a_year) as on:
        people = on.people(PEOPLE)
        async with on.steward(people) as process:
            await _written(on, people, process)
    engine = create_engine(f"sqlite:///{folder / 'data' / 'steward.db'}", poolclass=NullPool)
    with engine.connect() as connection:
        rows = {
            name: [dict(row._mapping) for row in connection.execute(select(_plain(name)))]
            for name in (*_ALL, *_PEOPLE)
        }
    turns = sorted(rows["turn"], key=lambda row: row["created_at"])[:2]
    return [_pattern(row, rows) for row in turns], {name: rows[name] for name in _PEOPLE}


async def _written(on: Stage, people: Sequence[Person], process: MeasuredProcess) -> None:
    await on.turn(people[0], _ASKED)
    await decided(on, process, people[0], f"Write a note about {_ASKED}")
    for person in people[1:]:
        await on.turn(person, _ASKED)
    await process.at_rest()


def _pattern(turn: Mapping[str, Any], rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> _Pattern:
    own = str(turn["id"])
    cards = [row for row in rows["approval"] if row["turn"] == own]
    about = {own, *(card["id"] for card in cards)}
    shown = [row for row in rows["outbox"] if row["about"] in about]
    found: dict[str, Sequence[Mapping[str, Any]]] = {
        "turn": [turn],
        "approval": cards,
        "outbox": shown,
        "sight": [row for one in shown for row in rows["sight"] if row["outbox"] == one["id"]],
        "passage": [row for row in rows["passage"] if row["id"] == own],
        "inbox": [row for row in rows["inbox"] if row["turn"] == own or _presses(row, cards)],
        "audit": [row for row in rows["audit"] if own in f"{row['subject']}{row['details']}"],
    }
    for name in ("entry", "verdict", "usage"):
        found[name] = [row for row in rows[name] if row["turn"] == own]
    called = [json.loads(card["call"])["id"] for card in cards]
    names = tuple(str(name) for card in cards for name in (card["id"], card["token"]))
    return _Pattern(own, turn["conversation"], turn["created_at"], found, (*names, *called))


def _presses(row: Mapping[str, Any], cards: Sequence[Mapping[str, Any]]) -> bool:
    return bool(cards) and row["turn"] is None and not row["body"]
