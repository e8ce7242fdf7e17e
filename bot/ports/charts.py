"""Charts as small pictures."""

from typing import Protocol

from bot.domain.talk.message import FileRef
from bot.domain.value import frozen


@frozen
class Series:
    """One layer of every bar; the numbers are in the order of the bars."""

    name: str
    numbers: tuple[int, ...]


@frozen
class Chart:
    """Bars side by side, each of several layers."""

    title: str
    bars: tuple[str, ...]
    """The names of the bars."""
    series: tuple[Series, ...]
    money: bool
    """True when the numbers are billionths of a dollar, false when they are tokens."""


class Charts(Protocol):
    async def draw(self, key: str, chart: Chart) -> FileRef | None:
        """Draws a chart into a file; the same key replaces it. None when it cannot be drawn."""
        ...
