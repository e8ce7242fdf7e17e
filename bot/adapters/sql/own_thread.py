"""A thread of a connection's own, which does its jobs in the order of arrival."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")
V = TypeVar("V")
_HURRY_SECONDS = 0.01
_Order = tuple[asyncio.Future[Any], Callable[..., Any], tuple[Any, ...]]


class OwnThread:
    """Hands jobs of an event loop to one thread, and their results back.

    An executor makes a second future with a lock, a condition and callbacks for each job, and
    counts idle threads: a third of what a hop costs, and a turn makes 16 of them.
    """

    def __init__(self, name: str) -> None:
        self._orders: SimpleQueue[_Order | None] = SimpleQueue()
        self._thread = Thread(target=self._work, name=name, daemon=True)
        self._ended = False

    def run(self, job: Callable[..., T], *args: Any) -> asyncio.Future[T]:
        """Has the job done; one whose future is cancelled before its turn is left out."""
        if self._ended:
            raise RuntimeError("this thread has ended")
        if not self._thread.is_alive():
            self._thread.start()
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._orders.put((future, job, args))
        return future

    def end(self, hurry: Callable[[], None] | None = None) -> None:
        """Waits until every job is done; until then `hurry` is called again and again."""
        self._ended = True
        self._orders.put(None)
        while self._thread.is_alive():
            if hurry is not None:
                hurry()
            self._thread.join(None if hurry is None else _HURRY_SECONDS)

    def _work(self) -> None:
        while (order := self._orders.get()) is not None:
            _carry_out(*order)
            # The result would stay in memory until the next job comes.
            del order


def _carry_out(future: asyncio.Future[T], job: Callable[..., T], args: tuple[Any, ...]) -> None:
    if future.cancelled():
        return
    try:
        result = job(*args)
    except BaseException as fault:
        _tell(future, _fail, fault)
        # Else the fault would hold this frame, and the frame, by its future, the fault.
        del future
    else:
        _tell(future, _succeed, result)


def _tell(future: asyncio.Future[T], tell: Callable[[asyncio.Future[T], V], None], end: V) -> None:
    # A loop that is closed has nobody left who waits.
    with suppress(RuntimeError):
        future.get_loop().call_soon_threadsafe(tell, future, end)


def _succeed(future: asyncio.Future[T], result: T) -> None:
    if not future.cancelled():
        future.set_result(result)


def _fail(future: asyncio.Future[T], fault: BaseException) -> None:
    if not future.cancelled():
        future.set_exception(fault)
