"""Lets a press overtake the events before it, when their line is slow."""

import asyncio
from collections.abc import Awaitable, Callable

from bot.adapters.discord.gateway import Event
from bot.ports.clock import Clock

INTERACTION = "INTERACTION_CREATE"
_PATIENCE_SECONDS = 1.0
"""Time that a press waits for its turn; the app wants an answer within three seconds."""


class Overtaking:
    """Stores a press beside the line, as while Discord is asked for what was missed.

    `store` keeps one event for good, and answers it.
    """

    def __init__(self, store: Callable[[Event], Awaitable[None]], clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._patient: set[str] = set()

    def watch(self, event: Event) -> None:
        """Begins to count the time of an event if it is a press; it is in the line as well."""
        number = _number_of(event)
        if number and number not in self._tasks:
            self._patient.add(number)
            task = asyncio.create_task(self._overtake(number, event), name="discord press")
            self._tasks[number] = task

    async def _overtake(self, number: str, press: Event) -> None:
        await self._clock.sleep(_PATIENCE_SECONDS)
        self._patient.discard(number)
        await self._store(press)

    async def is_stored(self, event: Event) -> bool:
        """Returns True for a press that has overtaken, once it is stored."""
        number = _number_of(event)
        task = self._tasks.pop(number, None)
        if task is None:
            return False
        if number in self._patient:
            self._patient.discard(number)
            task.cancel()
            return False
        await task
        return True

    def close(self) -> None:
        for task in self._tasks.values():
            task.cancel()


def _number_of(event: Event) -> str:
    """Returns the number of a press or of other words of an app; empty for any other event."""
    return (event.fields.id("id") or "") if event.name == INTERACTION else ""
