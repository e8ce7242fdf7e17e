"""Looks into a recording in the Ogg container with the Opus codec (RFC 7845)."""

import struct
from collections.abc import Iterator

_PAGE = b"OggS"
_HEAD = struct.Struct("<4sBBqIIIB")
"""Capture pattern, version, type, granule position, stream, page number, checksum, segments."""

_RATE = 48_000
"""Samples of a second: granule positions count at this rate, whatever was recorded."""

_HEADERS = 2
"""Packets before the sound."""

_MOST_OF_A_PART = 255
"""A part of a packet that is as long as this is followed by another one."""

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


def waveform_of(sound: bytes, most: int) -> bytes:
    """Returns up to `most` heights from 0 to 255, which show where there is more to hear.

    Nothing is decoded: a packet of a fuller sound is longer. There are ten heights a second.
    """
    sizes = list(_packets(sound))[_HEADERS:]
    count = min(most, 10 * (seconds_of(sound) or 0), len(sizes))
    parts = [sizes[n * len(sizes) // count : (n + 1) * len(sizes) // count] for n in range(count)]
    means = [sum(part) / len(part) for part in parts]
    tallest = max(means, default=0)
    return bytes(int(255 * mean / tallest) if tallest else 0 for mean in means)


def _packets(sound: bytes) -> Iterator[int]:
    """Yields the sizes of the packets, as the tables of the pages tell them."""
    at, size = 0, 0
    while _page(sound, at) is not None:
        first = at + _HEAD.size
        table = sound[first : first + sound[first - 1]]
        for part in table:
            size += part
            if part < _MOST_OF_A_PART:
                yield size
                size = 0
        at = first + len(table) + sum(table)


def _page(sound: bytes, at: int) -> int | None:
    """Returns the granule position of the page that begins there; None when none does."""
    if len(sound) < at + _HEAD.size:
        return None
    capture, version, _, granule, *_ = _HEAD.unpack_from(sound, at)
    return granule if capture == _PAGE and version == 0 else None
