"""Servers over HTTP that are cut off, that say too much, and that break the protocol."""

import asyncio
import gzip
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from mcp.server import MCPServer
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.domain.talk.errors import OutcomeUnknown, ToolFailure
from tests.adapters.mcp.conftest import Make
from tests.standins.serving import serving


class Far:
    """A server somewhere else: its calls are counted, and one of them never comes to an end."""

    def __init__(self, *, streaming: bool) -> None:
        self.begun = asyncio.Event()
        self.calls = 0
        self._server = server = MCPServer("far")

        @server.tool()
        async def hold() -> str:
            self.calls += 1
            self.begun.set()
            await asyncio.Event().wait()
            return "never"

        @server.tool()
        async def shout() -> str:
            self.calls += 1
            return "x" * 6_000_000

        @server.tool()
        async def echo(text: str) -> str:
            return text

        self._app = server.streamable_http_app(json_response=not streaming)

    @asynccontextmanager
    async def served(self) -> AsyncGenerator[tuple[str, AsyncExitStack]]:
        """Where it is served, and the stack whose end cuts everyone off."""
        async with self._server.session_manager.run(), AsyncExitStack() as stack:
            url = await stack.enter_async_context(serving(self._app))
            yield f"{url}/mcp", stack


@pytest.fixture(params=["stream", "json"])
def far(request: pytest.FixtureRequest) -> Far:
    return Far(streaming=request.param == "stream")


async def test_a_call_cut_off_may_have_happened_and_is_not_made_again(
    bench: Make, far: Far
) -> None:
    async with far.served() as (url, stack):
        one = bench(command=(), url=url)
        tool = (await one.tools())["nasty__hold"]
        call = asyncio.create_task(tool.run({}, one.place, None))
        await far.begun.wait()
        await stack.aclose()
        with pytest.raises(OutcomeUnknown, match="nasty ended during this call"):
            await call
    assert far.calls == 1


async def test_an_answer_without_an_end_is_not_taken_in(bench: Make, far: Far) -> None:
    async with far.served() as (url, _):
        one = bench(command=(), url=url)
        with pytest.raises(ToolFailure):
            await one.run("shout")
        assert far.calls == 1
        assert (await one.run("echo", text="still there")).text == "still there"


async def _careless(request: Request) -> Response:
    """A server that lists one tool without the schema every tool must have."""
    message = await request.json()
    if "id" not in message:
        return Response(status_code=202)
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    match message["method"]:
        case "initialize":
            about = {"name": "careless", "version": "1"}
            offered = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
            return JSONResponse({**answer, "result": {**offered, "serverInfo": about}})
        case "tools/list":
            tools = [{"name": "bare"}, {"name": "good", "inputSchema": {"type": "object"}}]
            return JSONResponse({**answer, "result": {"tools": tools}})
        case _:
            unknown = {"code": -32601, "message": "unknown method"}
            return JSONResponse({**answer, "error": unknown}, status_code=404)


async def test_a_tool_against_the_protocol_is_left_out_alone_over_http_too(bench: Make) -> None:
    async with serving(Starlette(routes=[Route("/mcp", _careless, methods=["POST"])])) as url:
        one = bench(command=(), url=f"{url}/mcp")
        assert list(await one.tools()) == ["nasty__good"]
        (condition,) = await one.servers.condition([one.spec])
        assert condition.left_out == ("bare: against the protocol, inputSchema: Field required",)


async def _packing(request: Request) -> Response:
    """A server whose answers are small on their way, whatever the client takes."""
    answer = await _careless(request)
    headers = {"content-type": "application/json", "content-encoding": "gzip"}
    return Response(gzip.compress(bytes(answer.body)), answer.status_code, headers)


async def test_an_answer_that_is_packed_is_not_unpacked(bench: Make) -> None:
    async with serving(Starlette(routes=[Route("/mcp", _packing, methods=["POST"])])) as url:
        one = bench(command=(), url=f"{url}/mcp")
        assert not await one.tools()
        (condition,) = await one.servers.condition([one.spec])
        assert "packed" in condition.state


async def test_a_server_of_the_older_transport_is_spoken_to(bench: Make) -> None:
    server = MCPServer("old")
    calls: list[str] = []

    @server.tool()
    async def echo(text: str) -> str:
        calls.append(text)
        return text

    async with serving(server.sse_app()) as url:
        one = bench(command=(), url=f"{url}/sse")
        assert (await one.run("echo", text="hello")).text == "hello"
        assert (await one.run("echo", text="again")).text == "again"
        async with one.servers:
            pass
    assert calls == ["hello", "again"]


async def test_an_address_where_nothing_speaks_the_protocol_is_told_in_a_sentence(
    bench: Make,
) -> None:
    async with serving(Starlette()) as url:
        one = bench(command=(), url=f"{url}/nowhere")
        assert not await one.tools()
        (condition,) = await one.servers.condition([one.spec])
        assert condition.state.startswith(
            "failed: its address answers with 404, and speaks neither streamable HTTP nor the older"
        )
