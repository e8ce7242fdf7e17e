"""Every tool of the house is lent by a room or by the world, and has its entry."""

from collections.abc import Mapping
from pathlib import Path

from bot.adapters.media.media_reader import MediaReader
from bot.adapters.tools.catalog import world_tools
from bot.adapters.tools.command import RunCommand
from bot.adapters.tools.reading_files import reading_tools
from bot.adapters.tools.sandbox import Sandbox
from bot.adapters.tools.web import web_tools
from bot.adapters.tools.writing_files import writing_tools
from bot.adapters.web_pages.web_pages import Reach, WebPages
from bot.adapters.web_search.searxng import SearXNG
from bot.domain.consent.own_search import OwnSearch
from bot.domain.money.provider import OWN_SEARCHES
from bot.domain.talk.limits import Limits, ReadingBounds, WebBounds
from bot.domain.tools.house import HOUSE, WEB_SEARCH
from bot.flow.models.tool_finding import FIND_TOOLS, USE_TOOL
from bot.ports.tool import Tool
from tests.fakes.clock import FakeClock
from tests.fakes.model import ScriptedModel
from tests.fakes.store import MemoryStore
from tests.scenarios.stage import Stage

OWN = {provider: OwnSearch("$10") for provider in OWN_SEARCHES}


def _all(limits: Limits) -> Mapping[str, Tool]:
    """Returns every tool of a program in which everything is set up, as models see them."""
    pages = WebPages(WebBounds(), Reach())
    lent = world_tools(
        FakeClock(),
        spool=Path("/nowhere"),
        reading=reading_tools(MemoryStore().ledger),
        writing=writing_tools(),
        run_command=RunCommand(Sandbox(program=None)),
        web=web_tools(pages, MediaReader(ReadingBounds()), None, OWN),
    )
    scene = Stage(ScriptedModel(), lent, limits)
    return {tool.spec.name: tool for tool in scene.application.parts.rooms.tools}


def test_models_see_the_tools_in_the_order_of_their_entries() -> None:
    finding = {FIND_TOOLS, USE_TOOL}
    assert [*_all(Limits())] == [name for name in HOUSE if name not in finding]
    assert finding < HOUSE.keys()


def test_a_service_that_was_set_comes_before_the_searches_of_providers() -> None:
    reader, service = MediaReader(ReadingBounds()), SearXNG("http://x")
    (tool,) = web_tools(None, reader, service, OWN)
    assert tool.spec.name == WEB_SEARCH
    assert not tool.spec.hosted


def test_a_program_without_errands_lends_no_tool_for_them() -> None:
    assert _all(Limits()).keys() - _all(Limits(errands=0)).keys() == {"delegate"}
