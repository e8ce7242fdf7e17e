"""Answers presses outside of the line of intake, within bounds that strangers cannot use up."""

import asyncio
import logging
from collections import Counter
from typing import Any, Self

from bot.domain.talk.errors import ChannelError
from bot.domain.talk.message import Press, PressAnswer
from bot.flow.activities import ActivityOwner
from bot.ports.channel import Channel

_LOG = logging.getLogger(__name__)

MOST = 64
"""Acknowledgements under way at once; a press beyond this gets none."""

MOST_OF_ONE = 8
"""Acknowledgements under way at once for one person."""

MOST_OF_STRANGERS = 8
"""Acknowledgements under way at once for all people whom nobody let in."""

SECONDS = 10.0
"""Seconds that an acknowledgement may take."""

_STRANGERS = "strangers"


class Acknowledging:
    """Owns acknowledgements under way; use as an async context manager."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._tasks = ActivityOwner()
        self._under_way: Counter[str] = Counter()

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        return self

    async def __aexit__(self, *ended: Any) -> None:
        await self._tasks.__aexit__(*ended)

    @property
    def under_way(self) -> int:
        """Returns the number of acknowledgements that have not ended."""
        return self._under_way.total()

    def begin(self, channel: Channel, press: Press, told: PressAnswer, *, known: bool) -> None:
        """Starts an acknowledgement and returns at once; beyond the bounds there is none."""
        whose, most = (press.sender.key, MOST_OF_ONE) if known else (_STRANGERS, MOST_OF_STRANGERS)
        full = self.under_way >= MOST or self._under_way[whose] >= most
        if full or not self._tasks.open:
            return
        self._under_way[whose] += 1
        task = self._tasks.start(self._acknowledge(channel, press, told), name="acknowledgement")
        task.add_done_callback(lambda _: self._end(whose))

    def _end(self, whose: str) -> None:
        self._under_way[whose] -= 1
        if not self._under_way[whose]:
            del self._under_way[whose]

    async def _acknowledge(self, channel: Channel, press: Press, told: PressAnswer) -> None:
        try:
            async with asyncio.timeout(self._seconds):
                await channel.acknowledge(press, told.text, refused=told.refused, alone=told.alone)
        except (ChannelError, TimeoutError) as fault:
            _LOG.info("a press was not acknowledged: %s", fault or "no answer in time")
        except Exception:  # the border of a channel: one press, not the intake
            _LOG.exception("a press could not be acknowledged")
