"""Waits before the trial of a held back turn, which may kill the program as soon as it begins."""

from bot.ports.clock import Clock


class Probation:
    """Lets suspected turns begin one after another, `seconds` apart, the first after so long.

    So others go first, and when the program dies within these seconds, one turn has just begun and
    the program had lived well without it.
    """

    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock = clock
        self._seconds = seconds
        self._free_at = clock.steady() + seconds

    async def passed(self) -> None:
        """Waits for the moment of the next trial."""
        now = self._clock.steady()
        begin = max(now, self._free_at)
        self._free_at = begin + self._seconds
        if begin > now:
            await self._clock.sleep(begin - now)
