"""Draws bars in layers."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import IO, Any

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from bot.adapters.charts.fonts import Fonts

_COLOURS = ("#2f6f9f", "#e08e45", "#5a9e6f", "#b3587c", "#8d7cc3", "#9a9a9a")
_INCHES = (7.2, 3.8)
_DOTS = 140
_MOST_NAMES = 16
"""Names below the bars; with more bars, every second or third has one."""

_COLUMNS = 2
_LEAST_BARS = 7
"""Bars for which there is room at least, so that a single one is no wall."""

_DOLLAR = 1_000_000_000


def drawn(chart: Mapping[str, Any], to: IO[bytes]) -> None:
    """Writes the picture of a chart, as `asdict` of the port's value tells it."""
    fonts = Fonts((chart["title"], *(series["name"] for series in chart["series"])))
    with rc_context({"font.family": fonts.families}):
        _draw(chart, fonts, to)


def _draw(chart: Mapping[str, Any], fonts: Fonts, to: IO[bytes]) -> None:
    figure = Figure(figsize=_INCHES, dpi=_DOTS, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    bars: Sequence[str] = chart["bars"]
    below = [0.0] * len(bars)
    unit = _DOLLAR if chart["money"] else 1
    for number, series in enumerate(chart["series"]):
        heights = [value / unit for value in series["numbers"]]
        colour = _COLOURS[number % len(_COLOURS)]
        label = _plain(fonts.readable(series["name"], number + 1))
        axes.bar(range(len(bars)), heights, 0.8, below, color=colour, label=label)
        below = [low + height for low, height in zip(below, heights, strict=True)]
    step = -(-len(bars) // _MOST_NAMES)
    axes.set_xticks(range(0, len(bars), step), bars[::step])
    axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.yaxis.set_major_formatter(FuncFormatter(_dollars if chart["money"] else _tokens))
    axes.set_title(_plain(chart["title"]), loc="left", fontsize=11)
    # Below the bars: inside it would hide some of them.
    figure.legend(fontsize=8, frameon=False, loc="outside lower left", ncols=_COLUMNS)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    axes.margins(y=0.1)
    axes.set_xlim(-0.6, max(len(bars), _LEAST_BARS) - 0.4)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(to, format="png")


def _plain(text: str) -> str:
    """Returns text in which nothing stands for mathematics; a legend hides names with `_`."""
    return " " + text.replace("$", r"\$")


def _dollars(value: float, _position: int) -> str:
    if value == 0 or abs(value) >= 0.1:
        return f"${value:,.2f}"
    return f"${Decimal(f'{value:.2g}'):f}"


def _tokens(value: float, _position: int) -> str:
    return f"{value:,.0f}"
