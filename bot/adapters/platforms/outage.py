"""The reasons for which a platform sends nothing, and the pauses before it is tried again."""

from bot.domain.value import frozen
from bot.ports.clock import Clock

_FIRST_PAUSE = 1.0


@frozen
class Outage:
    """A reason for missing updates; `pause` in seconds, None for one that grows.

    `helps` is the sentence about what is done, or what a person can do. Troubles of the same `kind`
    are one, whatever their texts say. With `final` nothing is tried again before a restart: only a
    person can help.
    """

    text: str
    pause: float | None = None
    helps: str = "I keep trying."
    kind: str = ""
    final: bool = False


class Pauses:
    """Waits before the next try: each pause is twice as long as the one before, up to `longest`."""

    def __init__(self, clock: Clock, longest: float) -> None:
        self._clock = clock
        self._longest = longest
        self._next = _FIRST_PAUSE
        self.reached = False
        """True once the platform has answered, until there is a trouble."""

    async def after(self, trouble: Outage) -> None:
        self.reached = False
        if trouble.pause is not None:
            await self._clock.sleep(trouble.pause)
            return
        await self._clock.sleep(self._next)
        self._next = min(self._next * 2, self._longest)

    def over(self) -> None:
        """Begins with a short pause again."""
        self.reached = True
        self._next = _FIRST_PAUSE
