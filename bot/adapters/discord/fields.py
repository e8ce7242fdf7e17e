"""Reads JSON of unknown shape: a value of another type counts as missing."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from bot.domain.text.storable import storable

_SNOWFLAKE = re.compile(r"[1-9][0-9]{0,19}")


class Fields:
    """One JSON object; anything else reads as an object without fields."""

    __slots__ = ("_values",)

    def __init__(self, value: object) -> None:
        self._values: Mapping[Any, Any] = value if isinstance(value, dict) else {}

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    @property
    def values(self) -> Mapping[str, Any]:
        return self._values

    def time(self, name: str) -> datetime | None:
        """Returns a time with its zone, as Discord writes it."""
        try:
            at = datetime.fromisoformat(self.text(name) or "")
        except ValueError:
            return None
        return at if at.tzinfo is not None else None

    def text(self, name: str) -> str | None:
        value = self._values.get(name)
        return storable(value) if isinstance(value, str) else None

    def line(self, name: str, longest: int) -> str:
        """Returns a text on one line, cut at `longest` characters; empty if it is missing."""
        return " ".join((self.text(name) or "").split())[:longest]

    def number(self, name: str) -> int | None:
        value = self._values.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def decimal(self, name: str) -> float | None:
        """Returns a number, with or without a fraction."""
        value = self._values.get(name)
        return value if isinstance(value, float) else self.number(name)

    def id(self, name: str) -> str | None:
        """Returns a snowflake: a number of Discord, which it writes as a string."""
        value = self._values.get(name)
        return value if isinstance(value, str) and _SNOWFLAKE.fullmatch(value) else None

    def ids(self, name: str) -> Iterator[str]:
        value = self._values.get(name)
        words = value if isinstance(value, list) else []
        return (word for word in words if isinstance(word, str) and _SNOWFLAKE.fullmatch(word))

    def words(self, name: str) -> Iterator[str]:
        """Yields the strings of a list."""
        value = self._values.get(name)
        return (
            storable(w) for w in (value if isinstance(value, list) else []) if isinstance(w, str)
        )

    def flag(self, name: str) -> bool:
        return self._values.get(name) is True

    def inner(self, name: str) -> "Fields":
        return Fields(self._values.get(name))

    def items(self, name: str) -> Iterator["Fields"]:
        value = self._values.get(name)
        return (
            Fields(v) for v in (value if isinstance(value, list) else []) if isinstance(v, dict)
        )

    def names(self) -> frozenset[str]:
        """Returns the names of all fields."""
        return frozenset(map(str, self._values))

    def filled(self, name: str) -> bool:
        """Tells if a field is there and not empty."""
        return bool(self._values.get(name))
