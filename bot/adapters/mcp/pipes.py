"""The SDK's streams over our own process: bounded lines, and an end that both sides see."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage

from bot.adapters.mcp.child import LONGEST_LINE, Child, running
from bot.adapters.mcp.weight import MOST_VALUES, is_too_heavy
from bot.domain.tools.server import ServerSpec

_LOG = logging.getLogger(__name__)

_MOST_MESSAGES = 5_000
_WINDOW = 10.0
"""Seconds in which messages are counted; a server that sends too many is ended."""


class Pipes:
    """A server's process while it is connected; `fault` is the reason of its end, if known."""

    def __init__(self, spec: ServerSpec, lost: Callable[[], None]) -> None:
        self._spec = spec
        self._lost = lost
        self._child: Child | None = None
        self._fault = ""

    @property
    def fault(self) -> str:
        """The reason of its end: our own reason, or else its last words and its exit code."""
        if self._fault or self._child is None:
            return self._fault
        return self._child.cause

    def ready(self) -> None:
        """Marks that the server started well."""
        if self._child is not None:
            self._child.ready()

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator[Any]:
        """Opens the streams of one life of the process."""
        incoming, to_read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        to_write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        async with running(self._spec) as child, incoming, to_read, to_write, outgoing:
            self._child = child
            tasks = {
                asyncio.create_task(self._read(child, incoming), name=f"from {self._spec.name}"),
                asyncio.create_task(self._write(child, outgoing), name=f"to {self._spec.name}"),
            }
            for task in tasks:
                task.add_done_callback(lambda _: (self._lost(), incoming.close()))
            try:
                yield to_read, to_write
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.wait(tasks)

    async def _read(self, child: Child, incoming: Any) -> None:
        begun, count = time.monotonic(), 0
        try:
            async for line in child.lines():
                count += 1
                if count > _MOST_MESSAGES:
                    if time.monotonic() - begun < _WINDOW:
                        self._fault = "it floods: too many messages at once"
                        return
                    begun, count = time.monotonic(), 0
                if is_too_heavy(line):
                    self._fault = f"it sent a message of more than {MOST_VALUES} values"
                    return
                message = self._message(line)
                if message is not None:
                    await incoming.send(message)
            await child.last_breath()
        except ValueError:
            self._fault = f"it sent a message of more than {LONGEST_LINE} bytes"
        except (OSError, anyio.ClosedResourceError, anyio.BrokenResourceError):
            return

    async def _write(self, child: Child, outgoing: Any) -> None:
        try:
            async for message in outgoing:
                told = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                await child.send(told.encode("utf-8", "replace") + b"\n")
        except (OSError, anyio.ClosedResourceError):
            return

    def _message(self, line: bytes) -> SessionMessage | None:
        """Returns a line as a message; ignores banners and other text."""
        try:
            return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
        except ValueError:
            _LOG.debug("%s wrote a line that is no message", self._spec.name)
            return None
