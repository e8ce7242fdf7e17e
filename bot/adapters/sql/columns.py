"""Column types for values of the domain, the same for both databases.

The columns of a value carry the names of its fields.
"""

from dataclasses import fields
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import BigInteger, Column, DateTime, Dialect, Integer, LargeBinary, Table, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

from bot.adapters.sql.codec import Codec
from bot.adapters.sql.faults import UNREADABLE
from bot.domain.talk.errors import StoreDamaged
from bot.domain.talk.message import Address
from bot.domain.text.storable import storable


class Number(TypeDecorator[int]):
    """A 64-bit number; as a primary key it counts up on both databases."""

    impl = BigInteger
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(Integer() if dialect.name == "sqlite" else BigInteger())


class Words(TypeDecorator[str]):
    """Text for people; NUL and lone surrogates, which no database holds, become U+FFFD."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else storable(value)


class Bytes(TypeDecorator[str]):
    """Any text, kept exactly."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:
        return None if value is None else value.encode("utf-8", "surrogatepass")

    def process_result_value(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else bytes(value).decode("utf-8", "surrogatepass")


class UtcTime(TypeDecorator[datetime]):
    """A time with its zone; stored and returned in UTC, so that times compare correctly."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without its zone cannot be stored")
        moment = value if value.tzinfo is UTC else value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        process = super().result_processor(dialect, coltype)
        if process is None:
            return None

        def read(value: Any) -> Any:
            try:
                return process(value)
            except ValueError:
                raise StoreDamaged(UNREADABLE) from None

        return read


class Choice(TypeDecorator[Any]):
    """A value of an enumeration, stored as its word."""

    impl = Text
    cache_ok = True

    def __init__(self, choices: type[StrEnum]) -> None:
        super().__init__()
        self.choices = choices

    def process_bind_param(self, value: StrEnum | None, dialect: Dialect) -> str | None:
        return None if value is None else value.value

    def process_result_value(self, value: str | None, dialect: Dialect) -> StrEnum | None:
        return None if value is None else self.choices(value)


class Json(TypeDecorator[Any]):
    """A value of the domain as JSON text."""

    impl = Text
    cache_ok = True

    def __init__(self, codec: Codec[Any]) -> None:
        super().__init__()
        self.codec = codec

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else self.codec.dump(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else self.codec.load(value)


class ChatAddress(TypeDecorator[Address]):
    """An address by its key."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Address | None, dialect: Dialect) -> str | None:
        return None if value is None else value.key

    def process_result_value(self, value: str | None, dialect: Dialect) -> Address | None:
        return None if value is None else Address.from_key(value)


def names(shape: type) -> tuple[str, ...]:
    """The field names of a dataclass, in order."""
    return tuple(field.name for field in fields(shape))


def columns(table: Table, shape: type) -> list[Column[Any]]:
    """The columns that make up a value of this shape, in the order of its fields."""
    return [table.c[name] for name in names(shape)]


def values(value: Any, wanted: tuple[str, ...]) -> dict[str, Any]:
    """The named fields of a value, as a row to write."""
    return {name: getattr(value, name) for name in wanted}
