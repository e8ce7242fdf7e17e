"""Traces for an operator; nothing of it is loaded without the setting."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from bot import logs
from bot.bootstrap.door_form import Inside
from bot.doctor import Check, Complaint, Finding
from bot.domain.talk.errors import StoreError
from bot.ports.outbox import Delivered, OutboxRow
from bot.settings import Settings
from bot.settings.sections import TracesAccess
from bot.shipped import installs
from bot.shipped.version import running_version

if TYPE_CHECKING:
    from bot.adapters.traces.exporter import Exporter
    from bot.adapters.traces.span import Span

_LOG = logging.getLogger(__name__)
_ABOUT = "See docs/incidents.md."
_MOST_WAITING = 1_000
"""Deliveries whose messages are still to be looked up; more are not told."""

_LAST_SECONDS = 2.0
"""Seconds in which those that wait at the end are looked up."""


class TracesForm:
    """Sends traces of turns to a collector."""

    async def keep_open(self, settings: Settings, inside: Inside) -> None:
        access = settings.traces
        if access is None:
            return
        from bot.adapters.traces.span import trace_name
        from bot.adapters.traces.spans import Spans

        outlet = _Outlet()
        conceal = inside.application.parts.world.conceal
        spans = Spans(outlet.send, conceal, content=access.content)
        deliveries = _Deliveries(inside.store.page.message, spans.delivered)
        inside.store.written.listen(spans.committed, deliveries.put)
        loading = asyncio.ensure_future(asyncio.to_thread(_exporter, access))
        try:
            with logs.traces_named(trace_name):
                async with asyncio.TaskGroup() as group:
                    group.create_task(_begun(loading, outlet, access.url))
                    await deliveries.told()
        finally:
            await asyncio.shield(_ended(deliveries, loading, outlet))

    def checks(self, settings: Settings) -> Sequence[Check | Finding]:
        if settings.traces is None:
            return ()
        return (Check("traces", partial(_try, settings.traces), _ABOUT, "warn"),)


class _Deliveries:
    """Tells deliveries with their messages, which are looked up one after another."""

    def __init__(
        self,
        message: Callable[[int], Awaitable[OutboxRow | None]],
        tell: Callable[[OutboxRow, Delivered], None],
    ) -> None:
        self._message = message
        self._tell = tell
        self._waiting: deque[Delivered] = deque()
        self._come = asyncio.Event()

    def put(self, result: Delivered) -> None:
        if len(self._waiting) < _MOST_WAITING:
            self._waiting.append(result)
            self._come.set()

    async def told(self) -> None:
        """Tells them as they come."""
        while True:
            await self._come.wait()
            await self.rest()

    async def rest(self) -> None:
        """Tells those that wait; one whose look-up is cut off goes on waiting."""
        self._come.clear()
        while self._waiting:
            result = self._waiting[0]
            row = None
            with suppress(StoreError):
                row = await self._message(result.id)
            self._waiting.popleft()
            if row is not None:
                self._tell(row, result)


class _Outlet:
    """Holds the first spans while the library is loaded, which takes a second."""

    def __init__(self) -> None:
        self._held: deque[Span] = deque(maxlen=_MOST_WAITING)
        self._send: Callable[[Span], None] = self._held.append

    def send(self, span: "Span") -> None:
        self._send(span)

    def open_to(self, send: Callable[["Span"], None]) -> None:
        self._send = send
        while self._held:
            send(self._held.popleft())


async def _begun(loading: "asyncio.Future[Exporter]", outlet: _Outlet, url: str) -> None:
    try:
        exporter = await asyncio.shield(loading)
    except ImportError:
        outlet.open_to(_nobody)
        _LOG.warning("No traces are sent: their library is missing. Run `%s`.", installs("traces"))
    else:
        outlet.open_to(exporter.send)
        _LOG.info("traces go to %s", url)


async def _ended(deliveries: _Deliveries, loading: "Awaitable[Exporter]", outlet: _Outlet) -> None:
    """Sends what waits, also what was held at a run so short that the library was never ready."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_LAST_SECONDS):
            await deliveries.rest()
    with suppress(ImportError):
        exporter = await loading
        outlet.open_to(exporter.send)
        await asyncio.to_thread(exporter.end)


def _nobody(_: object) -> None:
    """Stands for a library that is missing."""


def _exporter(access: TracesAccess) -> "Exporter":
    from bot.adapters.traces.exporter import Exporter

    key = access.key.get_secret_value() if access.key is not None else ""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return Exporter(access.url, headers, running_version())


async def _try(access: TracesAccess) -> str:
    """Returns a sentence about a collector that takes traces."""
    try:
        exporter = await asyncio.to_thread(_exporter, access)
    except ImportError:
        told = "No traces are sent: their library is missing."
        raise Complaint(told, f"Run `{installs('traces')}`.", "warn") from None
    try:
        reached = await asyncio.to_thread(exporter.reached)
    finally:
        await asyncio.to_thread(exporter.end)
    if not reached:
        raise Complaint(f"{access.url} takes no traces.", "Look at STEWARD_TRACES_URL.", "warn")
    return f"{access.url} takes traces."
