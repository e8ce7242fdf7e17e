"""Tool servers over a folder of the test; the processes they start are gone when it is over."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from bot.adapters.mcp.servers import ToolServers
from bot.domain.tools.server import ServerSpec
from bot.domain.tools.tool import ToolOutput
from bot.domain.turn.mandate import PERSONAL
from bot.ports.tool import Place, Tool
from tests.patience import PATIENCE

SERVER = Path(__file__).parents[2] / "standins" / "tool_server.py"


class Bench:
    """Servers with a chat that wants some of them."""

    def __init__(self, folder: Path, spec: ServerSpec) -> None:
        self.folder = folder
        self.spec = spec
        self.servers = ToolServers(folder / "listings", folder / "spool")
        self.place = Place(folder, 1, "turn", "conversation", 1, "UTC", "call", mandate=PERSONAL)

    async def tools(self, *wanted: ServerSpec, chat: int = 1) -> Mapping[str, Tool]:
        found = await self.servers.tools(chat, wanted or (self.spec,))
        return {tool.spec.name: tool for tool in found}

    async def run(self, name: str, **arguments: Any) -> ToolOutput:
        """One call of a tool of the server, as the loop makes it."""
        tool = (await self.tools())[f"{self.spec.name}__{name}"]
        tool.check(arguments)
        return await tool.run(arguments, self.place, None)

    def noted(self, name: str) -> Sequence[str]:
        """What the stand-in noted: its starts, or its calls."""
        file = self.folder / name
        return file.read_text().split() if file.exists() else []


async def eventually(condition: Callable[[], Awaitable[bool]], within: float = PATIENCE) -> None:
    """Waits for what only another process brings about."""
    until = asyncio.get_running_loop().time() + within
    while not await condition():
        assert asyncio.get_running_loop().time() < until, "it never came true"
        # Nobody tells when a process ends that is not a child of ours.
        await asyncio.sleep(0.01)


Make = Callable[..., Bench]


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Make]:
    made: list[Bench] = []

    def make(manner: str = "", **spec: Any) -> Bench:
        command = (sys.executable, "-S", str(SERVER), str(tmp_path), manner)
        made.append(Bench(tmp_path, ServerSpec("nasty", **{"command": command, **spec})))
        return made[-1]

    # A fork server that an earlier test of this process has started stays to the end of all.
    before = set(psutil.Process().children(recursive=True))
    yield make
    for one in made:
        async with one.servers:
            pass
    started = set(psutil.Process().children(recursive=True)) - before
    assert [p for p in started if "python" in p.name()] == [], "a server outlived its end"
