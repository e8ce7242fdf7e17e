"""A step of a turn with its time: what the rows of a waterfall are made of."""

from collections.abc import Iterable, Iterator

from bot.domain.clock.folded_time import Stretch
from bot.domain.money.model import Usage
from bot.domain.money.money import Nano
from bot.domain.value import frozen, replace
from bot.ports.turn_page import BarKind


@frozen
class Step:
    """Something that happened in a turn; without a time it only has a place among the others."""

    mark: str
    level: int
    name: str
    time: Stretch | None = None
    kind: BarKind = "span"
    usage: Usage | None = None
    cost: Nano | None = None
    estimated: bool = False
    """True when the provider has not told its tokens."""
    outside: bool = False
    round: int = 0
    turn: str = ""
    event: bool = False
    most: bool = False
    """True when its time is the most that it can have taken."""

    @property
    def paid(self) -> tuple[Usage | None, Nano | None, bool]:
        return self.usage, self.cost, self.estimated


def of_calls(steps: Iterable[Step], number: int) -> Iterator[Step]:
    """Yields steps as parts of a round."""
    return (replace(step, round=number) for step in steps)
