"""Judges from its bytes if a message has more values than the event loop should parse at once."""

import re

MOST_VALUES = 50_000
"""Values of one message: parsing more keeps everybody waiting for longer than a tenth of a second.

A long text is one value, however long it is.
"""

_SMALL = 300_000
"""Bytes of a message that cannot hold so many values that they matter."""

_MOST_QUOTES = 200_000
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"')


def is_too_heavy(message: bytes) -> bool:
    """Returns True for a message with too many values; reads it twice at most."""
    if len(message) <= _SMALL:
        return False
    # Looking for the texts takes its time where there are many of them.
    if message.count(b'"') - message.count(b'\\"') > _MOST_QUOTES:
        return True
    bare = _STRING.sub(b"", message)
    return sum(bare.count(sign) for sign in (b",", b"{", b"[")) > MOST_VALUES
