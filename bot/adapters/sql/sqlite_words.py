"""The index of words in SQLite: an FTS5 table over tokens that are cut already."""

import json
from collections.abc import Sequence

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from bot.adapters.sql.prepared import Prepared
from bot.adapters.sql.word_index import (
    HELD_COLUMNS,
    WITH_NEIGHBOURS,
    Counted,
    FoundPassage,
    HeldRow,
    Row,
)
from bot.domain.memory.first_choice import Heavy, HeavyWord
from bot.domain.talk.errors import StoreDamaged

_VOCABULARY = "passage_vocabulary"
_MAKE = (
    "CREATE VIRTUAL TABLE passage_words USING fts5(tokens, tokenize='ascii')",
    f"CREATE VIRTUAL TABLE {_VOCABULARY} USING fts5vocab(passage_words, row)",
)
_DROP = (f"DROP TABLE IF EXISTS {_VOCABULARY}", "DROP TABLE IF EXISTS passage_words")
_UNNAME = f"DELETE FROM sqlite_master WHERE name IN ('passage_words', '{_VOCABULARY}')"
_UNNAME_ALL = f"{_UNNAME} OR tbl_name GLOB 'passage_words_*'"
_PARTS = ("data", "idx", "content", "docsize", "config")
_READ_TERMS = f"SELECT sum(cnt) FROM {_VOCABULARY}"
_TAKE_OUT = Prepared(text("DELETE FROM passage_words WHERE rowid = :number"))
_PUT = Prepared(text("INSERT INTO passage_words (rowid, tokens) VALUES (:number, :tokens)"))
_COUNT = Prepared(
    text(
        # The vocabulary would read all places of a word, which are as many as the answers with it.
        "SELECT wanted.value, (SELECT json_array(count(*), min(number), max(number))"
        " FROM (SELECT rowid AS number FROM passage_words"
        " WHERE passage_words MATCH '\"' || wanted.value || '\"' LIMIT :most))"
        " FROM json_each(:tokens) AS wanted"
    )
)
_HEAVIEST = Prepared(
    text(
        # Kept aside: else the weight is read from its JSON again for each passage. The newest come
        # first: of equal ones they stay, and the older ones need not push them out one by one.
        "WITH wanted AS MATERIALIZED (SELECT json_extract(value, '$[0]') AS word,"
        " json_extract(value, '$[1]') AS weight FROM json_each(:wanted))"
        " SELECT size.id, found.fits, size.sz FROM (SELECT -words.rowid AS below,"
        " sum(wanted.weight) AS fits FROM wanted JOIN passage_words AS words"
        " ON words.passage_words MATCH wanted.word"
        " GROUP BY below ORDER BY fits DESC, below LIMIT :most) AS found"
        " JOIN passage_words_docsize AS size ON size.id = -found.below"
    )
)
_NEWEST = Prepared(
    text(
        "SELECT rowid FROM passage_words WHERE passage_words MATCH :query"
        " ORDER BY rowid DESC LIMIT :most"
    )
)
_PLACED = Prepared(text(WITH_NEIGHBOURS.format("SELECT value AS number FROM json_each(:numbers)")))
_HELD = Prepared(
    text(
        "SELECT passage.number, passage.id, passage.at, passage.whose, passage.conversation, tokens"
        " FROM json_each(:numbers) AS wanted JOIN passage ON passage.number = wanted.value"
        " JOIN passage_words ON passage_words.rowid = wanted.value"
    ).columns(*HELD_COLUMNS)
)


class SqliteEngine:
    """Every token is quoted: FTS5 takes the words of people for its own operators."""

    def alone(self, connection: Connection) -> None:
        """Has nothing to wait for: one transaction writes at a time."""

    def make(self, connection: Connection) -> None:
        for statement in _MAKE:
            connection.exec_driver_sql(statement)

    def drop(self, connection: Connection, *, unread: bool = False) -> None:
        if unread:
            _alter_schema(connection, _UNNAME_ALL)
            return
        try:
            for statement in _DROP:
                connection.exec_driver_sql(statement)
        except DBAPIError:
            # A damaged index cannot even be dropped: its name goes first, then its parts.
            _alter_schema(connection, _UNNAME)
            for part in _PARTS:
                connection.exec_driver_sql(f"DROP TABLE IF EXISTS passage_words_{part}")

    def check(self, connection: Connection) -> None:
        """Reads pages and terms: FTS5's own check is a write, and all others would wait for it."""
        for part in _PARTS:
            table = f"passage_words_{part}"
            found = connection.exec_driver_sql(f"PRAGMA quick_check('{table}')").scalar_one()
            if found != "ok":
                raise StoreDamaged(f"{table}: {' '.join(str(found).split())}")
        connection.exec_driver_sql(_READ_TERMS)

    def put(self, connection: Connection, rows: Sequence[Row]) -> None:
        _TAKE_OUT.run(connection, *({"number": row.number} for row in rows))
        _PUT.run(
            connection, *({"number": row.number, "tokens": " ".join(row.tokens)} for row in rows)
        )

    def counted(
        self, connection: Connection, tokens: Sequence[str], most: int
    ) -> Sequence[Counted]:
        # One statement, whose text is always the same: else each search would make it anew.
        rows = _COUNT.rows(connection, {"tokens": json.dumps(tokens), "most": most})
        return [Counted(token, *json.loads(told)) for token, told in rows]

    def heaviest(
        self, connection: Connection, words: Sequence[HeavyWord], most: int
    ) -> Sequence[Heavy]:
        # FTS5's own rank reads the length of every row, and takes too much from long ones.
        wanted = json.dumps([[_query(word), word.weight] for word in words])
        rows = _HEAVIEST.rows(connection, {"wanted": wanted, "most": most})
        return [Heavy(number, fits, _first_number(size)) for number, fits, size in rows]

    def newest(self, connection: Connection, token: str, most: int) -> Sequence[int]:
        rows = _NEWEST.rows(connection, {"query": f'"{token}"', "most": most})
        return [number for (number,) in rows]

    def placed(self, connection: Connection, numbers: Sequence[int]) -> Sequence[FoundPassage]:
        rows = _PLACED.rows(connection, {"numbers": json.dumps(numbers)})
        return [FoundPassage(*row) for row in rows]

    def held(self, connection: Connection, numbers: Sequence[int]) -> Sequence[HeldRow]:
        rows = _HELD.rows(connection, {"numbers": json.dumps(numbers)})
        return [HeldRow(*row) for row in rows]


def _query(word: HeavyWord) -> str:
    others = " OR ".join(f'"{token}"' for token in word.beside)
    return f'"{word.token}" AND ({others})' if others else f'"{word.token}"'


def _alter_schema(connection: Connection, statement: str) -> None:
    connection.exec_driver_sql("PRAGMA writable_schema = ON")
    connection.exec_driver_sql(statement)
    connection.exec_driver_sql("PRAGMA writable_schema = RESET")


def _first_number(sizes: bytes) -> int:
    """Returns the stems of a row, as FTS5 keeps them: seven bits a byte, the last below 128."""
    number = 0
    for byte in sizes:
        number = number << 7 | byte & 127
        if byte < 128:
            break
    return number
