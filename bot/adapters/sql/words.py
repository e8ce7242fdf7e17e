"""The index of words: SQLite's FTS5 or PostgreSQL's full text over stems of our own.

Each stem carries its owner in front, so nobody's search can reach what belongs to others, and the
frequency of a word is its frequency in that person's memory. The stems are ours, because neither
database cuts scripts without spaces, and so both find the same. The table of the index is no table
of the migrations: it is made when it is missing, and every passage is owed to it then.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple, Protocol

from sqlalchemy import Connection, bindparam, func, inspect, select, text, update

from bot.adapters.sql.database import Database
from bot.adapters.sql.tables import passage
from bot.domain.errors import StoreDamaged, StoreError, StoreFault
from bot.domain.fit import Candidate, fit, weights
from bot.domain.passage import Hit, Passage, Whose
from bot.domain.stems import sought, stems

_LOG = logging.getLogger(__name__)

_TABLE = "passage_words"
_CANDIDATES = 60
"""Passages that are weighed for one search."""

_AT_ONCE = 10_000
"""Characters that are cut into stems on the loop: at most about 2 ms."""

_MOST_ROWS = 1_000
"""Passages that the rarest words of a search may lead to; commoner words only weigh them."""

_INDEXED = update(passage).where(passage.c.number == bindparam("of")).values(indexed=True)
_ALL_OWED = update(passage).where(passage.c.indexed).values(indexed=False)
ENOUGH_COUNTED = 10_000
"""Passages after which a memory is only called large: counting them all takes too long."""

_HELD = text(f"SELECT count(*) FROM {_TABLE}")
_INDEXED_ROWS = select(func.count()).select_from(passage).where(passage.c.indexed)


class FoundRow(NamedTuple):
    """A passage that a search found."""

    id: str
    at: datetime
    whose: Whose
    tokens: str
    """The tokens of the passage, with spaces between them."""


class Engine(Protocol):
    """The full-text search of one database; a token is an owner and a stem."""

    def alone(self, connection: Connection) -> None:
        """Waits until nobody else makes the index, in this process or another one."""
        ...

    def make(self, connection: Connection) -> None:
        """Makes the table of the index."""
        ...

    def drop(self, connection: Connection) -> None: ...

    def check(self, connection: Connection) -> None:
        """Raises the database's error when the index is damaged."""
        ...

    def put(self, connection: Connection, number: int, tokens: Sequence[str]) -> None:
        """Indexes the tokens of a passage, in place of those it had."""
        ...

    def counted(
        self, connection: Connection, tokens: Sequence[str], whose: Whose
    ) -> tuple[Mapping[str, int], int]:
        """Returns the number of passages with each token, and of the owner's passages.

        From ENOUGH_COUNTED on, a memory is only called large.
        """
        ...

    def candidates(
        self, connection: Connection, tokens: Sequence[str], most: int, *, newest: bool
    ) -> Sequence[FoundRow]:
        """Returns passages with any of these tokens, the best or the newest."""
        ...


class SqlWords:
    def __init__(
        self,
        database: Database,
        engine: Engine,
        damaged: Callable[[StoreDamaged], None] = lambda _: None,
    ) -> None:
        """Takes a database that tells nobody of damage: most of it is made good here."""
        self._database = database
        self._engine = engine
        self._damaged = damaged
        self._making = asyncio.Lock()
        self._there = False
        self._mended = False

    async def take_in(self, passages: Sequence[Passage]) -> None:
        await self._prepared()
        size = sum(len(one.question) + len(one.answer) for one in passages)
        # A thread of its own costs more than a few pages take.
        rows = _rows(passages) if size <= _AT_ONCE else await asyncio.to_thread(_rows, passages)
        try:
            await self._database.write(partial(self._put, rows=rows), repeatable=True)
        except (StoreDamaged, StoreFault) as fault:
            await self._made_anew_for(fault)

    async def search(self, words: str, whose: Whose, limit: int) -> Sequence[Hit]:
        wanted = sought(words)
        if not wanted:
            return ()
        await self._prepared()
        try:
            return await self._database.read(
                partial(self._search, wanted=wanted, whose=whose, limit=limit)
            )
        except (StoreDamaged, StoreFault) as fault:
            await self._made_anew_for(fault)
            return ()

    async def start_anew(self) -> None:
        await self._database.write(self._make_anew, repeatable=True)
        self._there = True

    async def check(self) -> tuple[int, int]:
        """Looks through the whole index; returns how many passages it has, and should have.

        Raises a StoreError when it is damaged.
        """

        def look(connection: Connection) -> tuple[int, int]:
            self._engine.check(connection)
            held = connection.execute(_HELD).scalar_one()
            return held, connection.execute(_INDEXED_ROWS).scalar_one()

        return await self._database.write(look)

    async def _made_anew_for(self, fault: StoreDamaged | StoreFault) -> None:
        """Makes a broken index anew, once in a run; then the fault is raised, and damage told."""
        if self._mended:
            self._tell(fault)
            raise fault
        self._mended = True
        _LOG.warning("the index of words is broken and made anew: %s", fault)
        try:
            await self.start_anew()
        except StoreDamaged as worse:
            self._tell(worse)
            raise

    def _tell(self, fault: StoreError) -> None:
        if isinstance(fault, StoreDamaged):
            self._damaged(fault)

    async def _prepared(self) -> None:
        """Makes the index when it is missing; whoever lost it gets it back from the passages."""
        if self._there:
            return
        # The first questions of many chats come together, and one of them makes it.
        async with self._making:
            if self._there:
                return
            try:
                if not await self._database.read(_has_index):
                    await self._database.write(self._make_missing, repeatable=True)
            except (StoreDamaged, StoreFault) as fault:
                await self._made_anew_for(fault)
            self._there = True

    def _make_missing(self, connection: Connection) -> None:
        self._engine.alone(connection)
        if not _has_index(connection):
            self._make_anew(connection)

    def _make_anew(self, connection: Connection) -> None:
        self._engine.alone(connection)
        self._engine.drop(connection)
        self._engine.make(connection)
        connection.execute(_ALL_OWED)

    def _put(self, connection: Connection, rows: Sequence[tuple[int, Sequence[str]]]) -> None:
        for number, tokens in rows:
            # A passage that was forgotten meanwhile is not owed, and must not come back.
            if connection.execute(_INDEXED, {"of": number}).rowcount:
                self._engine.put(connection, number, tokens)

    def _search(
        self, connection: Connection, wanted: Sequence[str], whose: Whose, limit: int
    ) -> Sequence[Hit]:
        tokens = [_token(whose, stem) for stem in wanted]
        counted, total = self._engine.counted(connection, tokens, whose)
        rare, newest = _rarest(counted)
        if not rare:
            return ()
        found = self._engine.candidates(connection, rare, _CANDIDATES, newest=newest)
        # The owner of the row decides, even if the index should be behind.
        theirs = {one.id: Candidate(one.at, one.tokens) for one in found if one.whose == whose}
        weight = weights({token: counted.get(token, 0) for token in tokens}, total)
        return fit(weight, theirs, limit)


def _has_index(connection: Connection) -> bool:
    return inspect(connection).has_table(_TABLE)


def _rarest(counted: Mapping[str, int]) -> tuple[list[str], bool]:
    """Returns the rarest tokens that lead to few enough passages.

    If even the rarest leads to too many, only the newest of them are looked at.
    """
    known = sorted((count, token) for token, count in counted.items() if count)
    if not known:
        return [], False
    if known[0][0] > _MOST_ROWS:
        return [known[0][1]], True
    taken, rows = list[str](), 0
    for count, token in known:
        rows += count
        if rows > _MOST_ROWS:
            break
        taken.append(token)
    return taken, False


def _rows(passages: Sequence[Passage]) -> list[tuple[int, Sequence[str]]]:
    """Returns numbers and tokens of passages; the date is found too, as in “May 2026”."""
    return [
        (
            one.number,
            [
                _token(one.whose, stem)
                for stem in stems(f"{one.at:%d %B %Y %A %Y-%m-%d}\n{one.question}\n{one.answer}")
            ],
        )
        for one in passages
    ]


def _token(whose: Whose, stem: str) -> str:
    return f"{whose}x{stem}"
