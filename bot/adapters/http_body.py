"""Reads the body of a call that a server of ours gets, bounded before and while it comes."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

Receive: TypeAlias = Callable[[], Awaitable[Mapping[str, Any]]]

_MOST_DIGITS = 20


def is_declared_over(length: str, most: int) -> bool:
    """Tells if a call says in its header `content-length` that its body has more bytes."""
    if not length.isascii() or not length.isdigit():
        return False
    # A number of thousands of digits cannot be read, and is over every bound.
    return len(length) > _MOST_DIGITS or int(length) > most


async def body_of(receive: Receive, most: int) -> bytes | None:
    """Returns the whole body; None if it is too large or was broken off."""
    body = bytearray()
    while True:
        event = await receive()
        body += event.get("body", b"")
        if len(body) > most or event["type"] == "http.disconnect":
            return None
        if not event.get("more_body", False):
            return bytes(body)
