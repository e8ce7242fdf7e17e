"""The index of words: SQLite's FTS5 or PostgreSQL's full text over stems of our own.

Each stem carries its owner in front, so nobody's search can reach what belongs to others, and the
frequency of a word is its frequency in that person's memory. The stems are ours, because neither
database cuts scripts without spaces, and so both find the same. The table of the index is no table
of the migrations: it is made when it is missing, and every passage is owed to it then. When the
stems are other ones than it has, every passage is owed to it too; until then its words serve.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import NamedTuple, Protocol, TypeVar

from sqlalchemy import Connection, Text, bindparam, column, func, inspect, select, text, update

from bot.adapters.sql.database import Database
from bot.adapters.sql.prepared import Prepared
from bot.adapters.sql.stemmer import STEMS, stem
from bot.adapters.sql.tables import passage
from bot.domain.memory.first_choice import (
    Heavy,
    HeavyWord,
    in_parts,
    leading,
    likely,
    reached,
)
from bot.domain.memory.fit import OWN_END, Candidate, Explained, explained, fit, weights
from bot.domain.memory.line_label import labelled_stems
from bot.domain.memory.passage import Hit, Passage, Whose
from bot.domain.memory.standing_wish import WISH, is_wish
from bot.domain.talk.errors import StoreDamaged, StoreError, StoreFault
from bot.domain.text.stems import soft, sought

_LOG = logging.getLogger(__name__)
_Told = TypeVar("_Told")
_NONE: Sequence[Hit] = ()

_TABLE = "passage_words"
_MARK = "passage_stems"
_MAKE_MARK = f"CREATE TABLE IF NOT EXISTS {_MARK} (stems varchar NOT NULL)"
_CANDIDATES = 60
"""Passages that are weighed for one search; their neighbours are weighed besides."""

_OFTEN, _MOST_KNOWN = 2_000, 20_000
"""Passages from which their number with a word is estimated, once in a run, and words known so.

Counting them all takes as long as there are many, and a weight needs their number about.
"""

_AT_ONCE = 10_000
"""Characters that are cut into stems on the loop: at most about 2 ms."""

_LOOKED_AT = 500
"""Passages with the heaviest words among which those that are weighed are chosen."""

_MOST_ROWS = 20_000
"""Passages that the rarest words of a search may lead to; commoner words only weigh them."""

_INDEXED = Prepared(update(passage).where(passage.c.number == bindparam("of")).values(indexed=True))
_ALL_OWED = update(passage).where(passage.c.indexed).values(indexed=False)
_HELD = text(f"SELECT count(*) FROM {_TABLE}")
_INDEXED_ROWS = select(func.count()).select_from(passage).where(passage.c.indexed)
_NEWEST = Prepared(select(func.max(passage.c.number)))
_TOTAL = select(func.count()).select_from(passage).where(passage.c.whose == bindparam("of"))
_STEMS = text(f"SELECT stems FROM {_MARK}")
_UNMARK = text(f"DELETE FROM {_MARK}")
_PUT_MARK = text(f"INSERT INTO {_MARK} (stems) VALUES (:stems)")

HELD_COLUMNS = (
    passage.c.number,
    passage.c.id,
    passage.c.at,
    passage.c.whose,
    passage.c.conversation,
    column("tokens", Text),
)
"""The fields of a `HeldRow`, as each database selects them."""

WITH_NEIGHBOURS = """
SELECT found.number,
 (SELECT max(other.number) FROM passage AS other WHERE other.conversation = passage.conversation
  AND passage.conversation <> '' AND other.whose || '' = passage.whose
  AND other.number < passage.number),
 (SELECT min(other.number) FROM passage AS other WHERE other.conversation = passage.conversation
  AND passage.conversation <> '' AND other.whose || '' = passage.whose
  AND other.number > passage.number)
 FROM ({}) AS found JOIN passage ON passage.number = found.number
"""
"""The numbers of found passages, each with those before and after it in its conversation.

The owner is joined to nothing, since PostgreSQL would read the owner's whole index for each.
"""


class FoundPassage(NamedTuple):
    """A passage that a search found, by number, and its neighbours."""

    number: int
    before: int | None
    after: int | None


class Counted(NamedTuple):
    """The number of the oldest passages with a token, and the numbers of the first and the last."""

    token: str
    passages: int
    first: int | None
    last: int | None


class Row(NamedTuple):
    """A passage for the index."""

    number: int
    tokens: Sequence[str]


class HeldRow(NamedTuple):
    """A passage in the index."""

    number: int
    id: str
    at: datetime
    whose: Whose
    conversation: str
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

    def drop(self, connection: Connection, *, unread: bool = False) -> None:
        """Drops the index; with `unread` its pages are not read, and never used again."""
        ...

    def check(self, connection: Connection) -> None:
        """Reads the whole index, and raises a fault when it is damaged; nobody waits for it."""
        ...

    def put(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Indexes the tokens of passages, in place of those they had."""
        ...

    def counted(
        self, connection: Connection, tokens: Sequence[str], most: int
    ) -> Sequence[Counted]:
        """Counts the passages with each token, from the oldest one on, so many at most."""
        ...

    def heaviest(
        self, connection: Connection, words: Sequence[HeavyWord], most: int
    ) -> Sequence[Heavy]:
        """Returns the passages with the heaviest words together, of equal ones the newest."""
        ...

    def newest(self, connection: Connection, token: str, most: int) -> Sequence[int]:
        """Returns the numbers of the newest passages with a token."""
        ...

    def placed(self, connection: Connection, numbers: Sequence[int]) -> Sequence[FoundPassage]:
        """Returns these passages with their neighbours."""
        ...

    def held(self, connection: Connection, numbers: Sequence[int]) -> Sequence[HeldRow]:
        """Returns these passages, as far as they are in the index."""
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
        self._totals: dict[Whose, int] = {}
        self._often: dict[str, int] = {}

    async def take_in(self, passages: Sequence[Passage]) -> None:
        await self._prepared()
        if not passages:
            return
        size = sum(len(one.question) + len(one.answer) for one in passages)
        # A thread of its own costs more than a few pages take.
        rows = _rows(passages) if size <= _AT_ONCE else await asyncio.to_thread(_rows, passages)
        try:
            await self._database.write(partial(self._put, rows=rows), repeatable=True)
            for one in passages:
                if one.whose in self._totals:
                    self._totals[one.whose] += 1
        except (StoreDamaged, StoreFault) as fault:
            await self._made_anew_for(fault)

    async def search(self, words: str, whose: Whose, limit: int) -> Sequence[Hit]:
        return await self._found(words, partial(self._search, whose=whose, limit=limit), _NONE)

    async def wishes(self, words: str, whose: Whose) -> Sequence[Hit]:
        return await self._found(words, partial(self._wishes, whose=whose), _NONE)

    async def explained(self, words: str, whose: Whose, limit: int) -> Explained:
        explain = partial(self._explained, whose=whose, limit=limit)
        return await self._found(words, explain, Explained())

    async def _found(self, words: str, search: Callable[..., _Told], none: _Told) -> _Told:
        wanted = sought(words, stem)
        if not wanted:
            return none
        await self._prepared()
        try:
            return await self._database.read(partial(search, wanted=wanted))
        except (StoreDamaged, StoreFault) as fault:
            await self._made_anew_for(fault)
            return none

    async def start_anew(self) -> None:
        try:
            await self._database.write(self._make_anew, durable=True, repeatable=True)
        except StoreDamaged:
            # What has met damage can do no more. Only pages that can be read are given back.
            unread = partial(self._make_anew, unread=True)
            await self._database.write(unread, durable=True, repeatable=True)
        self._there = True

    async def check(self) -> tuple[int, int]:
        """Looks through the whole index; returns how many passages it has, and should have.

        Raises a StoreError when it is damaged.
        """

        def look(connection: Connection) -> tuple[int, int]:
            self._engine.check(connection)
            held = connection.execute(_HELD).scalar_one()
            return held, connection.execute(_INDEXED_ROWS).scalar_one()

        return await self._database.read(look)

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
                if await self._database.read(_kept_stems) != STEMS:
                    await self._database.write(self._bring_up, durable=True, repeatable=True)
            except (StoreDamaged, StoreFault) as fault:
                await self._made_anew_for(fault)
            self._there = True

    def _bring_up(self, connection: Connection) -> None:
        """Makes a missing index, and owes everything to one with other stems."""
        self._engine.alone(connection)
        kept = _kept_stems(connection)
        if kept is None:
            self._make_anew(connection)
        elif kept != STEMS:
            _LOG.info("the index of words gets other stems, in the background")
            _owe_all(connection)

    def _make_anew(self, connection: Connection, *, unread: bool = False) -> None:
        self._engine.alone(connection)
        self._engine.drop(connection, unread=unread)
        self._engine.make(connection)
        _owe_all(connection)

    def _put(self, connection: Connection, rows: Sequence[Row]) -> None:
        # A passage that was forgotten meanwhile is not owed, and must not come back.
        kept = [row for row in rows if _INDEXED.run(connection, {"of": row.number})]
        if kept:
            self._engine.put(connection, kept)

    def _search(
        self, connection: Connection, wanted: Mapping[str, float], whose: Whose, limit: int
    ) -> Sequence[Hit]:
        weight, candidates, unsure = self._weighable(connection, wanted, whose)
        return fit(weight, candidates, limit, unsure)

    def _explained(
        self, connection: Connection, wanted: Mapping[str, float], whose: Whose, limit: int
    ) -> Explained:
        front = _token(whose, "")
        weight, candidates, unsure = self._weighable(connection, wanted, whose)
        found = explained(weight, candidates, limit, unsure)
        parts = {
            id: replace(
                one,
                words={token.removeprefix(front): each for token, each in one.words.items()},
                names=frozenset(token.removeprefix(front) for token in one.names),
            )
            for id, one in found.parts.items()
        }
        return Explained(found.hits, parts)

    def _weighable(
        self, connection: Connection, wanted: Mapping[str, float], whose: Whose
    ) -> tuple[Mapping[str, float], Mapping[str, Candidate], Set[str]]:
        """Returns the weights of a search, the passages to weigh, and the tokens that are soft."""
        parts = {_token(whose, stem): part for stem, part in wanted.items()}
        unsure = soft(parts)
        telling = [token for token in parts if token not in unsure]
        counted = self._counted(connection, telling)
        rare, newest = _rarest(counted)
        if not rare:
            return {}, {}, frozenset()
        total = self._total(connection, whose)
        weight = weights({token: parts[token] for token in rare}, counted, total)
        if newest:
            numbers = self._engine.newest(connection, rare[0], _CANDIDATES)
        else:
            numbers = likely(self._heaviest(connection, weight, counted), _CANDIDATES)
        places = self._engine.placed(connection, numbers)
        theirs = self._theirs(connection, _numbers(places), whose)
        counted |= _estimated(unsure, theirs, total)
        weight = weights(parts, counted, total)
        return weight, _candidates(theirs, places), unsure

    def _heaviest(
        self, connection: Connection, weight: Mapping[str, float], counted: Mapping[str, int]
    ) -> Sequence[Heavy]:
        """Returns the passages with the heaviest tokens together.

        Summing the weights of each passage with any of them takes long: the common ones lead to
        thousands, nearly all of which are too light.
        """
        parts = in_parts(weight)
        if least := reached(parts, counted, _LOOKED_AT):
            found = self._engine.heaviest(connection, leading(parts, counted, least), _LOOKED_AT)
            # The count of a word is from an earlier look, and passages may have been forgotten.
            if len(found) == _LOOKED_AT and found[-1].weight >= least:
                return found
        return self._engine.heaviest(connection, leading(parts, counted, 0), _LOOKED_AT)

    def _wishes(
        self, connection: Connection, wanted: Mapping[str, float], whose: Whose
    ) -> Sequence[Hit]:
        _newest(connection)
        numbers = self._engine.newest(connection, _token(whose, WISH), _CANDIDATES)
        if not numbers:
            return ()
        parts = {_token(whose, stem): part for stem, part in wanted.items()}
        unsure = soft(parts)
        counted = self._counted(connection, [token for token in parts if token not in unsure])
        weight = weights(parts, counted, self._total(connection, whose))
        telling = {token: each for token, each in weight.items() if token not in unsure}
        theirs = self._theirs(connection, numbers, whose)
        return fit(telling, _candidates(theirs, ()), len(numbers))

    def _theirs(
        self, connection: Connection, numbers: Sequence[int], whose: Whose
    ) -> Sequence[HeldRow]:
        """Returns rows of the index; the owner of the row decides, even if it should be behind."""
        return [one for one in self._engine.held(connection, numbers) if one.whose == whose]

    def _counted(self, connection: Connection, tokens: Sequence[str]) -> dict[str, int]:
        """Returns the number of passages with each token, that of frequent ones about."""
        known = {token: self._often[token] for token in tokens if token in self._often}
        wanted = [each for each in tokens if each not in known]
        newest = _newest(connection)
        found = self._engine.counted(connection, wanted, _OFTEN) if wanted else ()
        counted = {one.token: _whole_count(one, newest) for one in found if one.passages}
        if len(self._often) < _MOST_KNOWN:
            self._often |= {token: count for token, count in counted.items() if count >= _OFTEN}
        return known | counted

    def _total(self, connection: Connection, whose: Whose) -> int:
        """Returns the size of a memory, counted once in a run: weights need it about."""
        if whose not in self._totals and len(self._totals) < _MOST_KNOWN:
            self._totals[whose] = connection.execute(_TOTAL, {"of": whose}).scalar_one()
        return self._totals.get(whose, _MOST_KNOWN)


def _newest(connection: Connection) -> int:
    """Returns the number of the newest passage; a search begins with it.

    A connection of SQLite that only opens a table of the index would not see that another one has
    made it anew.
    """
    ((number,),) = _NEWEST.rows(connection)
    return number or 0


def _whole_count(one: Counted, newest: int) -> int:
    """Returns how many passages have a token if it comes as often later as in the oldest ones."""
    if one.passages < _OFTEN or one.first is None or one.last is None:
        return one.passages
    whole = one.passages * (newest - one.first + 1) // (one.last - one.first + 1)
    return max(whole, one.passages)


def _kept_stems(connection: Connection) -> str | None:
    """Returns the name of the stems of the index; None when there is no index."""
    known = inspect(connection)
    if not known.has_table(_TABLE):
        return None
    return (connection.scalar(_STEMS) or "") if known.has_table(_MARK) else ""


def _owe_all(connection: Connection) -> None:
    """Notes that the index has the stems of this version from now on, and lacks all passages."""
    connection.exec_driver_sql(_MAKE_MARK)
    connection.execute(_UNMARK)
    connection.execute(_PUT_MARK, {"stems": STEMS})
    connection.execute(_ALL_OWED)


def _numbers(places: Sequence[FoundPassage]) -> list[int]:
    """Returns the numbers of passages and of their neighbours, each once."""
    every = (number for place in places for number in place if number is not None)
    return list(dict.fromkeys(every))


def _estimated(tokens: Iterable[str], found: Sequence[HeldRow], total: int) -> Mapping[str, int]:
    """Returns about how many passages have each of these: counting all takes too long."""
    texts = [f" {one.tokens} " for one in found]
    part = total / max(len(texts), 1)
    return {token: int(part * sum(f" {token} " in text for text in texts)) for token in tokens}


def _candidates(
    found: Sequence[HeldRow], places: Sequence[FoundPassage]
) -> Mapping[str, Candidate]:
    before = {place.number: place.before for place in places}
    before |= {place.after: place.number for place in places if place.after is not None}
    after = {place.number: place.after for place in places}
    after |= {place.before: place.number for place in places if place.before is not None}
    return {
        one.id: Candidate(
            one.at,
            one.tokens,
            one.number,
            one.conversation,
            before.get(one.number),
            after.get(one.number),
            one.tokens.startswith(_token(one.whose, WISH)),
        )
        for one in found
    }


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


def _rows(passages: Sequence[Passage]) -> list[Row]:
    """Returns numbers and tokens of passages; the date is found too, as in “May 2026”."""
    return [Row(one.number, _tokens(one)) for one in passages]


def _tokens(one: Passage) -> Sequence[str]:
    front = f"{one.whose}x"
    return [
        *([front + WISH] if is_wish(one.question) else ()),
        *labelled_stems(f"{one.at:%d %B %Y %A %Y-%m-%d}\n{one.question}", stem, front),
        OWN_END,
        *labelled_stems(one.answer, stem, front),
    ]


def _token(whose: Whose, stem: str) -> str:
    return f"{whose}x{stem}"
