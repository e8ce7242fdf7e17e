"""A workspace on the real disk, and the house's tools in it."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.media.media_reader import MediaReader
from bot.adapters.tools.catalog import world_tools
from bot.adapters.tools.command import RunCommand
from bot.adapters.tools.reading_files import reading_tools
from bot.adapters.tools.sandbox import Sandbox
from bot.adapters.tools.sent_files import SentFiles
from bot.adapters.tools.web import web_tools
from bot.adapters.tools.writing_files import writing_tools
from bot.adapters.web_pages.web_pages import Reach, WebPages
from bot.adapters.web_search.searxng import SearXNG
from bot.domain.talk.limits import ReadingBounds, WebBounds
from bot.domain.tools.house import place_of
from bot.domain.tools.tool import ToolOutput
from bot.domain.turn.mandate import PERSONAL
from bot.flow.log.tools import conversation_tools
from bot.flow.plans.tools import SubmitPlanTool
from bot.ports.tool import Place, Tool
from tests.fakes.clock import FakeClock
from tests.fakes.store import MemoryStore

Run = Callable[..., Awaitable[ToolOutput]]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the workspace with a file nobody may reach."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret").write_text("canary")
    return folder


@pytest.fixture
def place(workspace: Path) -> Place:
    zone = "Europe/Berlin"
    return Place(workspace, 1, "turn", "conversation", 1, zone, "call", mandate=PERSONAL)


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def tools(tmp_path: Path, store: MemoryStore) -> dict[str, Tool]:
    sent = SentFiles(store.received, store.journal, FakeClock())
    made = world_tools(
        FakeClock(),
        tmp_path / "spool",
        reading=reading_tools(store.ledger, sent=sent),
        writing=writing_tools(keep=1_000_000),
        run_command=RunCommand(Sandbox(), sent=sent),
        web=web_tools(
            WebPages(WebBounds(), Reach()), MediaReader(ReadingBounds()), SearXNG("http://x")
        ),
    )
    made = (
        *made,
        *conversation_tools(store.chats, store.journal, store.plans.live),
        SubmitPlanTool(),
    )
    named = {tool.spec.name: tool for tool in made}
    return {name: named[name] for name in sorted(named, key=place_of)}


@pytest.fixture
def run(tools: dict[str, Tool], place: Place) -> Run:
    async def run(name: str, *, seen: str | None = None, **arguments: Any) -> ToolOutput:
        tools[name].check(arguments)
        return await tools[name].run(arguments, place, seen)

    return run
