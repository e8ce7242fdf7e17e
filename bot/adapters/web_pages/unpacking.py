"""Unpacks compressed bodies piece by piece, within a bound of size."""

import zlib
from typing import Protocol


class TooLarge(Exception):
    """A body is larger than it may be, packed or unpacked."""


class NotUnpacked(Exception):
    """A body is packed in a way that is not understood, or damaged."""


class _Unpacker(Protocol):
    def take(self, piece: bytes, most: int) -> bytes: ...


class _Plain:
    def take(self, piece: bytes, most: int) -> bytes:
        if len(piece) > most:
            raise TooLarge
        return piece


class _Zlib:
    """Never unpacks more than one byte beyond the bound, however small the packed piece is."""

    def __init__(self, window: int) -> None:
        self._stream = zlib.decompressobj(window)
        self._first = True
        self._raw = window == zlib.MAX_WBITS

    def take(self, piece: bytes, most: int) -> bytes:
        try:
            try:
                found = self._stream.decompress(piece, most + 1)
            except zlib.error:
                # Some servers send what they call deflate without its head.
                if not (self._first and self._raw):
                    raise
                self._stream = zlib.decompressobj(-zlib.MAX_WBITS)
                found = self._stream.decompress(piece, most + 1)
        except zlib.error:
            raise NotUnpacked("its content is damaged") from None
        self._first = False
        if len(found) > most:
            raise TooLarge
        return found


class Body:
    """Collects a body of at most `most` bytes."""

    def __init__(self, encoding: str, most: int) -> None:
        self._most = most
        self._pieces: list[bytes] = []
        self._size = 0
        self._unpacker = _unpacker(encoding.strip().lower())

    def take(self, piece: bytes) -> None:
        """Takes the next piece; raises TooLarge or NotUnpacked."""
        found = self._unpacker.take(piece, self._most - self._size)
        self._size += len(found)
        self._pieces.append(found)

    @property
    def whole(self) -> bytes:
        return b"".join(self._pieces)


def _unpacker(encoding: str) -> _Unpacker:
    match encoding:
        case "" | "identity":
            return _Plain()
        case "gzip" | "x-gzip":
            return _Zlib(zlib.MAX_WBITS | 16)
        case "deflate":
            return _Zlib(zlib.MAX_WBITS)
        case _:
            raise NotUnpacked("it is packed in a way that was not asked for")
