"""JSON of unknown shape: a value of another type counts as missing."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Self

from bot.domain.talk.message import Unreadable
from bot.domain.text.storable import storable


class JsonFields:
    """One JSON object; anything else reads as an object without fields."""

    __slots__ = ("_values",)

    def __init__(self, value: object) -> None:
        self._values: Mapping[Any, Any] = value if isinstance(value, dict) else {}

    def names(self) -> frozenset[str]:
        """Returns the names of all fields."""
        return frozenset(map(str, self._values))

    def text(self, name: str) -> str | None:
        value = self._values.get(name)
        return storable(value) if isinstance(value, str) else None

    def number(self, name: str) -> int | None:
        value = self._values.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def decimal(self, name: str) -> float | None:
        """Returns a number, with or without a fraction."""
        value = self._values.get(name)
        return value if isinstance(value, float) else self.number(name)

    def flag(self, name: str) -> bool:
        return self._values.get(name) is True

    def listed(self, name: str) -> list[Any]:
        """Returns a list as it came; empty when there is none."""
        value = self._values.get(name)
        return value if isinstance(value, list) else []

    def items(self, name: str) -> Iterator[Self]:
        """Yields the objects of a list."""
        return (type(self)(value) for value in self.listed(name) if isinstance(value, dict))


def object_in(body: str) -> dict[str, Any] | Unreadable:
    """Returns the object that a stored update is."""
    try:
        update = json.loads(body)
    except (ValueError, RecursionError):
        return Unreadable("not JSON that can be read")
    return update if isinstance(update, dict) else Unreadable("not a JSON object")
