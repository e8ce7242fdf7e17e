"""The only module that opens the SDK's client: lists a server's tools and calls them."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, TypeVar

import anyio
import httpx2
import mcp_types as types
from mcp import Client, MCPError
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from pydantic import TypeAdapter, ValidationError

from bot.adapters.certificates import certificates
from bot.adapters.mcp.child import LONGEST_LINE
from bot.adapters.mcp.content import answer
from bot.adapters.mcp.http_client import WatchedClient
from bot.adapters.mcp.mending import MOST_TOOLS, fault_of, mended
from bot.adapters.mcp.pipes import Pipes
from bot.adapters.mcp.remote import (
    RemoteTool,
    ServerAnswer,
    ServerGone,
    ServerRefused,
    ServerUnheard,
)
from bot.domain.tools.server import ServerSpec

T = TypeVar("T")

_LOG = logging.getLogger(__name__)

_PAGES = 20
_HTTP_SECONDS = 30.0
_SLACK_SECONDS = 5.0
_RESULT: TypeAdapter[types.CallToolResult | types.InputRequiredResult] = TypeAdapter(
    types.CallToolResult | types.InputRequiredResult
)
_LOST = (types.CONNECTION_CLOSED, types.REQUEST_TIMEOUT)
_BY_STATUS = ("Session terminated", "Server returned an error response")
"""Texts by which the SDK reports an HTTP status without a message of the protocol."""


class Connection:
    """A connected server. Every fault is ServerGone or ServerRefused."""

    def __init__(
        self, client: Client, gone: asyncio.Event, pipes: Pipes, http: WatchedClient | None
    ) -> None:
        self._client = client
        self._pipes = pipes
        self._http = http
        self._under_way = 0
        self.gone = gone

    async def tools(self) -> Sequence[RemoteTool]:
        """Returns all tools that the server lists now; stops when its pages form a circle."""
        found: list[RemoteTool] = []
        seen: set[str] = set()
        cursor: str | None = None
        for _ in range(_PAGES):
            page = await self._asked(self._client.list_tools(cursor=cursor))
            found += [_remote(tool) for tool in page.tools]
            cursor = page.next_cursor
            if not cursor or cursor in seen or len(found) >= MOST_TOOLS:
                break
            seen.add(cursor)
        return found[:MOST_TOOLS]

    async def call(self, tool: str, arguments: dict[str, Any]) -> ServerAnswer:
        # Not the client's own `call_tool`: it would check the answer by the server's schema.
        params = types.CallToolRequestParams(name=tool, arguments=arguments)
        request = types.CallToolRequest(params=params)
        result = await self._asked(self._client.session.send_request(request, _RESULT), sent=True)
        if isinstance(result, types.InputRequiredResult):
            raise ServerRefused("it wants to ask the person something, which is not supported here")
        # Judging what an answer says twice takes seconds for the worst ones.
        return await asyncio.to_thread(answer, result)

    async def _asked(self, request: Awaitable[T], *, sent: bool = False) -> T:
        if self._http is not None and not self._under_way:
            self._http.forget()
        self._under_way += 1
        try:
            return await request
        except MCPError as fault:
            if self._is_lost(fault):
                raise self._lost(fault.message, sent=sent) from None
            raise ServerRefused(fault.message) from None
        except ValidationError:
            raise ServerRefused("its answer is not what the protocol allows") from None
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            raise self._lost("the connection is closed", sent=sent) from None
        finally:
            self._under_way -= 1

    def _is_lost(self, fault: MCPError) -> bool:
        """Returns True when the connection is useless now; an HTTP session ends without notice."""
        by_http = self._http is not None and fault.message in _BY_STATUS
        return by_http or fault.code in _LOST or self.gone.is_set()

    def _lost(self, why: str, *, sent: bool) -> ServerGone:
        self.gone.set()
        if self._http is not None:
            # With several calls under way nobody can tell which request did not arrive.
            alone = self._under_way == 1
            if sent and alone and self._http.unheard and not self._http.doubtful:
                return ServerUnheard(why)
        return ServerGone(self._pipes.fault or why, sent=sent)


def _remote(tool: types.Tool) -> RemoteTool:
    hints = tool.annotations
    return RemoteTool(
        tool.name,
        tool.description or tool.title or "",
        tool.input_schema,
        reads=hints is not None and hints.read_only_hint is True,
        destroys=hints is not None and hints.destructive_hint is True,
        fault=fault_of(tool) or _needs_tasks(tool),
    )


def _needs_tasks(tool: types.Tool) -> str:
    execution = tool.execution
    required = execution is not None and execution.task_support == "required"
    return "it can only be called as a task, which is not supported here" if required else ""


@asynccontextmanager
async def connected(
    spec: ServerSpec, version: str, changed: Callable[[], None]
) -> AsyncGenerator[Connection]:
    """Starts or reaches a server; `changed` is called when the server says that its tools changed.

    A fault during the opening carries the server's last words as a note.
    """
    async with AsyncExitStack() as stack:
        yield await _opened(spec, version, changed, stack)


async def _opened(
    spec: ServerSpec, version: str, changed: Callable[[], None], stack: AsyncExitStack
) -> Connection:
    """Opens a connection; an address without streamable HTTP may speak the transport before it."""
    if spec.command:
        return await stack.enter_async_context(_speaking(spec, version, changed, None, None))
    http = _http_client(spec)
    streamable = _by_http(spec, http)
    try:
        return await stack.enter_async_context(_speaking(spec, version, changed, http, streamable))
    except (MCPError, ExceptionGroup):
        if not http.absent:
            raise
    _LOG.info("server %s answers %d: the older SSE is tried", spec.name, http.absent)
    older = _http_client(spec, streaming=True)
    events = sse_client(spec.url, httpx_client_factory=lambda *_, **__: older)
    try:
        return await stack.enter_async_context(_speaking(spec, version, changed, older, events))
    except (MCPError, httpx2.HTTPError, ExceptionGroup):
        raise ServerGone(
            f"its address answers with {http.absent}, and speaks neither streamable HTTP nor the "
            "older SSE: see that the url names the path of the server, often /mcp or /sse"
        ) from None


@asynccontextmanager
async def _speaking(
    spec: ServerSpec,
    version: str,
    changed: Callable[[], None],
    http: WatchedClient | None,
    streams: AbstractAsyncContextManager[Any] | None,
) -> AsyncGenerator[Connection]:
    """Speaks the protocol over these streams, or over the pipes of a process of its own."""

    async def heard(message: object) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            changed()

    gone = asyncio.Event()
    pipes = Pipes(spec, gone.set)
    client = Client(
        mended(streams or pipes.opened(), lambda: client.protocol_version),
        cache=None,
        client_info=types.Implementation(name="steward", version=version),
        message_handler=heard,
    )
    try:
        async with client:
            pipes.ready()
            listening = asyncio.create_task(_listen(client, changed), name=f"news of {spec.name}")
            try:
                yield Connection(client, gone, pipes, http)
            finally:
                listening.cancel()
                await asyncio.wait({listening})
    except BaseException as fault:
        if pipes.fault:
            fault.add_note(pipes.fault)
        raise


async def _listen(client: Client, changed: Callable[[], None]) -> None:
    """Asks for news of changes; servers of the newer protocol send it only on request."""
    offered = client.server_capabilities.tools
    if offered is None or not offered.list_changed:
        return
    try:
        async with client.listen(tools_list_changed=True) as subscription:
            async for _ in subscription:
                changed()
    except (ListenNotSupportedError, SubscriptionLost, MCPError, TimeoutError):
        return


def _http_client(spec: ServerSpec, *, streaming: bool = False) -> WatchedClient:
    """Returns a client; when `streaming` one answer lasts as long as the connection."""
    longest = max(spec.start_seconds, spec.call_seconds) + _SLACK_SECONDS
    reading = None if streaming else longest
    timeout = httpx2.Timeout(_HTTP_SECONDS, read=reading)
    return WatchedClient(headers=dict(spec.headers), timeout=timeout, verify=certificates())


@asynccontextmanager
async def _by_http(spec: ServerSpec, client: WatchedClient) -> AsyncGenerator[Any]:
    async with (
        client,
        streamable_http_client(
            spec.url, http_client=client, max_sse_event_size=LONGEST_LINE
        ) as streams,
    ):
        yield streams
