"""Looks up the time zone of a place in a process of its own, which ends with the answer.

The map takes 36 MB and a tenth of a second, once in the life of a person perhaps.
"""

import asyncio
import sys
from collections.abc import Collection
from pathlib import Path
from zoneinfo import available_timezones

_SECONDS = 20.0
_LOOK_UP = Path(__file__).with_name("look_up.py")


async def zones_at(latitude: float, longitude: float) -> Collection[str]:
    """Returns the zones in use at a place, in degrees; several where people disagree.

    Empty for a place without a zone, and when it cannot be looked up.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        str(_LOOK_UP),
        str(longitude),
        str(latitude),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(_SECONDS):
            told, _ = await process.communicate()
    except TimeoutError:
        return ()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    known = await asyncio.to_thread(available_timezones)
    return [zone for zone in told.decode("ascii", "replace").split() if zone in known]
