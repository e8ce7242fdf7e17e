"""Names the code that a thread is running: file, line and function."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

_PACKAGE = Path(__file__).resolve().parents[2]
_MOST = 3
_PARTS = 2
"""Parts of the path of a file that is not ours."""


def holder(frame: FrameType) -> tuple[str, str]:
    """Returns the place in our code, and the words about it, of the innermost frame of a stack.

    Code of a library is named beside the code of ours that called it.
    """
    frames = list(_outward(frame))
    ours = [f for f in frames if f.f_code.co_filename.startswith(f"{_PACKAGE}/")]
    named = (ours or frames)[:_MOST]
    innermost = [] if named[0] is frames[0] else frames[:1]
    words = " called by ".join(_named(f) for f in (*innermost, *named))
    return _function(named[0]), words


def callback(frame: FrameType | None) -> object:
    """Returns the callback of the event loop that a stack belongs to; None where there is none."""
    for outer in _outward(frame):
        if outer.f_code is asyncio.Handle._run.__code__:
            return outer.f_locals["self"]
    return None


def _outward(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _function(frame: FrameType) -> str:
    return f"{frame.f_code.co_filename}:{frame.f_code.co_qualname}"


def _named(frame: FrameType) -> str:
    path = Path(frame.f_code.co_filename)
    inside = path.is_relative_to(_PACKAGE)
    shown = path.relative_to(_PACKAGE.parent) if inside else Path(*path.parts[-_PARTS:])
    return f"{shown}:{frame.f_lineno} {frame.f_code.co_qualname}"
