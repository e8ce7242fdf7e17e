"""Repairs the listings of a server: the SDK would refuse a whole listing for one bad tool."""

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
"""Key of the reason in a tool that broke the protocol, in the part left to applications."""

_FREES = "readOnlyHint"
_LONGEST_FAULT = 200
_PAGE = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
"""Fields that some versions of the protocol demand of a page beside its tools."""


@asynccontextmanager
async def mended(
    transport: AbstractAsyncContextManager[Any], version: Callable[[], str]
) -> AsyncGenerator[Any]:
    """Opens a transport whose listings contain only tools that the spoken protocol allows."""
    async with transport as (incoming, outgoing):
        yield _Mended(incoming, version), outgoing


def fault_of(tool: types.Tool) -> str:
    """Returns the fault of a tool that broke the protocol; empty for any other tool."""
    return str((tool.meta or {}).get(_FAULT, ""))


class _Mended:
    """The stream of a server's messages, in which each listing is repaired."""

    def __init__(self, incoming: Any, version: Callable[[], str]) -> None:
        self._incoming = incoming
        self._version = version

    @property
    def last_context(self) -> Any:
        """Returns the SDK's context of the newest message, if the stream has one."""
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
    """Returns the tool, or a bare one of the same name that carries its fault."""
    fault = _fault(tool, version)
    if not fault:
        return _believable(tool)
    name = tool.get("name") if isinstance(tool, dict) else None
    known = name if isinstance(name, str) else f"tool {number}"
    return {"name": known, "inputSchema": {"type": "object"}, "_meta": {_FAULT: fault}}


def _believable(tool: dict[str, Any]) -> dict[str, Any]:
    """Returns the tool without a hint that frees it of asking, unless that is a boolean.

    The SDK reads "true" and 1 as booleans too.
    """
    hints = tool.get("annotations")
    if not isinstance(hints, dict) or isinstance(hints.get(_FREES), bool | None):
        return tool
    kept = {name: hint for name, hint in hints.items() if name != _FREES}
    return {**tool, "annotations": kept}


def _fault(tool: Any, version: str) -> str:
    try:
        methods.parse_server_result("tools/list", version, {**_PAGE, "tools": [tool]})
    except ValidationError as faults:
        first = faults.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"][2:])
        told = f"{where}: {first['msg']}" if where else first["msg"]
        return f"against the protocol, {visible(told[:_LONGEST_FAULT])}"
    return ""
