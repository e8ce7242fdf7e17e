"""Looks up the time zone of a place in a process of its own, which ends with the answer.

The map takes 36 MB and a tenth of a second, once in the life of a person perhaps.
"""

import asyncio
from collections.abc import Collection
from zoneinfo import available_timezones

from bot.adapters.child_process import answer_of

_SECONDS = 20.0


async def zones_at(latitude: float, longitude: float) -> Collection[str]:
    """Returns the zones in use at a place, in degrees; several where people disagree.

    Empty for a place without a zone, and when it cannot be looked up.
    """
    try:
        async with asyncio.timeout(_SECONDS):
            _, told = await answer_of("bot.adapters.tzfpy.look_up", str(longitude), str(latitude))
    except TimeoutError:
        return ()
    known = await asyncio.to_thread(available_timezones)
    return [zone for zone in told.decode("ascii", "replace").split() if zone in known]
