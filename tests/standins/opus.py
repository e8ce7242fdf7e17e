"""Recordings in Ogg with Opus, as the services and the apps make them: headers, then one page."""

import struct

_RATE = 48_000


def opus(seconds: float = 2.0, words: bytes = b"") -> bytes:
    """A recording of this length; `words` stand in its only packet, so that tests can tell it."""
    head = struct.pack("<8sBBHIhB", b"OpusHead", 1, 1, 312, _RATE, 0, 0)
    tags = struct.pack("<8sI8sI", b"OpusTags", 8, b"stand-in", 0)
    pages = ((2, 0, head), (0, 0, tags), (4, int(seconds * _RATE), b"\xfc" + words))
    return b"".join(_page(n, *page) for n, page in enumerate(pages))


def _page(number: int, kind: int, granule: int, packet: bytes) -> bytes:
    sizes = [*[255] * (len(packet) // 255), len(packet) % 255]
    head = struct.pack("<4sBBqIIIB", b"OggS", 0, kind, granule, 7, number, 0, len(sizes))
    return head + bytes(sizes) + packet
