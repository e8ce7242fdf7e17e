"""Blocking work beside the event loop, told to stop when nobody waits for it any more."""

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_PATIENCE = 5.0


class Stopped(Exception):
    """The work was called off; it left nothing half done."""


class StopSign:
    """Asked now and then by the work: has its caller gone?"""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        self._event.set()

    def heed(self) -> None:
        if self._event.is_set():
            raise Stopped


async def in_thread(work: Callable[[StopSign], T]) -> T:
    """Runs work in the loop's thread pool; cancelled, it lets the work end before going on."""
    sign = StopSign()
    task = asyncio.ensure_future(asyncio.to_thread(work, sign))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        sign.set()
        await asyncio.wait({task}, timeout=_PATIENCE)
        if task.done() and not task.cancelled():
            task.exception()
        raise
