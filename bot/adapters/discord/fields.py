"""Reads JSON of Discord, whose ids are snowflakes."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from bot.adapters.platforms.json_fields import JsonFields
from bot.domain.text.storable import storable

_SNOWFLAKE = re.compile(r"[1-9][0-9]{0,19}")


class Fields(JsonFields):
    """One JSON object; a field that is null is missing."""

    __slots__ = ()

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

    def line(self, name: str, longest: int) -> str:
        """Returns a text on one line, cut at `longest` characters; empty if it is missing."""
        return " ".join((self.text(name) or "").split())[:longest]

    def id(self, name: str) -> str | None:
        """Returns a snowflake: a number of Discord, which it writes as a string."""
        value = self._values.get(name)
        return value if isinstance(value, str) and _SNOWFLAKE.fullmatch(value) else None

    def ids(self, name: str) -> Iterator[str]:
        words = self.listed(name)
        return (word for word in words if isinstance(word, str) and _SNOWFLAKE.fullmatch(word))

    def words(self, name: str) -> Iterator[str]:
        """Yields the strings of a list."""
        return (storable(word) for word in self.listed(name) if isinstance(word, str))

    def inner(self, name: str) -> "Fields":
        return Fields(self._values.get(name))

    def filled(self, name: str) -> bool:
        """Tells if a field is there and not empty."""
        return bool(self._values.get(name))
