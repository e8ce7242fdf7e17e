"""Listings as a server sends them, mended: the SDK would refuse a whole one for one bad tool."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from mcp_types import methods
from pydantic import ValidationError

from bot.domain.visible_text import visible

_FAULT = "steward/fault"
"""Where a tool that broke the protocol carries the reason, in the room that is left for others."""

_LONGEST_FAULT = 200
_PAGE = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
"""What some version of the protocol demands of a page beside its tools."""


@asynccontextmanager
async def mended(
    transport: AbstractAsyncContextManager[Any], version: Callable[[], str]
) -> AsyncGenerator[Any]:
    """A transport whose listings hold no tool that the spoken version of the protocol refuses."""
    async with transport as (incoming, outgoing):
        yield _Mended(incoming, version), outgoing


def fault_of(tool: types.Tool) -> str:
    """Why this is but the name of a tool that was against the protocol; nothing for any other."""
    return str((tool.meta or {}).get(_FAULT, ""))


class _Mended:
    """The stream of what a server sends, one listing in it mended at a time."""

    def __init__(self, incoming: Any, version: Callable[[], str]) -> None:
        self._incoming = incoming
        self._version = version

    @property
    def last_context(self) -> Any:
        """What the SDK knows about the sender of the newest message, if its stream tells."""
        return getattr(self._incoming, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        received = await self._incoming.receive()
        if not isinstance(received, SessionMessage):
            return received
        message = received.message
        if not isinstance(message, types.JSONRPCResponse):
            return received
        tools = message.result.get("tools")
        if not isinstance(tools, list):
            return received
        lawful = [_lawful(tool, n, self._version()) for n, tool in enumerate(tools, 1)]
        result = {**message.result, "tools": lawful}
        return replace(received, message=message.model_copy(update={"result": result}))

    async def aclose(self) -> None:
        await self._incoming.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()


def _lawful(tool: Any, number: int, version: str) -> Any:
    """The tool as it is, or a bare one of its name that carries what is wrong with it."""
    fault = _fault(tool, version)
    if not fault:
        return tool
    name = tool.get("name") if isinstance(tool, dict) else None
    known = name if isinstance(name, str) else f"tool {number}"
    return {"name": known, "inputSchema": {"type": "object"}, "_meta": {_FAULT: fault}}


def _fault(tool: Any, version: str) -> str:
    try:
        methods.parse_server_result("tools/list", version, {**_PAGE, "tools": [tool]})
    except ValidationError as faults:
        first = faults.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"][2:])
        told = f"{where}: {first['msg']}" if where else first["msg"]
        return f"against the protocol, {visible(told[:_LONGEST_FAULT])}"
    return ""
