"""Reads the data of server-sent events out of bytes as they come."""

from collections.abc import Iterator

END = "[DONE]"
"""The data of the last event of a whole stream."""

_MOST_BYTES = 16_000_000
"""Bytes of one line; a longer one is no event of any model."""


class EventStream:
    """Takes the bytes of one answer in order and returns each event's data.

    Lines are cut in bytes and at line feeds alone: a text may contain other signs that end lines.
    Names and comments of events are left out, because servers use neither for replies.
    """

    def __init__(self) -> None:
        self._rest = bytearray()
        self._data: list[str] = []

    def feed(self, piece: bytes) -> Iterator[str]:
        """Yields the data of the events that this piece completes; raises ValueError for a flood
        without lines, or for bytes that are no UTF-8.
        """
        # A line of many pieces is put together once, and not searched again for each of them.
        self._rest += piece
        if len(self._rest) > _MOST_BYTES + len(piece):
            raise ValueError("a line without an end")
        if b"\n" not in piece:
            return
        *lines, rest = bytes(self._rest).split(b"\n")
        self._rest = bytearray(rest)
        for line in lines:
            yield from self._line(line.rstrip(b"\r"))

    def end(self) -> Iterator[str]:
        """Yields what came after the last line feed."""
        yield from self._line(bytes(self._rest).rstrip(b"\r"))
        yield from self._line(b"")

    def _line(self, line: bytes) -> Iterator[str]:
        if not line:
            if self._data:
                yield "\n".join(self._data)
            self._data = []
        elif line.startswith(b"data:"):
            self._data.append(line[5:].decode().removeprefix(" "))
