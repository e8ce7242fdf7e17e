"""Looks into a recording in the Ogg container with the Opus codec (RFC 7845)."""

import struct

_PAGE = b"OggS"
_HEAD = struct.Struct("<4sBBqIIIB")
"""Capture pattern, version, type, granule position, stream, page number, checksum, segments."""

_RATE = 48_000
"""Samples of a second: granule positions count at this rate, whatever was recorded."""

_LAST_PAGES = 65_536
"""Bytes at the end in which the last page begins: no page is longer."""


def seconds_of(sound: bytes) -> int | None:
    """Returns the length in whole seconds, at least 1; None for anything that is no Ogg Opus."""
    first = _page(sound, 0)
    if first is None or b"OpusHead" not in sound[:64]:
        return None
    at = sound.rfind(_PAGE, max(0, len(sound) - _LAST_PAGES))
    while at > 0:
        granule = _page(sound, at)
        if granule is not None and granule > 0:
            return max(1, -(-granule // _RATE))
        at = sound.rfind(_PAGE, max(0, at - _LAST_PAGES), at)
    return None


def _page(sound: bytes, at: int) -> int | None:
    """Returns the granule position of the page that begins there; None when none does."""
    if len(sound) < at + _HEAD.size:
        return None
    capture, version, _, granule, *_ = _HEAD.unpack_from(sound, at)
    return granule if capture == _PAGE and version == 0 else None
