"""Reads JSON of Telegram, whose ids are numbers."""

from bot.adapters.platforms.json_fields import JsonFields

_LARGEST = 1 << 53


class Fields(JsonFields):
    """One JSON object."""

    __slots__ = ()

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def value(self, name: str) -> object:
        """Returns a field as it came, for a reader of its own."""
        return self._values.get(name)

    def number(self, name: str) -> int | None:
        """Returns an integer that JSON carries exactly, below 2**53."""
        value = super().number(name)
        return value if value is not None and -_LARGEST < value < _LARGEST else None

    def id(self, name: str) -> str | None:
        """Returns a number that is used as a name, as a string."""
        number = self.number(name)
        return None if number is None else str(number)

    def inner(self, name: str) -> "Fields | None":
        value = self._values.get(name)
        return Fields(value) if isinstance(value, dict) else None
