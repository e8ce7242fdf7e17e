"""The bytes by which the vector of a passage is found in the files of an index."""

from array import array
from pathlib import Path

from bot.adapters.chroma.short import Shortener
from bot.domain.memory.meaning import Vector, unit

_LONG = 64
"""Bytes that no other vector begins with."""


def traces_of(vector: Vector) -> list[bytes]:
    """Returns the short vector, the whole one in bytes, and the whole one as it was sent."""
    sent = array("f", vector)
    short = array("f", Shortener(len(sent)).short(unit(sent)))
    scale = 127 / max(map(abs, sent))
    rounded = bytes(128 + round(each * scale) for each in sent)
    # Many of the rounded numbers are zero.
    return [short.tobytes()[:_LONG], rounded, sent.tobytes()[:_LONG]]


def holding(folder: Path, trace: bytes) -> list[Path]:
    """Returns the files that hold a trace."""
    files = [each for each in folder.rglob("*") if each.is_file()]
    return [each for each in files if trace in each.read_bytes()]
