"""Runs the migrations on the connection that the program hands over, or on its own."""

import os
from pathlib import Path
from typing import Any

from alembic import context
from sqlalchemy import Connection, NullPool, create_engine, make_url

from bot.adapters.sql.tables import whole_metadata


def told(*_: Any, **given: Any) -> None:
    """Tells the program of a step that is done."""
    done, step = context.config.attributes.get("done"), given["step"]
    if done is not None and step.is_upgrade:
        done(step.up_revision_id)


def run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=whole_metadata(),
        render_as_batch=connection.dialect.name == "sqlite",
        on_version_apply=told,
    )
    with context.begin_transaction():
        context.run_migrations()


def database_url() -> str:
    """Returns the first of `-x url=…`, STEWARD_DATABASE_URL, and the file in STEWARD_HOME."""
    given = context.get_x_argument(as_dictionary=True).get("url")
    home = Path(os.environ.get("STEWARD_HOME", "data"))
    return given or os.environ.get("STEWARD_DATABASE_URL") or f"sqlite:///{home / 'steward.db'}"


def run_by_hand() -> None:
    url = make_url(database_url())
    driver = "sqlite" if url.get_backend_name() == "sqlite" else "postgresql+psycopg"
    engine = create_engine(url.set(drivername=driver), poolclass=NullPool)
    with engine.begin() as connection:
        run(connection)


handed_over = context.config.attributes.get("connection")
if handed_over is None:
    run_by_hand()
else:
    run(handed_over)
