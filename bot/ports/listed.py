"""Long lists in parts: the part behind a row, and the part before it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from bot.domain.value import frozen

T = TypeVar("T")
K = TypeVar("K")


@frozen
class ListPlace(Generic[K]):
    """A place in a list: the part behind the row with this key, or the part before it."""

    key: K
    back: bool = False


@frozen
class Ways(Generic[K]):
    """The keys at both ends of a part; None where the list ends, too."""

    before: K | None = None
    behind: K | None = None


def part_of(
    rows: Iterable[T],
    key: Callable[[T], Any],
    place: ListPlace[Any] | None,
    most: int,
    *,
    falling: bool = False,
) -> Sequence[T]:
    """Returns the rows next to a place in the order of their keys; None is the beginning."""
    ordered = sorted(rows, key=key, reverse=falling)
    if place is None:
        return ordered[:most]
    up = falling == place.back
    beside = [one for one in ordered if (key(one) > place.key if up else key(one) < place.key)]
    return beside[-most:] if place.back else beside[:most]
