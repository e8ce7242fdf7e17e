"""Bringing a database to the shape this program knows."""

from sqlalchemy import Connection, column, inspect, select, table

from bot.domain.talk.errors import StoreFault, StoreTooNew, StoreTooOld
from bot.shipped import shipped

REVISIONS = (
    *("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008", "0009", "0010", "0011"),
    *("0012", "0013", "0014", "0015", "0016", "0017", "0018", "0019", "0020", "0021"),
    *("0022", "0023", "0024", "0025", "0026", "0027", "0028", "0029", "0030", "0031", "0032"),
    *("0033", "0034", "0035", "0036", "0037", "0038", "0039"),
)
"""Every revision of the migrations, oldest first; the library is loaded only when one is due."""

_MIGRATIONS = shipped("alembic")
_VERSION = select(column("version_num")).select_from(table("alembic_version"))


def migrate(connection: Connection) -> None:
    """Upgrades the database inside the caller's transaction; raises StoreTooNew."""
    if _known(connection) != REVISIONS[-1]:
        _upgrade(connection)


def inspect_only(connection: Connection) -> None:
    """Changes nothing; raises StoreTooNew, or StoreTooOld when an upgrade is due."""
    version = _known(connection)
    if version != REVISIONS[-1]:
        told = f"it is at revision {version} of {REVISIONS[-1]}" if version else "it is empty"
        raise StoreTooOld(told)


def _known(connection: Connection) -> str | None:
    """The revision of the database, one of ours; None when it is new."""
    version = _version(connection)
    if version is not None and version not in REVISIONS:
        raise StoreTooNew(
            f"the database was written by a newer version of Steward (revision {version}, this one "
            f"ends at {REVISIONS[-1]}): run that version, or put a backup in its place"
        )
    return version


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(_VERSION).scalar_one_or_none()


def _upgrade(connection: Connection) -> None:
    if not (_MIGRATIONS / "env.py").is_file():
        raise StoreFault(f"the migrations are missing: {_MIGRATIONS}")
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
