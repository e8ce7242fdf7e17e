"""One life of a server, from its start to its end, in a task of its own."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from bot.adapters.mcp.remote import ServerGone, ServerLate
from bot.domain.tools.server import ServerSpec, without_secrets
from bot.shipped.version import running_version

if TYPE_CHECKING:
    from bot.adapters.mcp.connection import Connection

_LOG = logging.getLogger(__name__)
_ENDING_SECONDS = 10.0
_LONGEST_REASON = 300


class Life:
    """A life that starts when it is created; every `connection()` waits for the same start."""

    def __init__(self, spec: ServerSpec, changed: Callable[[], None]) -> None:
        self._spec = spec
        self._changed = changed
        self._told_to_end = asyncio.Event()
        self._ready: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()
        self._calls = 0
        self._used = asyncio.get_running_loop().time()
        self._task = asyncio.create_task(self._run(), name=f"server {spec.name}")
        self._task.add_done_callback(self._tell)

    @property
    def over(self) -> bool:
        return self._task.done() or (self._ready.done() and self._ready.result().gone.is_set())

    @property
    def begun(self) -> bool:
        """True when it is ready for calls."""
        return self._ready.done() and not self.over

    @property
    def busy(self) -> bool:
        return self._calls > 0

    async def connection(self) -> "Connection":
        """Returns the connection once it exists; raises ServerGone when the start fails."""
        await asyncio.wait({self._task, self._ready}, return_when=asyncio.FIRST_COMPLETED)
        if self._ready.done():
            return self._ready.result()
        late = not self._task.cancelled() and isinstance(self._task.exception(), ServerLate)
        why = self.reason() or "it ended before it was ready"
        raise ServerLate(why) if late else ServerGone(why)

    def reason(self) -> str:
        """The reason of its end, for people; empty while it runs and when we ended it."""
        if not self._task.done() or self._task.cancelled():
            return ""
        fault = self._task.exception()
        if fault is None:
            return ""
        told = "; ".join(dict.fromkeys(_notes(fault) or _words(fault)))
        return without_secrets(told, self._spec.secrets)[:_LONGEST_REASON]

    @property
    def unused(self) -> float:
        """The seconds since the last call, or since the start."""
        return asyncio.get_running_loop().time() - self._used

    def use(self) -> None:
        """Marks a call: the server is not idle until the call has ended."""
        self._calls += 1

    def used(self) -> None:
        self._calls -= 1
        self._used = asyncio.get_running_loop().time()

    async def end(self) -> None:
        """Ends the server and waits until it has gone."""
        self._told_to_end.set()
        if not self._ready.done():
            self._task.cancel()
        done, _ = await asyncio.wait({self._task}, timeout=_ENDING_SECONDS)
        if not done:
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=_ENDING_SECONDS)

    async def _run(self) -> None:
        sdk = await asyncio.to_thread(_loaded)
        opening = sdk.connected(self._spec, running_version(), self._changed)
        try:
            async with asyncio.timeout(self._spec.start_seconds) as bound, opening as connection:
                bound.reschedule(None)
                self._ready.set_result(connection)
                _LOG.info("server %s is ready", self._spec.name)
                await self._wait_for_end(connection)
        except TimeoutError:
            seconds = f"{self._spec.start_seconds:g} s"
            raise ServerLate(f"it was not ready within {seconds}") from None

    async def _wait_for_end(self, connection: "Connection") -> None:
        ends = (connection.gone.wait(), self._told_to_end.wait(), self._idle())
        tasks = {asyncio.ensure_future(end) for end in ends}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            connection.gone.set()
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    async def _idle(self) -> None:
        """Returns after one to two times the server's idle time without a call."""
        longest = self._spec.idle_seconds
        if longest == 0:
            await asyncio.Event().wait()
        while True:
            seen = self._used
            await asyncio.sleep(longest)
            if not self.busy and self._used == seen:
                return

    def _tell(self, task: asyncio.Task[None]) -> None:
        """Takes the result of the task, so that a fault of a server is no fault of the program."""
        if task.cancelled() or task.exception() is None:
            _LOG.info("server %s has ended", self._spec.name)
        else:
            _LOG.warning("server %s failed: %s", self._spec.name, self.reason())


def _loaded() -> ModuleType:
    # Importing the SDK takes more than a second and 60 MB, and only a server needs it.
    from bot.adapters.mcp import connection

    return connection


def _notes(fault: BaseException) -> Sequence[str]:
    """Returns the server's last words, which say more than the SDK's own text about its end."""
    own = getattr(fault, "__notes__", ())
    inner = fault.exceptions if isinstance(fault, BaseExceptionGroup) else ()
    return [*own, *(note for each in inner for note in _notes(each))]


def _words(fault: BaseException) -> Iterator[str]:
    """Yields the texts of a fault and of faults inside it."""
    if isinstance(fault, BaseExceptionGroup):
        for inner in fault.exceptions:
            yield from _words(inner)
    else:
        yield str(fault).strip() or type(fault).__name__
