"""Converts values to rows: the columns carry the names of the fields."""

from dataclasses import fields
from typing import Any

from sqlalchemy import Column, Table


def names(shape: type) -> tuple[str, ...]:
    """Returns the field names of a dataclass, in order."""
    return tuple(field.name for field in fields(shape))


def columns(table: Table, shape: type) -> list[Column[Any]]:
    """Returns the columns of a value of this shape, in the order of its fields."""
    return [table.c[name] for name in names(shape)]


def values(value: Any, wanted: tuple[str, ...]) -> dict[str, Any]:
    """Returns the named fields of a value as a row to write."""
    return {name: getattr(value, name) for name in wanted}
