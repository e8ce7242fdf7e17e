"""Declarations of tables, and the metadata that hold all of them."""

import re
from typing import Any

from sqlalchemy import Column, ForeignKey, Index, MetaData, TextClause
from sqlalchemy.types import TypeEngine
from sqlmodel import Field, SQLModel

from bot.adapters.sql.columns import Number

_WHERE = "where"


def stored(
    kind: TypeEngine[Any] | type[TypeEngine[Any]],
    *constraints: ForeignKey,
    null: bool = False,
    **options: Any,
) -> Any:
    """Returns a column of this type; it must have a value unless `null`."""
    return Field(sa_column=Column(kind, *constraints, nullable=null, **options))


def partial(name: str, *columns: str, where: TextClause, unique: bool = False) -> Index:
    """Returns an index of some rows only; `whole_metadata` adds the condition for the dialects."""
    return Index(name, *columns, unique=unique, info={_WHERE: where})


def of_chat() -> Any:
    return stored(Number, ForeignKey("chat.id"))


class Stored(SQLModel, defer_build=True):
    """The base of the tables; its metadata contain nothing else."""

    metadata = MetaData(
        naming_convention={
            "pk": "pk_%(table_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
        }
    )

    def __init_subclass__(cls, **options: Any) -> None:
        words = re.findall("[A-Z][a-z]*", cls.__name__.removesuffix("Table"))
        cls.__tablename__ = "_".join(words).lower()
        super().__init_subclass__(**options)


METADATA = Stored.metadata


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
