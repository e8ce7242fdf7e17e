"""Repairs what a server sends before the SDK judges it.

The SDK would refuse a whole listing for one bad tool. It also writes a fault for each bad part of
a message, which takes a minute for the worst message that a server may send.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import Any, Self

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage
from mcp_types import methods
from pydantic import ValidationError

from bot.domain.text.visible_text import visible

_FAULT = "steward/fault"
"""Key of the reason in a tool that broke the protocol, in the part left to applications."""

_FREES = "readOnlyHint"
_LONGEST_FAULT = 200
MOST_TOOLS = 500
"""Tools that are taken of one page of a listing."""

MOST_PARTS = 300
"""Parts of one answer that are read."""

_MOST_ITEMS = 500
"""Items of all lists in one message that the SDK judges one by one."""

_FREE = ("structuredContent", "inputSchema", "outputSchema", "_meta")
"""Keys of values that the SDK takes as they are."""

_DEEPEST = 40
_HEAVY = f"its answer has more than {_MOST_ITEMS} parts, so nobody read it; it may yet have done it"
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
        if isinstance(message, types.JSONRPCResponse):
            return replace(received, message=self._repaired(message))
        told = getattr(message, "params", None)
        return received if not told or _is_judged_soon(told) else ValueError("too many items")

    def _repaired(
        self, message: types.JSONRPCResponse
    ) -> types.JSONRPCResponse | types.JSONRPCError:
        tools = message.result.get("tools")
        rest = {name: value for name, value in message.result.items() if name != "tools"}
        rest = _shortened(rest)
        if not _is_judged_soon(rest):
            fault = types.ErrorData(code=types.INVALID_REQUEST, message=_HEAVY)
            return types.JSONRPCError(jsonrpc="2.0", id=message.id, error=fault)
        if not isinstance(tools, list):
            return message if tools is not None else _with(message, rest)
        version = self._version()
        lawful = [_lawful(tool, n, version) for n, tool in enumerate(tools[:MOST_TOOLS], 1)]
        return _with(message, {**rest, "tools": lawful})

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

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _with(message: types.JSONRPCResponse, result: dict[str, Any]) -> types.JSONRPCResponse:
    return message.model_copy(update={"result": result})


def _shortened(result: dict[str, Any]) -> dict[str, Any]:
    """Returns the result of a call with its first parts, and a remark about the others."""
    parts = result.get("content")
    if not isinstance(parts, list) or len(parts) <= MOST_PARTS:
        return result
    told = f"[{len(parts) - MOST_PARTS} more parts, left out]"
    return {**result, "content": [*parts[:MOST_PARTS], {"type": "text", "text": told}]}


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
    if not _is_judged_soon(tool):
        return f"it has lists of more than {_MOST_ITEMS} items"
    try:
        methods.parse_server_result("tools/list", version, {**_PAGE, "tools": [tool]})
    except ValidationError as faults:
        first = faults.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"][2:])
        told = f"{where}: {first['msg']}" if where else first["msg"]
        return f"against the protocol, {visible(told[:_LONGEST_FAULT])}"
    return ""


def _is_judged_soon(value: Any) -> bool:
    """Returns True when the lists in a value hold few items, apart from what the SDK ignores."""
    left, level = _MOST_ITEMS, [value]
    for _ in range(_DEEPEST):
        inner: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                inner += (part for name, part in each.items() if name not in _FREE)
            elif isinstance(each, list):
                left -= len(each)
                if left < 0:
                    return False
                inner += each
        if not inner:
            return True
        level = inner
    return False
