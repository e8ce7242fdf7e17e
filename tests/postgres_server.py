"""A PostgreSQL server that the environment names, and databases on it that are dropped again."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

from sqlalchemy import NullPool, create_engine, make_url, text

VARIABLE = "STEWARD_TEST_POSTGRES_URL"


def named_server() -> str | None:
    """Returns the address of the server; None when there is none for tests."""
    return os.environ.get(VARIABLE) or None


@contextmanager
def new_database(server: str, *, durable: bool = False, like: str | None = None) -> Iterator[str]:
    """Yields the address of an empty database, or of a copy of the one at the address `like`.

    Without `durable` no commit waits for the disk: few tests pull the server's plug.
    """
    engine = create_engine(server, isolation_level="AUTOCOMMIT", poolclass=NullPool)
    name = f"steward_test_{uuid4().hex}"
    with engine.connect() as connection:
        template = make_url(like).database if like else "template1"
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {template}"))
        if not durable:
            connection.execute(text(f"ALTER DATABASE {name} SET synchronous_commit = off"))
    try:
        yield make_url(server).set(database=name).render_as_string(hide_password=False)
    finally:
        with engine.connect() as connection:
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))


def size_of(url: str) -> int:
    """Returns the bytes of a database."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        found = connection.execute(text("SELECT pg_database_size(current_database())"))
        return found.scalar_one()
