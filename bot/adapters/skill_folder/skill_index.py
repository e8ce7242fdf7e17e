"""Finds skills by words with SQLite's full-text search, if this Python's SQLite has it."""

import logging
import re
import sqlite3
import threading
from collections.abc import Callable, Sequence

from bot.domain.skills.skill import Skill, SkillSet
from bot.domain.text.storable import storable

_LOG = logging.getLogger(__name__)

_WORD = re.compile(r"\w+")
_MOST_WORDS = 40
_TOLD_BY_NOBODY = """
a about after again all also am an and any anyone are as ask at be because been before being
but by can could did do does doing don done each else even every few for from get gets
getting give go going got had has have having he help her here hers him his how i if in into
is it its just know let like ll look make makes making many may me mine more most much must
my need needs new no not now of off ok on one only or other our ours out over own please put
re really right s same say see she should show so some something such sure t take tell than
thank thanks that the their them then there these they thing things this those through to
too try until up us use used uses using ve very want wants was way we well were what when
where which while who whom whose why will with without work would yes yet you your yours
skill skills
"""
_STOP_WORDS = frozenset(_TOLD_BY_NOBODY.split())
_MAKE = "CREATE VIRTUAL TABLE skill USING fts5(name, title, told, tokenize='porter unicode61')"
_ADD = "INSERT INTO skill (rowid, name, title, told) VALUES (?, ?, ?, ?)"
_FIND = """
SELECT rowid FROM skill WHERE skill MATCH ? ORDER BY bm25(skill, 3.0, 1.0, 1.0), rowid LIMIT ?
"""


def _in_memory() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", check_same_thread=False)


class SkillIndex:
    """An index in memory over the ready skills of one set; creating and searching it block."""

    def __init__(
        self, known: SkillSet, connect: Callable[[], sqlite3.Connection] = _in_memory
    ) -> None:
        self._known = known
        self._skills = known.ready
        self._lock = threading.Lock()
        self._connection = _filled(self._skills, connect())

    def __del__(self) -> None:
        """Closes the index after its last user: a search may outlive the move to a newer index."""
        if self._connection is not None:
            self._connection.close()

    def search(self, words: str, limit: int) -> Sequence[Skill]:
        """Returns the skills that fit the words best; every word counts the same."""
        if self._connection is None:
            return self._known.search(words, limit)
        wanted = list(dict.fromkeys(_WORD.findall(words.casefold())))
        telling = [word for word in wanted if word not in _STOP_WORDS] or wanted
        if not telling:
            return ()
        query = " OR ".join(f'"{word}"' for word in telling[:_MOST_WORDS])
        with self._lock:
            rows = self._connection.execute(_FIND, (query, limit)).fetchall()
        return tuple(self._skills[number] for (number,) in rows)


def _filled(skills: Sequence[Skill], connection: sqlite3.Connection) -> sqlite3.Connection | None:
    """Fills the table of all skills; returns None when SQLite has no full-text search here."""
    try:
        connection.execute(_MAKE)
    except sqlite3.OperationalError as fault:
        _LOG.info("skills are searched in a plain way: %s", fault)
        connection.close()
        return None
    rows = (
        (n, storable(s.name), storable(s.title), storable(s.description))
        for n, s in enumerate(skills)
    )
    connection.executemany(_ADD, rows)
    return connection
