"""Declarations of tables, and the metadata that hold all of them."""

import re
from typing import Any

from sqlalchemy import Column, ForeignKey, Index, MetaData, Table, TextClause
from sqlalchemy.types import TypeEngine

from bot.adapters.sql.tables.marks import MARKED, Forget, Mark

_WHERE = "where"


def stored(
    kind: TypeEngine[Any] | type[TypeEngine[Any]],
    *constraints: ForeignKey,
    null: bool = False,
    mark: Mark | None = None,
    **options: Any,
) -> Any:
    """Returns a column of this type; it must have a value unless `null`."""
    info = {} if mark is None else {MARKED: mark}
    return Column(kind, *constraints, nullable=null, info=info, **options)


def kept(kind: TypeEngine[Any] | type[TypeEngine[Any]], *given: ForeignKey, **options: Any) -> Any:
    """Returns a column that names nobody and that nothing takes out: an id, a setting, a number."""
    return stored(kind, *given, mark=Mark(), **options)


def spoken(
    kind: TypeEngine[Any] | type[TypeEngine[Any]],
    forget: Forget = Forget.MARK,
    *,
    told: bool = False,
    **options: Any,
) -> Any:
    """Returns a column with words of people or of the model; `/export` hands them out if `told`."""
    return stored(kind, mark=Mark(forget=forget, told=told), **options)


def partial(name: str, *columns: str, where: TextClause, unique: bool = False) -> Index:
    """Returns an index of some rows only; `whole_metadata` adds the condition for the dialects."""
    return Index(name, *columns, unique=unique, info={_WHERE: where})


METADATA = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
    }
)


class Stored:
    """The base of the tables: a class below it declares one, with its attributes as columns.

    Statements read and write rows, so no object is made of such a class.
    """

    __table_args__: tuple[Index, ...] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        words = re.findall("[A-Z][a-z]*", cls.__name__.removesuffix("Table"))
        columns = {name: part for name, part in vars(cls).items() if isinstance(part, Column)}
        for name, column in columns.items():
            column.name = column.key = name
        Table("_".join(words).lower(), METADATA, *columns.values(), *cls.__table_args__, **options)


def whole_metadata() -> MetaData:
    """Returns the metadata with the conditions of the partial indexes.

    Only code that creates or compares tables calls this: for a condition, SQLAlchemy loads both
    dialects.
    """
    for table in METADATA.tables.values():
        for index in table.indexes:
            for dialect in ("sqlite", "postgresql") if _WHERE in index.info else ():
                index.dialect_options[dialect]["where"] = index.info[_WHERE]
    return METADATA
