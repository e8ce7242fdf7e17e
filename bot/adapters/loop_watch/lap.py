"""A lap of the event loop that may be too long, as the watch sees it from outside."""

from collections import Counter
from dataclasses import dataclass, field
from types import FrameType

from bot.adapters.loop_watch.holder import callback, holder
from bot.domain.talk.hold import LONGEST_HOLD
from bot.domain.value import frozen


@frozen
class Glance:
    """One look at the process; everything is seconds."""

    at: float
    """The steady time."""
    ran: float
    """Processor time of the thread of the loop."""
    efforts: float | None
    """The time that all threads ran or stood in line, added up; None where nobody tells it."""
    late: float
    """The time that the watch stood in line itself since the look before."""


@dataclass(slots=True, eq=False)
class Stretch:
    """The part of a lap in which one callback ran; all times are in seconds."""

    callback: object
    held: float = 0.0
    computed: float = 0.0
    """The processor time of the thread; the rest of `held` was spent in calls that block."""
    _places: Counter[str] = field(default_factory=Counter[str])
    _words: dict[str, str] = field(default_factory=dict[str, str])

    def see(self, frame: FrameType) -> None:
        """Notes the code that the thread is running."""
        place, words = holder(frame)
        self._places[place] += 1
        self._words[place] = words

    @property
    def by(self) -> tuple[str, str]:
        """Returns the place that was seen most often, and the words about it."""
        if not self._places:
            return "", "code that was not seen"
        place = self._places.most_common(1)[0][0]
        return place, self._words[place]


class Lap:
    """Judges how long each callback of a lap held the loop.

    A machine that is too busy makes every lap long, and that is nobody's fault. So only two kinds
    of time count. One is the time in which the thread of the loop ran. The other is the time in
    which it slept in a call that blocks. It may also sleep because it waits for the interpreter,
    which another thread has, or for a processor. So the time counts as slept only as far as no
    thread of the process ran or stood in line for a processor. A look that comes much
    too late tells nothing of the time before it: somebody had stopped the whole process.

    Many short callbacks make a long lap, too, when many people write at once. So the time between
    two looks is that of the callback which is seen at the second one. When it was not seen at the
    first one, the time in which the watch could have looked, and had no processor, is left out.
    """

    def __init__(self, number: int, since: float, ran: float, longest: float) -> None:
        """`ran` is the time that the thread had run before; a late look counts for `longest`."""
        self.number = number
        self.since = since
        self.told = False
        self._ran = ran
        self._longest = longest
        self._slept = 0.0
        self._seen: Glance | None = None
        self._counted = 0.0
        self._computed = 0.0
        self._stretches: list[Stretch] = []
        self._looked_at: Stretch | None = None

    def see(self, frame: FrameType | None) -> None:
        """Notes what the thread is running; `look` follows."""
        running = callback(frame)
        if not self._stretches or self._stretches[-1].callback is not running:
            self._stretches.append(Stretch(running))
        if frame is not None:
            self._stretches[-1].see(frame)

    def look(self, moment: Glance) -> None:
        """Counts the time since the last look for the callback that was seen."""
        if moment.efforts is not None:
            if self._seen is not None and self._seen.efforts is not None:
                passed = max(moment.at - self._seen.at, 0.0)
                efforts = max(moment.efforts - self._seen.efforts, 0.0)
                if passed < LONGEST_HOLD:
                    self._slept += min(passed, self._longest) - efforts
            self._seen = moment
        took = moment.at - self.since
        worked = min(max(moment.ran - self._ran, 0.0), took)
        held = min(worked + max(self._slept, 0.0), took)
        if not self._stretches:
            self._stretches.append(Stretch(None))
        stretch = self._stretches[-1]
        others = moment.late if stretch is not self._looked_at else 0.0
        stretch.held += max(held - self._counted - others, 0.0)
        self._counted = max(held, self._counted)
        stretch.computed += max(worked - self._computed - others, 0.0)
        self._computed = max(worked, self._computed)
        self._looked_at = stretch

    @property
    def worst(self) -> Stretch:
        return max(self._stretches, key=lambda stretch: stretch.held)
