"""The index of words in PostgreSQL: a vector of tokens that are cut already."""

from collections.abc import Sequence

from sqlalchemy import Connection, text

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
from bot.domain.memory.fit import OWN_END
from bot.domain.memory.line_label import MARKS

_MAKE = (
    "CREATE TABLE passage_words (number bigint PRIMARY KEY REFERENCES passage ON DELETE CASCADE,"
    " tokens text NOT NULL, vector tsvector NOT NULL)",
    "CREATE INDEX ix_passage_words_vector ON passage_words USING gin (vector)",
)
_STEM = 5
"""Bytes of a stem, the mark before it and the space behind it, about.

The bytes of a text are known without reading it, which its number of words is not.
"""
_MAKING = 7_391_204_519
_ALONE = text("SELECT pg_advisory_xact_lock(:key)")
_DROP = "DROP TABLE IF EXISTS passage_words"
_PUT = Prepared(
    text(
        "INSERT INTO passage_words (number, tokens, vector)"
        " VALUES (:number, :tokens, array_to_tsvector(CAST(:distinct AS text[])))"
        " ON CONFLICT (number) DO UPDATE SET tokens = excluded.tokens, vector = excluded.vector"
    )
)
_COUNT = Prepared(
    text(
        # Later rows fill the gaps between the oldest ones, so the last number says little about
        # most of them: it is taken to be as far from the middle as the first one.
        "SELECT wanted.token, told.count, told.first, CAST(2 * told.middle - told.first AS bigint)"
        " FROM unnest(CAST(:tokens AS text[])) AS wanted (token) CROSS JOIN LATERAL"
        " (SELECT count(*), min(number) AS first,"
        " percentile_cont(0.5) WITHIN GROUP (ORDER BY number) AS middle FROM (SELECT number"
        " FROM passage_words WHERE vector @@ CAST(quote_literal(wanted.token) AS tsquery)"
        " LIMIT CAST(:most AS bigint)) AS oldest) AS told"
    )
)
_HEAVIEST = Prepared(
    text(
        "SELECT found.number, found.fits, octet_length(held.tokens) FROM"
        " (SELECT words.number, sum(wanted.weight) AS fits"
        " FROM unnest(CAST(:queries AS text[]), CAST(:weights AS float8[]))"
        " AS wanted (query, weight)"
        " JOIN passage_words AS words ON words.vector @@ CAST(wanted.query AS tsquery)"
        " GROUP BY words.number ORDER BY fits DESC, words.number DESC LIMIT :most) AS found"
        " JOIN passage_words AS held ON held.number = found.number"
    )
)
_NEWEST = Prepared(
    text(
        "SELECT number FROM passage_words"
        " WHERE vector @@ CAST(quote_literal(CAST(:token AS text)) AS tsquery)"
        " ORDER BY number DESC LIMIT :most"
    )
)
_PLACED = Prepared(
    text(WITH_NEIGHBOURS.format("SELECT unnest(CAST(:numbers AS bigint[])) AS number"))
)
_HELD = Prepared(
    text(
        "SELECT passage.number, passage.id, passage.at, passage.whose, passage.conversation, tokens"
        " FROM unnest(CAST(:numbers AS bigint[])) AS wanted (number)"
        " JOIN passage ON passage.number = wanted.number"
        " JOIN passage_words ON passage_words.number = wanted.number"
    ).columns(*HELD_COLUMNS)
)


class PostgresEngine:
    """Ranks candidates by the weight of their words, since ts_rank knows no rare words."""

    def alone(self, connection: Connection) -> None:
        connection.execute(_ALONE, {"key": _MAKING})

    def make(self, connection: Connection) -> None:
        for statement in _MAKE:
            connection.exec_driver_sql(statement)

    def drop(self, connection: Connection, *, unread: bool = False) -> None:
        connection.exec_driver_sql(_DROP)

    def check(self, connection: Connection) -> None:
        """Leaves it at the count of the rows: the server checks its own pages."""

    def put(self, connection: Connection, rows: Sequence[Row]) -> None:
        _PUT.run(
            connection,
            *(
                {
                    "number": row.number,
                    "tokens": " ".join(row.tokens),
                    "distinct": sorted(set(row.tokens) - MARKS - {OWN_END}),
                }
                for row in rows
            ),
        )

    def counted(
        self, connection: Connection, tokens: Sequence[str], most: int
    ) -> Sequence[Counted]:
        rows = _COUNT.rows(connection, {"tokens": list(tokens), "most": most})
        return [Counted(*row) for row in rows]

    def heaviest(
        self, connection: Connection, words: Sequence[HeavyWord], most: int
    ) -> Sequence[Heavy]:
        queries, weights = map(_query, words), (word.weight for word in words)
        wanted = {"queries": list(queries), "weights": list(weights), "most": most}
        bytes_each = _STEM + words[0].token.index("x")
        rows = _HEAVIEST.rows(connection, wanted)
        return [Heavy(number, fits, size // bytes_each) for number, fits, size in rows]

    def newest(self, connection: Connection, token: str, most: int) -> Sequence[int]:
        return [number for (number,) in _NEWEST.rows(connection, {"token": token, "most": most})]

    def placed(self, connection: Connection, numbers: Sequence[int]) -> Sequence[FoundPassage]:
        rows = _PLACED.rows(connection, {"numbers": list(numbers)})
        return [FoundPassage(*row) for row in rows]

    def held(self, connection: Connection, numbers: Sequence[int]) -> Sequence[HeldRow]:
        rows = _HELD.rows(connection, {"numbers": list(numbers)})
        return [HeldRow(*row) for row in rows]


def _query(word: HeavyWord) -> str:
    """Returns what PostgreSQL looks for; a token has letters and digits alone."""
    others = " | ".join(f"'{token}'" for token in word.beside)
    return f"'{word.token}' & ({others})" if others else f"'{word.token}'"
