"""The waterfall of a turn: its steps on a scale of time on which long waits are folded."""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.domain.clock.folded_time import FoldedTime, Stretch, folded_time, without
from bot.domain.clock.span import figure
from bot.domain.money.money import told
from bot.domain.tools.call_words import Conceal
from bot.flow.inspection.happenings import Happenings
from bot.flow.inspection.steps import Step
from bot.ports.turn_page import Bar, Fall, FallRow, FoldMark

_FOLDED_SECONDS = 30.0
"""A wait for a person and a time without the program are folded when they are longer."""

_LEAST_WIDTH = 0.7
"""Per cent: a bar that is narrower cannot be seen."""

_BUSY = frozenset({"model", "tool", "sent"})
_IDLE = frozenset({"person", "gap", "queue"})


def waterfall(what: Happenings, conceal: Conceal, zone: str, *, unfolded: bool = False) -> Fall:
    """Returns the rows of a waterfall and its scale."""
    wanted = _folds(what)
    scale = folded_time(what.whole, () if unfolded else wanted)
    return Fall(
        tuple(_row(step, scale, conceal) for step in what.steps),
        tuple(_mark(fold, scale) for fold in scale.folds),
        clock(what.whole.begin, zone),
        clock(what.whole.end, zone),
        foldable=bool(wanted),
    )


def clock(at: datetime, zone: str) -> str:
    """Returns the time of day to the second."""
    return f"{at.astimezone(ZoneInfo(zone)):%H:%M:%S}"


def _folds(what: Happenings) -> Sequence[Stretch]:
    """Returns the stretches in which somebody waited for long and nothing else went on."""
    busy = [step.time for step in what.steps if step.time and step.kind in _BUSY]
    idle = [step.time for step in what.steps if step.time and step.kind in _IDLE]
    parts = [part for one in idle for part in without(one, busy)]
    return [part for part in parts if part.seconds > _FOLDED_SECONDS]


def _mark(fold: Stretch, scale: FoldedTime) -> FoldMark:
    x = scale.place(fold.begin)
    return FoldMark(x, scale.place(fold.end) - x, figure(fold.seconds))


def _row(step: Step, scale: FoldedTime, conceal: Conceal) -> FallRow:
    took = figure(step.time.seconds) if step.time and step.time.seconds else ""
    usage, told_usage = step.usage, step.usage is not None and step.usage.told
    cached = f"{usage.cache_read * 100 // usage.prompt} %" if usage and usage.prompt else ""
    about = "≈ " if step.estimated else ""
    cost = "" if step.cost is None else told(step.cost, estimated=step.estimated)
    return FallRow(
        step.mark,
        step.level,
        conceal(step.name),
        _bar(step, scale),
        step.outside,
        f"≤ {took}" if step.most and took else took,
        f"{about}{usage.prompt + usage.output:,}" if usage and told_usage else "",
        cached,
        cost,
        step.round,
        step.turn,
        step.event,
    )


def _bar(step: Step, scale: FoldedTime) -> Bar | None:
    if step.time is None:
        return None
    x, end = scale.place(step.time.begin), scale.place(step.time.end)
    width = max(end - x, _LEAST_WIDTH)
    return Bar(step.kind, min(x, 100.0 - _LEAST_WIDTH), min(width, 100.0))
