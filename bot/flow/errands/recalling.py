"""Calls errands back that nobody waits for any more."""

from collections.abc import Iterable

from bot.domain.assignments.errand import Errand
from bot.domain.change import AskStop, SaveErrand, Write


def called_back(errands: Iterable[Errand], how: str) -> tuple[Write, ...]:
    """Returns the writes that stop these errands; of finished ones nobody wants the result."""
    writes: list[Write] = []
    for one in errands:
        if one.taken:
            continue
        if one.done:
            writes.append(SaveErrand(one.amended(taken=True), one.version))
        else:
            back = SaveErrand(one.called_back(), one.version, recalls=True)
            writes += [back, AskStop(one.id, how)]
    return tuple(writes)


def left_behind(errands: Iterable[Errand]) -> tuple[Errand, ...]:
    """Returns the errands that go on although their parent was set aside."""
    return tuple(one for one in errands if one.set_aside and not one.taken)
