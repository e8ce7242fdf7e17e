"""Frames between the running program and a visitor: objects of JSON, one on a line."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any, TypeAlias

Frame: TypeAlias = Mapping[str, Any]

PROTOCOL = 2
"""The version of the frames; both sides must speak the same one."""

LARGEST = 16 * 1024 * 1024
"""Bytes of a frame from the program; a larger one is not sent."""

LARGEST_REQUEST = 4 * 1024 * 1024
"""Bytes of a frame from a visitor; a larger one ends the visit."""

CHUNK = 512 * 1024
"""Bytes of piped text in one frame."""


class BrokenFrame(Exception):
    """The other side sent no frame, or one that is too large."""


class TooLarge(Exception):
    """The frame is larger than the other side would take; it was not sent."""


def encoded(frame: Frame, largest: int = LARGEST) -> bytes:
    """Returns the line of a frame; raises TooLarge."""
    line = json.dumps(frame, separators=(",", ":")).encode() + b"\n"
    if len(line) >= largest:
        raise TooLarge(f"{len(line):,} bytes")
    return line


async def next_frame(reader: asyncio.StreamReader) -> Frame | None:
    """Reads one frame; None at the end of the connection. Raises BrokenFrame."""
    try:
        line = await reader.readline()
    except ValueError:
        raise BrokenFrame("a frame was too large") from None
    except OSError:
        return None
    if not line.endswith(b"\n"):
        return None
    try:
        frame = json.loads(line)
    except (ValueError, RecursionError):
        raise BrokenFrame("a line was no JSON") from None
    if not isinstance(frame, dict):
        raise BrokenFrame("a line was no object")
    return frame
