"""The index of words in SQLite: an FTS5 table over tokens that are cut already."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, bindparam, text
from sqlalchemy.exc import DBAPIError

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
_COUNT = text(f"SELECT term, doc FROM {_VOCABULARY} WHERE term IN :tokens").bindparams(
    bindparam("tokens", expanding=True)
)
_FIND = "SELECT rowid, tokens FROM passage_words WHERE passage_words MATCH :query ORDER BY"
_BEST = text(f"{_FIND} bm25(passage_words) LIMIT :most")
_NEWEST = text(f"{_FIND} rowid DESC LIMIT :most")


class SqliteEngine:
    """Every token is quoted: FTS5 takes the words of people for its own operators."""

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

    def frequencies(self, connection: Connection, tokens: Sequence[str]) -> Mapping[str, int]:
        return {token: count for token, count in connection.execute(_COUNT, {"tokens": tokens})}

    def candidates(
        self, connection: Connection, tokens: Sequence[str], most: int, *, newest: bool
    ) -> Mapping[int, Sequence[str]]:
        query = " OR ".join(f'"{token}"' for token in tokens)
        rows = connection.execute(_NEWEST if newest else _BEST, {"query": query, "most": most})
        return {number: held.split() for number, held in rows}
