"""A memory of values in their encoded form."""

from collections.abc import Callable
from typing import Generic, TypeVar

V = TypeVar("V")


class Memo(Generic[V]):
    """Encodes each frozen value once, as long as it stays in use.

    Values are distinguished by identity, because comparing them costs as much as encoding them.
    Two generations are kept, each of at most `size` bytes of encoded text. A value that nobody
    asks for while a generation fills up is forgotten.
    """

    def __init__(self, encode: Callable[[V], bytes], size: int) -> None:
        self._encode = encode
        self._size = size
        self._filled = 0
        # The value is kept beside its text, so that no other value can get its id.
        self._young: dict[int, tuple[V, bytes]] = {}
        self._old: dict[int, tuple[V, bytes]] = {}

    def __call__(self, value: V) -> bytes:
        found = self._young.get(id(value))
        if found is None:
            found = self._old.get(id(value)) or (value, self._encode(value))
            self._keep(found)
        return found[1]

    def _keep(self, pair: tuple[V, bytes]) -> None:
        if self._filled + len(pair[1]) > self._size:
            self._old, self._young, self._filled = self._young, {}, 0
        self._young[id(pair[0])] = pair
        self._filled += len(pair[1])
