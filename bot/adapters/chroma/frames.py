"""The frames between the program and its child: a line of JSON, and numbers as they are.

A frame is two lengths of four bytes, then the JSON, then the numbers (float32 of this machine).
"""

import json
import struct
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

HEAD = struct.Struct("<II")
MOST = 256_000_000
"""Bytes of a part of a frame; nothing in earnest comes near it."""


def frame(told: Mapping[str, Any], numbers: bytes = b"") -> bytes:
    line = json.dumps(told).encode()
    return HEAD.pack(len(line), len(numbers)) + line + numbers


def sizes(head: bytes) -> tuple[int, int]:
    """Returns the lengths of both parts; raises ValueError for what is no frame."""
    line, numbers = HEAD.unpack(head)
    if max(line, numbers) > MOST:
        raise ValueError("a frame that is too long")
    return line, numbers


def packed(vectors: Sequence[Sequence[float]]) -> bytes:
    return b"".join(array("f", vector).tobytes() for vector in vectors)


def unpacked(numbers: bytes, size: int) -> list[Sequence[float]]:
    """Returns vectors of this size."""
    held = array("f")
    held.frombytes(numbers)
    return [held[n : n + size] for n in range(0, len(held), size)]
