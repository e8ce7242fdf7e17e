"""A part of a list with the ways to those around it."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TypeVar

from bot.ports.listed import ListPlace, Ways, part_of

__all__ = ["ListPlace", "Ways", "part_among", "part_of", "shown_part"]

T = TypeVar("T")
K = TypeVar("K")


async def shown_part(
    read: Callable[[ListPlace[K] | None, int], Awaitable[Sequence[T]]],
    key: Callable[[T], K],
    place: ListPlace[K] | None,
    most: int,
) -> tuple[Sequence[T], Ways[K]]:
    """Returns the part at a place; so near the beginning that it would be short, the first one."""
    found = await read(place, most + 1)
    if place is not None and place.back and len(found) <= most:
        place, found = None, await read(None, most + 1)
    back = place is not None and place.back
    shown = found[-most:] if back else found[:most]
    if not shown:
        return (), Ways(None if place is None else place.key)
    before = None if place is None else key(shown[0])
    return shown, Ways(before, key(shown[-1]) if back or len(found) > most else None)


async def part_among(
    rows: Iterable[T],
    key: Callable[[T], K],
    place: ListPlace[K] | None,
    most: int,
    *,
    falling: bool = False,
) -> tuple[Sequence[T], Ways[K]]:
    """Returns such a part of rows that are at hand."""

    async def read(at: ListPlace[K] | None, count: int) -> Sequence[T]:
        return part_of(rows, key, at, count, falling=falling)

    return await shown_part(read, key, place, most)
