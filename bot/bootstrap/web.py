"""Builds the tools that look at the web as the settings want them."""

from collections.abc import Sequence

from bot.domain.tools.house import WEB_FETCH, WEB_SEARCH
from bot.ports.tool import Tool
from bot.ports.web import PageReader, Search
from bot.settings import Settings

_SERVICES = "brave, tavily, searxng, or anthropic for Claude's own search"


def tools_for_the_web(settings: Settings, reader: PageReader) -> Sequence[Tool]:
    web = settings.web
    if not web.fetch and settings.search is None:
        return ()
    # Only a run that looks at the web loads what fetches and reads pages.
    from bot.adapters.tools.web import web_tools
    from bot.adapters.web_pages.web_pages import Reach, WebPages

    reach = Reach(frozenset(web.hosts), frozenset(web.denied))
    pages = WebPages(web.bounds, reach) if web.fetch else None
    access = settings.search
    hosted = access is not None and access.service == "anthropic" and not access.fault
    return web_tools(pages, reader, search(settings), hosted=hosted)


def search(settings: Settings) -> Search | None:
    """Returns the service that searches; None where none is set, or its setting is not whole."""
    access = settings.search
    if access is None or access.fault:
        return None
    # Only a run that searches loads the services.
    from bot.adapters.web_search import brave, searxng, tavily

    key = access.key.get_secret_value() if access.key is not None else ""
    match access.service:
        case "brave":
            return brave.Brave(key, access.url or brave.URL)
        case "tavily":
            return tavily.Tavily(key, access.url or tavily.URL)
        case "searxng":
            return searxng.SearXNG(access.url or "")
        case "anthropic":
            return None


def missing(settings: Settings) -> Sequence[str]:
    """Returns a sentence for each tool that a setting would add."""
    told: list[str] = []
    if not settings.web.fetch:
        told.append(f"`{WEB_FETCH}`: `STEWARD_WEB=true` lets me read pages of the web")
    if settings.search is None:
        told.append(f"`{WEB_SEARCH}`: set `STEWARD_SEARCH` to {_SERVICES}")
    elif settings.search.fault:
        told.append(f"`{WEB_SEARCH}`: `{settings.search.fault}` is not set")
    return told
