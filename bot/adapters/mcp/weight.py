"""Judges from its bytes if a message has more values than the event loop should parse at once."""

MOST_VALUES = 50_000
"""Values of one message: parsing more keeps everybody waiting for longer than a tenth of a second.

A long text is one value, however long it is.
"""

_SMALL = 300_000
"""Bytes of a message that cannot hold so many values that they matter."""

_MOST_QUOTES = 200_000


def is_too_heavy(message: bytes) -> bool:
    """Returns True for a message with too many values; reads it a few times at most."""
    if len(message) <= _SMALL or _signs(message) <= MOST_VALUES:
        return False
    unescaped = message.replace(b"\\\\", b"").replace(b'\\"', b"")
    # Looking for the texts takes its time where there are many of them.
    if unescaped.count(b'"') > _MOST_QUOTES:
        return True
    outside_texts = b"".join(unescaped.split(b'"')[::2])
    return _signs(outside_texts) > MOST_VALUES


def _signs(message: bytes) -> int:
    """Returns how many values the signs of JSON announce, those inside of texts included."""
    return sum(message.count(sign) for sign in (b",", b"{", b"["))
