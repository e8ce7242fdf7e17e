"""The process that draws one chart: takes JSON from its input, and prints a PNG picture."""

import contextlib
import io
import json
import resource
import sys
from typing import Any

_FONTS = 4_000_000
"""Bytes of the list of fonts, which the library writes at its first use."""


def main(memory: int, seconds: int) -> None:
    """Draws within bytes of memory and seconds of processor time."""
    _bound(memory, seconds)
    # Loaded within the bounds, and in this process alone: it takes half a second.
    from bot.adapters.charts.drawing import drawn  # noqa: PLC0415

    chart: dict[str, Any] = json.load(sys.stdin.buffer)
    picture = io.BytesIO()
    drawn(chart, picture)
    sys.stdout.buffer.write(picture.getvalue())


def _bound(memory: int, seconds: int) -> None:
    bounds = (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, _FONTS),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
    )
    for bound, most in bounds:
        # Not every system knows every limit.
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(bound, (most, most))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
