"""The index of words in SQLite: an FTS5 table over tokens that are cut already."""

import json
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, Text, column, text
from sqlalchemy.exc import DBAPIError

from bot.adapters.sql.tables import passage
from bot.adapters.sql.words import ENOUGH_COUNTED, FoundRow
from bot.domain.passage import Whose

_VOCABULARY = "passage_vocabulary"
_MAKE = (
    "CREATE VIRTUAL TABLE passage_words USING fts5(tokens, tokenize='ascii')",
    f"CREATE VIRTUAL TABLE {_VOCABULARY} USING fts5vocab(passage_words, row)",
)
_DROP = (f"DROP TABLE IF EXISTS {_VOCABULARY}", "DROP TABLE IF EXISTS passage_words")
_UNNAME = f"DELETE FROM sqlite_master WHERE name IN ('passage_words', '{_VOCABULARY}')"
_PARTS = ("data", "idx", "content", "docsize", "config")
_CHECK = "INSERT INTO passage_words (passage_words) VALUES ('integrity-check')"
_TAKE_OUT = text("DELETE FROM passage_words WHERE rowid = :number")
_PUT = text("INSERT INTO passage_words (rowid, tokens) VALUES (:number, :tokens)")
_COUNT = text(
    f"SELECT term, doc FROM {_VOCABULARY} WHERE term IN (SELECT value FROM json_each(:tokens))"
    " UNION ALL SELECT '', (SELECT count(*) FROM"
    " (SELECT 1 FROM passage WHERE whose = :whose LIMIT :enough))"
)
_FIND = (
    "SELECT passage.id, passage.at, passage.whose, found.tokens FROM"
    " (SELECT rowid AS number, tokens FROM passage_words WHERE passage_words MATCH :query"
    " ORDER BY {} LIMIT :most) AS found JOIN passage ON passage.number = found.number"
)
_ROW = (passage.c.id, passage.c.at, passage.c.whose, column("tokens", Text))
_BEST = text(_FIND.format("bm25(passage_words)")).columns(*_ROW)
_NEWEST = text(_FIND.format("rowid DESC")).columns(*_ROW)


class SqliteEngine:
    """Every token is quoted: FTS5 takes the words of people for its own operators."""

    def alone(self, connection: Connection) -> None:
        """Has nothing to wait for: one transaction writes at a time."""

    def make(self, connection: Connection) -> None:
        for statement in _MAKE:
            connection.exec_driver_sql(statement)

    def drop(self, connection: Connection) -> None:
        try:
            for statement in _DROP:
                connection.exec_driver_sql(statement)
        except DBAPIError:
            # A damaged index cannot even be dropped: its name goes first, then its parts.
            connection.exec_driver_sql("PRAGMA writable_schema = ON")
            connection.exec_driver_sql(_UNNAME)
            connection.exec_driver_sql("PRAGMA writable_schema = RESET")
            for part in _PARTS:
                connection.exec_driver_sql(f"DROP TABLE IF EXISTS passage_words_{part}")

    def check(self, connection: Connection) -> None:
        connection.exec_driver_sql(_CHECK)

    def put(self, connection: Connection, number: int, tokens: Sequence[str]) -> None:
        connection.execute(_TAKE_OUT, {"number": number})
        connection.execute(_PUT, {"number": number, "tokens": " ".join(tokens)})

    def counted(
        self, connection: Connection, tokens: Sequence[str], whose: Whose
    ) -> tuple[Mapping[str, int], int]:
        # One statement, whose text is always the same: else each search would make it anew.
        asked = {"tokens": json.dumps(tokens), "whose": whose, "enough": ENOUGH_COUNTED}
        counted = {token: count for token, count in connection.execute(_COUNT, asked)}
        return counted, counted.pop("")

    def candidates(
        self, connection: Connection, tokens: Sequence[str], most: int, *, newest: bool
    ) -> Sequence[FoundRow]:
        query = " OR ".join(f'"{token}"' for token in tokens)
        asked = {"query": query, "most": most}
        rows = connection.execute(_NEWEST if newest else _BEST, asked)
        return [FoundRow(*row) for row in rows]
