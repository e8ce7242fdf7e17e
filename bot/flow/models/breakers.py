"""Breakers of models: one that stays away is left alone for a while, then tried by one call."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.domain.value import frozen
from bot.ports.clock import Clock

_FIRST_SECONDS = 30.0
_LONGEST_SECONDS = 600.0


@dataclass(slots=True)
class _Breaker:
    """The failed calls of a model in a row, and the end of its present pause."""

    failures: int = 0
    until: float = 0.0
    probing: bool = False


@frozen
class Away:
    """A model that stays away, and the seconds until it is tried again; 0 while it is tried."""

    model: str
    seconds: int


class Breakers:
    """Keeps in memory which models failed; a restart tries all of them again.

    A call that failed with all its retries opens a breaker for 30 s, each later failure for twice
    as long, at most 10 minutes. After the pause one call is let through: its end decides.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._breakers: dict[str, _Breaker] = {}

    def away(self, model: str) -> bool:
        """Returns True while calls of the model are better sent to another one."""
        breaker = self._breakers.get(model)
        return breaker is not None and (breaker.probing or self._left(breaker) > 0)

    def begins(self, model: str) -> None:
        """Notes a call of the model; after a pause it is the probe."""
        breaker = self._breakers.get(model)
        if breaker is not None:
            breaker.probing = True

    def served(self, model: str) -> None:
        """Closes the breaker: the model answered."""
        self._breakers.pop(model, None)

    def failed(self, model: str) -> None:
        """Opens the breaker, for longer than the last time."""
        breaker = self._breakers.setdefault(model, _Breaker())
        pause = min(_LONGEST_SECONDS, _FIRST_SECONDS * 2.0**breaker.failures)
        breaker.failures = min(breaker.failures + 1, 10)
        breaker.until = self._clock.steady() + pause
        breaker.probing = False

    def broken_off(self, model: str) -> None:
        """Notes that a call ended without an end: the next one is the probe."""
        breaker = self._breakers.get(model)
        if breaker is not None:
            breaker.probing = False

    def all_away(self) -> Sequence[Away]:
        """Returns the models that stay away, for people to see."""
        return [
            Away(model, round(max(self._left(breaker), 0.0)))
            for model, breaker in self._breakers.items()
        ]

    def _left(self, breaker: _Breaker) -> float:
        return breaker.until - self._clock.steady()
