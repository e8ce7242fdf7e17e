"""Waiting for something to happen, but not for longer than it is worth."""

import asyncio

from bot.ports.clock import Clock


async def awaited(event: asyncio.Event, clock: Clock, seconds: float) -> None:
    """Returns when the event is set or the time is over, whichever is first."""
    waits = [asyncio.ensure_future(event.wait()), asyncio.ensure_future(clock.sleep(seconds))]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
