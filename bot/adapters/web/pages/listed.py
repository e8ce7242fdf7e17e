"""Places in lists as addresses carry them."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

from starlette.requests import Request

from bot.ports.listed import ListPlace, Ways
from bot.ports.records import RowKey

_LONGEST_NUMBER = 15

K = TypeVar("K")


def place_in(
    request: Request, read: Callable[[str], K | None], list_name: str = ""
) -> ListPlace[K] | None:
    """Returns the place that an address names; None for the beginning of the list."""
    for word, back in (("after", False), ("before", True)):
        key = read(request.query_params.get(f"{list_name}{word}", ""))
        if key is not None:
            return ListPlace(key, back)
    return None


def ways_told(ways: Ways[Any]) -> Ways[str]:
    """Returns the ways to other parts, as addresses carry them."""
    return Ways(_told(ways.before), _told(ways.behind))


def name_in(text: str) -> str | None:
    """Reads a name of an address; None for none."""
    return text or None


def number_of(text: str) -> int | None:
    """Reads a number of an address; None for anything else."""
    sound = text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER
    return int(text) if sound else None


def row_key(text: str) -> RowKey | None:
    """Reads a place in a list by time; None for anything else."""
    at, _, rest = text.partition("~")
    position, _, id = rest.partition("~")
    try:
        told = datetime.fromisoformat(at)
        place = int(position) if len(position) <= _LONGEST_NUMBER else -1
        # At the ends of time there is no such moment in UTC.
        moment = None if told.tzinfo is None else told.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return RowKey(moment, id, place) if id and moment is not None and place >= 0 else None


def _told(key: Any) -> str | None:
    if isinstance(key, RowKey):
        return f"{key.at.isoformat()}~{key.position}~{key.id}"
    return None if key is None else str(key)
