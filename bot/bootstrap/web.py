"""Builds the tools that look at the web as the settings want them."""

from collections.abc import Mapping, Sequence

from bot.domain.consent.own_search import OwnSearch
from bot.domain.money.provider import ANTHROPIC, OPENAI, OWN_SEARCHES
from bot.domain.tools.house import WEB_FETCH, WEB_SEARCH
from bot.ports.tool import Tool
from bot.ports.web import PageReader, Search
from bot.settings import Settings
from bot.shipped.model_table import model_table

_SERVICES = "brave, tavily, searxng, or anthropic or openai for the model's own search"


def tools_for_the_web(settings: Settings, reader: PageReader) -> Sequence[Tool]:
    web, own = settings.web, own_searches(settings)
    if not (web.fetch or settings.search or own):
        return ()
    # Only a run that looks at the web loads what fetches and reads pages.
    from bot.adapters.tools.web import web_tools
    from bot.adapters.web_pages.web_pages import Reach, WebPages

    reach = Reach(frozenset(web.hosts), frozenset(web.denied))
    pages = WebPages(web.bounds, reach) if web.fetch else None
    return web_tools(pages, reader, search(settings), own)


def own_searches(settings: Settings) -> Mapping[str, OwnSearch]:
    """Returns the searches of providers with a key; none where another service searches."""
    service = settings.search.service if settings.search is not None else ""
    if (service and service not in OWN_SEARCHES) or not (settings.web.fetch or service):
        return {}
    keys = {ANTHROPIC: settings.anthropic.key, OPENAI: settings.openai.key}
    return {
        provider: OwnSearch(_price(provider), provider == service)
        for provider, key in keys.items()
        if key is not None or provider == service
    }


def _price(provider: str) -> str:
    """Returns the price of the provider's searches, as far as the program knows it."""
    tables = (one for name, one in model_table().items() if name.startswith(f"{provider}/"))
    dollars = max(one["price"].get("search", 0) for one in tables)
    return f"${dollars:g} for 1,000 searches"


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
        case "anthropic" | "openai":
            return None


def missing(settings: Settings) -> Sequence[str]:
    """Returns a sentence for each tool that a setting would add."""
    told: list[str] = []
    if not settings.web.fetch:
        told.append(f"`{WEB_FETCH}`: `STEWARD_WEB=true` lets me read pages of the web")
    if settings.search is None and not own_searches(settings):
        told.append(f"`{WEB_SEARCH}`: set `STEWARD_SEARCH` to {_SERVICES}")
    elif settings.search is not None and settings.search.fault:
        told.append(f"`{WEB_SEARCH}`: `{settings.search.fault}` is not set")
    return told
