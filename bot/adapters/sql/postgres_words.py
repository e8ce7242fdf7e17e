"""The index of words in PostgreSQL: a vector of tokens that are cut already."""

from collections import Counter
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, Text, column, text

from bot.adapters.sql.tables import passage
from bot.adapters.sql.words import ENOUGH_COUNTED, FoundRow
from bot.domain.fit import weights
from bot.domain.passage import Whose

_MAKE = (
    "CREATE TABLE passage_words (number bigint PRIMARY KEY REFERENCES passage ON DELETE CASCADE,"
    " tokens text NOT NULL, vector tsvector NOT NULL)",
    "CREATE INDEX ix_passage_words_vector ON passage_words USING gin (vector)",
)
_MAKING = 7_391_204_519
_ALONE = text("SELECT pg_advisory_xact_lock(:key)")
_DROP = "DROP TABLE IF EXISTS passage_words"
_PUT = text(
    "INSERT INTO passage_words (number, tokens, vector)"
    " VALUES (:number, :tokens, array_to_tsvector(CAST(:distinct AS text[])))"
    " ON CONFLICT (number) DO UPDATE SET tokens = excluded.tokens, vector = excluded.vector"
)
_COUNT = text(
    "SELECT wanted.token, (SELECT count(*) FROM passage_words"
    " WHERE vector @@ CAST(quote_literal(wanted.token) AS tsquery))"
    " FROM unnest(CAST(:tokens AS text[])) AS wanted (token)"
)
_TOTAL = text(
    "SELECT count(*) FROM (SELECT 1 FROM passage WHERE whose = :whose LIMIT :enough) AS counted"
)
_ROW = (passage.c.id, passage.c.at, passage.c.whose, column("tokens", Text))
_BEST = text(
    "SELECT passage.id, passage.at, passage.whose, held.tokens FROM passage_words AS held JOIN ("
    " SELECT found.number, sum(wanted.weight) AS fits"
    " FROM unnest(CAST(:tokens AS text[]), CAST(:weights AS float8[])) AS wanted (token, weight)"
    " JOIN passage_words AS found"
    " ON found.vector @@ CAST(quote_literal(wanted.token) AS tsquery)"
    " GROUP BY found.number ORDER BY fits DESC, found.number DESC LIMIT :most"
    ") AS best ON best.number = held.number JOIN passage ON passage.number = held.number"
).columns(*_ROW)
_NEWEST = text(
    "SELECT passage.id, passage.at, passage.whose, held.tokens FROM passage_words AS held"
    " JOIN passage ON passage.number = held.number"
    " WHERE held.vector @@ CAST(quote_literal(CAST(:token AS text)) AS tsquery)"
    " ORDER BY held.number DESC LIMIT :most"
).columns(*_ROW)


class PostgresEngine:
    """Ranks candidates by the weight of their words, since ts_rank knows no rare words."""

    def alone(self, connection: Connection) -> None:
        connection.execute(_ALONE, {"key": _MAKING})

    def make(self, connection: Connection) -> None:
        for statement in _MAKE:
            connection.exec_driver_sql(statement)

    def drop(self, connection: Connection) -> None:
        connection.exec_driver_sql(_DROP)

    def check(self, connection: Connection) -> None:
        """Leaves it at the count of the rows: the server checks its own pages."""

    def put(self, connection: Connection, number: int, tokens: Sequence[str]) -> None:
        row = {"number": number, "tokens": " ".join(tokens), "distinct": sorted(set(tokens))}
        connection.execute(_PUT, row)

    def counted(
        self, connection: Connection, tokens: Sequence[str], whose: Whose
    ) -> tuple[Mapping[str, int], int]:
        asked = {"whose": whose, "enough": ENOUGH_COUNTED}
        return _frequencies(connection, tokens), connection.execute(_TOTAL, asked).scalar_one()

    def candidates(
        self, connection: Connection, tokens: Sequence[str], most: int, *, newest: bool
    ) -> Sequence[FoundRow]:
        if newest:
            rows = connection.execute(_NEWEST, {"token": tokens[0], "most": most})
        else:
            counted = _frequencies(connection, tokens)
            weight = weights(counted, sum(counted.values()))
            wanted = {"tokens": list(weight), "weights": list(weight.values()), "most": most}
            rows = connection.execute(_BEST, wanted)
        return [FoundRow(*row) for row in rows]


def _frequencies(connection: Connection, tokens: Sequence[str]) -> Mapping[str, int]:
    rows = connection.execute(_COUNT, {"tokens": list(tokens)})
    return Counter({token: count for token, count in rows if count})
