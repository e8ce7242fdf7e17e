"""Portions of many values: a database bounds the values that one statement may name."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

V = TypeVar("V")

_MOST = 500


def portions(values: Iterable[V]) -> Iterator[list[V]]:
    """Yields all of the values, so many at once as one statement may name."""
    left = iter(values)
    while some := list(islice(left, _MOST)):
        yield some
