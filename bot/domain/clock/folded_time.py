"""A scale of time on which long waits are folded, so that seconds of work stay readable."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from bot.domain.value import frozen

_EACH = 8.0
"""Per cent of the width that a folded stretch takes."""

_ALL = 40.0
"""Per cent of the width that all folded stretches take together, at most."""


@frozen
class Stretch:
    """A stretch of time."""

    begin: datetime
    end: datetime

    @property
    def seconds(self) -> float:
        return max((self.end - self.begin).total_seconds(), 0.0)


@frozen
class FoldedTime:
    """Places moments between 0 and 100 per cent; `folds` do not overlap and stand in order."""

    whole: Stretch
    folds: tuple[Stretch, ...] = ()

    @property
    def _width(self) -> float:
        return min(_EACH, _ALL / len(self.folds)) if self.folds else 0.0

    @property
    def _seconds(self) -> float:
        return self.whole.seconds - sum(fold.seconds for fold in self.folds)

    def place(self, moment: datetime) -> float:
        """Returns the place of a moment in per cent; one outside stands at the nearest end."""
        moment = min(max(moment, self.whole.begin), self.whole.end)
        folded, passed = 0.0, (moment - self.whole.begin).total_seconds()
        for fold in self.folds:
            if moment <= fold.begin:
                break
            within = min((moment - fold.begin).total_seconds(), fold.seconds)
            passed -= within
            folded += self._width * within / fold.seconds if fold.seconds else 0.0
        left = 100.0 - self._width * len(self.folds)
        return folded + (left * passed / self._seconds if self._seconds > 0 else 0.0)


def folded_time(whole: Stretch, wanted: Iterable[Stretch]) -> FoldedTime:
    """Returns a scale with these stretches folded, joined where they overlap."""
    inside = (
        Stretch(max(one.begin, whole.begin), min(one.end, whole.end))
        for one in sorted(wanted, key=lambda one: one.begin)
    )
    joined: list[Stretch] = []
    for one in inside:
        if one.end <= one.begin:
            continue
        if joined and one.begin <= joined[-1].end:
            joined[-1] = Stretch(joined[-1].begin, max(joined[-1].end, one.end))
        else:
            joined.append(one)
    return FoldedTime(whole, tuple(joined))


def without(stretch: Stretch, busy: Sequence[Stretch]) -> tuple[Stretch, ...]:
    """Returns the parts of a stretch in which nothing of `busy` goes on."""
    parts, begin = list[Stretch](), stretch.begin
    for one in sorted(busy, key=lambda one: one.begin):
        if one.end <= begin or one.begin >= stretch.end:
            continue
        if one.begin > begin:
            parts.append(Stretch(begin, one.begin))
        begin = max(begin, one.end)
    if begin < stretch.end:
        parts.append(Stretch(begin, stretch.end))
    return tuple(parts)
