"""Bringing a database to the shape this program knows."""

from pathlib import Path

from sqlalchemy import Connection, column, inspect, select, table

from bot.domain.errors import StoreTooNew, StoreUnwritable

REVISIONS = ("0001", "0002", "0003")
"""Every revision of the migrations, oldest first; the library is loaded only when one is due."""

_MIGRATIONS = Path(__file__).resolve().parents[3] / "alembic"
_VERSION = select(column("version_num")).select_from(table("alembic_version"))


def migrate(connection: Connection) -> None:
    """Upgrades the database inside the caller's transaction; raises StoreTooNew."""
    version = _version(connection)
    if version == REVISIONS[-1]:
        return
    if version is not None and version not in REVISIONS:
        raise StoreTooNew(
            f"the database has revision {version}, this program ends at {REVISIONS[-1]}"
        )
    _upgrade(connection)


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(_VERSION).scalar_one_or_none()


def _upgrade(connection: Connection) -> None:
    if not _MIGRATIONS.is_dir():
        raise StoreUnwritable(f"the migrations are missing: {_MIGRATIONS}")
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
