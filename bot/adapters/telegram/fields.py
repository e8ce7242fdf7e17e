"""Reads JSON of unknown shape: a value of another type counts as missing."""

from collections.abc import Iterator, Mapping
from typing import Any

from bot.domain.text.storable import storable

_LARGEST = 1 << 53


class Fields:
    """One JSON object; anything else reads as an object without fields."""

    __slots__ = ("_values",)

    def __init__(self, value: object) -> None:
        self._values: Mapping[Any, Any] = value if isinstance(value, dict) else {}

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def names(self) -> frozenset[str]:
        """Returns the names of all fields."""
        return frozenset(map(str, self._values))

    def value(self, name: str) -> object:
        """Returns a field as it came, for a reader of its own."""
        return self._values.get(name)

    def text(self, name: str) -> str | None:
        value = self._values.get(name)
        return storable(value) if isinstance(value, str) else None

    def number(self, name: str) -> int | None:
        """Returns an integer that JSON carries exactly, below 2**53."""
        value = self._values.get(name)
        if isinstance(value, bool) or not isinstance(value, int):
            return None
        return value if -_LARGEST < value < _LARGEST else None

    def decimal(self, name: str) -> float | None:
        """Returns a number, with or without a fraction."""
        value = self._values.get(name)
        return value if isinstance(value, float) else self.number(name)

    def id(self, name: str) -> str | None:
        """Returns a number that is used as a name, as a string."""
        number = self.number(name)
        return None if number is None else str(number)

    def flag(self, name: str) -> bool:
        return self._values.get(name) is True

    def inner(self, name: str) -> "Fields | None":
        value = self._values.get(name)
        return Fields(value) if isinstance(value, dict) else None

    def items(self, name: str) -> Iterator["Fields"]:
        value = self._values.get(name)
        return (
            (Fields(v) for v in value if isinstance(v, dict))
            if isinstance(value, list)
            else iter(())
        )
