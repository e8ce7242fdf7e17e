"""Bringing a database to the shape this program knows."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

from sqlalchemy import Connection, column, inspect, select, table

from bot.adapters.sql.this_process import known_to
from bot.domain.talk.errors import (
    StoreAway,
    StoreFault,
    StoreOutgrown,
    StoreTooNew,
    StoreTooOld,
)
from bot.shipped import shipped

REVISIONS = ("0039", "0040", "0041", "0042", "0043", "0044", "0045", "0046", "0047", "0048", "0049")
"""Every revision of the migrations, oldest first; the library is loaded only when one is due."""

Done = Callable[[str], None]
"""Called with the revision of each step of an upgrade that is done."""

Before = Callable[[str, Sequence[str]], AbstractContextManager[Done]]
"""Entered with the revision of a database that is about to be upgraded, and the steps ahead."""

_BEFORE = frozenset(f"{number:04}" for number in range(1, 39))
"""Revisions from before the first release, whose migrations are gone."""

_UPGRADES_THEM = "aeff08cebc77"
"""The last commit that has the migrations of those."""

MIGRATIONS = shipped("alembic")
"""The folder with a file for each revision."""

_VERSION = select(column("version_num")).select_from(table("alembic_version"))


def migrate(connection: Connection, before: Before | None = None) -> None:
    """Upgrades the database inside the caller's transaction.

    Raises StoreTooNew, StoreOutgrown for one from before the first release, or StoreAway while
    older processes serve that need what would be taken away. What `before` raises when it is
    entered leaves it as it is.
    """
    version = _known(connection)
    if version == REVISIONS[-1]:
        return
    watched: AbstractContextManager[Done] = nullcontext(_unwatched)
    if version is not None:
        ahead = REVISIONS[REVISIONS.index(version) + 1 :]
        _spare_others(connection, ahead)
        if before is not None:
            watched = before(version, ahead)
    with watched as done:
        upgrade(connection, done=done)


def _spare_others(connection: Connection, steps: Sequence[str]) -> None:
    """Raises StoreAway while processes serve that cannot do without what the steps take away."""
    if connection.dialect.name != "postgresql":
        return
    from alembic.script import ScriptDirectory

    from bot.adapters.sql.peers import living

    script = ScriptDirectory(_scripts())
    modules = [revision.module for step in steps if (revision := script.get_revision(step))]
    needed = max(getattr(module, "lives_with", "") for module in modules)
    older = sum(known_to(process) < needed for process in living(connection))
    if older:
        raise StoreAway(
            f"{older} older processes serve, and this version takes away what they use: stop them"
        )


def _scripts() -> str:
    if not (MIGRATIONS / "env.py").is_file():
        raise StoreFault(f"the migrations are missing: {MIGRATIONS}")
    return str(MIGRATIONS)


def _unwatched(_: str) -> None:
    """Tells nobody."""


def inspect_only(connection: Connection) -> None:
    """Changes nothing; raises StoreTooNew, or StoreTooOld when an upgrade is due."""
    version = _known(connection)
    if version != REVISIONS[-1]:
        told = f"it is at revision {version} of {REVISIONS[-1]}" if version else "it is empty"
        raise StoreTooOld(told)


def _known(connection: Connection) -> str | None:
    """The revision of the database, one of ours; None when it is new."""
    version = revision_of(connection)
    if version in _BEFORE:
        raise StoreOutgrown(
            f"the database is from before the first release (revision {version}). To bring it "
            f"along, start Steward once from its source at commit {_UPGRADES_THEM}, with a backup "
            "at hand; then start this version"
        )
    if version is not None and version not in REVISIONS:
        raise StoreTooNew(
            f"the database was written by a newer version of Steward (revision {version}, this one "
            f"ends at {REVISIONS[-1]}): run that version, or put a backup in its place"
        )
    return version


def revision_of(connection: Connection) -> str | None:
    """Returns the revision that is written in the database; None when it is new."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(_VERSION).scalar_one_or_none()


def upgrade(connection: Connection, revision: str = "head", *, done: Done = _unwatched) -> None:
    """Brings the tables to a revision, inside the caller's transaction."""
    folder = _scripts()
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", folder.replace("%", "%%"))
    config.attributes["connection"] = connection
    config.attributes["done"] = done
    command.upgrade(config, revision)
