"""The process that draws one chart: takes JSON from its input, and prints a PNG picture."""

import io
import json
import sys
from typing import Any

from bot.adapters.process_bounds import bound

_FONTS = 4_000_000
"""Bytes of the list of fonts, which the library writes at its first use."""


def main(memory: int, seconds: int) -> None:
    """Draws within bytes of memory and seconds of processor time."""
    bound(memory, seconds, _FONTS)
    # Loaded within the bounds, and in this process alone: it takes half a second.
    from bot.adapters.charts.drawing import drawn

    chart: dict[str, Any] = json.load(sys.stdin.buffer)
    picture = io.BytesIO()
    drawn(chart, picture)
    sys.stdout.buffer.write(picture.getvalue())


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
