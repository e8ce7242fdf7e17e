"""Runs blocking work beside the event loop, and stops it when its caller has gone."""

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_PATIENCE = 5.0


class CallerGone(Exception):
    """The work was cancelled and left nothing half done."""


class StopSign:
    """A sign that the work checks regularly: has its caller gone?"""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        self._event.set()

    def heed(self) -> None:
        if self._event.is_set():
            raise CallerGone


async def in_thread(work: Callable[[StopSign], T]) -> T:
    """Runs work in the loop's thread pool; when cancelled, first waits for the end of the work."""
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
