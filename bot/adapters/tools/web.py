"""The tools that look at the web: web_fetch and web_search."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import Field

from bot.adapters.tools.page_cache import FetchedPage, PageCache
from bot.domain.consent.own_search import OwnSearch
from bot.domain.money.provider import OWN_SEARCHES
from bot.domain.talk.errors import InvalidArguments, ToolFailure
from bot.domain.talk.message import CodeBlock, Plain
from bot.domain.talk.picture import ImagePart
from bot.domain.talk.reach import Reach
from bot.domain.text.visible_text import one_line, visible
from bot.domain.tools.house import SEARCH_ASKERS, WEB_FETCH, WEB_SEARCH
from bot.domain.tools.origin import site_of
from bot.domain.tools.tool import Effect, ExactRule, Preview, ToolOutput, ToolSpec
from bot.ports.arguments_tool import Arguments, ArgumentsTool, Text
from bot.ports.attachments import DocumentText, NotRead, Reading
from bot.ports.tool import Place, Seen, Tool
from bot.ports.web import PageReader, Pages, Search, WebHit, WebPage

_PAGE_CHARACTERS = 20_000
"""Characters of a page in one result."""

_MOST_HITS = 8
_MOST_WORDS = 400
_HTML = ("text/html", "application/xhtml+xml")
_FEEDS = ("rss+xml", "atom+xml", "rdf+xml")
_SECONDS = 75.0
"""Seconds of a fetch and of reading what came."""


class FetchArguments(Arguments):
    url: Annotated[Text, Field(min_length=1, description="An http(s) address.")]
    offset: Annotated[int | None, Field(ge=0, description="First character.")] = None


class WebFetch(ArgumentsTool[FetchArguments]):
    """Reads a page of the web; what comes is foreign."""

    name = WEB_FETCH
    summary = "read a page of the web; may ask first after I read something that you did not write"
    description = (
        "Read a public web page, feed, PDF, text or picture by its address. Long ones come in "
        "pages: go on with offset."
    )
    takes = FetchArguments

    def __init__(self, pages: Pages, reader: PageReader) -> None:
        self._pages = pages
        self._reader = reader
        self._cache = PageCache()

    def completed(self, spec: ToolSpec) -> ToolSpec:
        private = self._pages.places
        return replace(spec, timeout_s=_SECONDS, tells="url", private=private)

    def check(self, arguments: Mapping[str, Any]) -> None:
        """Refuses an address that nobody can fetch before anybody is asked about it."""
        super().check(arguments)
        try:
            self._pages.address(str(arguments["url"]))
        except ToolFailure as fault:
            raise InvalidArguments(f"url: {fault}") from None

    async def foresee(self, arguments: FetchArguments, place: Place, exact: ExactRule) -> Preview:
        seen = await super().foresee(arguments, place, exact)
        address = self._pages.address(arguments.url)
        return Preview(
            seen.title,
            seen.subject,
            Effect.WRITE,
            (CodeBlock(visible(address)),),
            reach=Reach.TALK,
            why="The address may carry away what was said or read here",
        )

    async def perform(self, arguments: FetchArguments, place: Place, seen: Seen) -> ToolOutput:
        address = self._pages.address(arguments.url)
        page = await self._cache.of(
            (place.chat, place.turn, address), lambda: self._fetched(address)
        )
        text = page.text
        start = arguments.offset or 0
        if start >= len(text) and start:
            raise ToolFailure(f"the page has {len(text)} characters; there is none at {start}")
        part = text[start : start + _PAGE_CHARACTERS]
        end = start + len(part)
        more = f"; go on with offset={end}" if end < len(text) else ""
        bounds = f"Characters {start}-{end} of {len(text)}{more}." if start or more else ""
        told = f"{bounds}\n\n{part}" if bounds else part
        return ToolOutput(
            told,
            untrusted=f"the web page {one_line(address, 80)}",
            # A page that led elsewhere may have written the address where it ended.
            origin=site if (site := site_of(page.address)) == site_of(address) else None,
            pictures=() if page.picture is None or start else (page.picture,),
        )

    async def _fetched(self, address: str) -> FetchedPage:
        page = await self._pages.fetch(address)
        reading = await self._reading(page)
        told = [f"Arrived at: {page.address}"] if page.address != address else []
        match reading:
            case DocumentText(text=text, note=note):
                told += [f"Last modified: {page.modified}"] if page.modified else []
                told += [f"Note: {note}"] if note else []
                whole = "\n\n".join(["\n".join(told), text]) if told else text
                return FetchedPage(page.address, whole)
            case NotRead(why=why):
                raise ToolFailure(f"the page {why}")
            case ImagePart() as picture:
                return FetchedPage(page.address, "\n".join([*told, "It is a picture."]), picture)

    async def _reading(self, page: WebPage) -> Reading:
        if not page.body.strip():
            return NotRead("is empty")
        text_like = b"\0" not in page.body[:1000] and not page.body.startswith(b"%PDF-")
        if text_like and (page.kind in _HTML or page.kind.endswith(_FEEDS) or _is_page(page)):
            return await self._reader.read_page(page.body, page.address, page.charset)
        return await self._reader.read(page.body, page.address.partition("?")[0])


class SearchArguments(Arguments):
    query: Annotated[Text, Field(min_length=1, max_length=300, description="A few words.")]


class WebSearch(ArgumentsTool[SearchArguments]):
    """Searches the web by the service that the operator named; what comes is foreign."""

    name = WEB_SEARCH
    summary = "search the web"
    description = "Search the web. Read what you build on with web_fetch, and name its address."
    takes = SearchArguments

    def __init__(self, search: Search) -> None:
        self._search = search

    async def perform(self, arguments: SearchArguments, place: Place, seen: Seen) -> ToolOutput:
        hits = (await self._search.search(" ".join(arguments.query.split())))[:_MOST_HITS]
        source = f"a web search by {self._search.name}"
        if not hits:
            return ToolOutput("Nothing was found. Try other words.", untrusted=source)
        return ToolOutput("\n\n".join(map(_told, hits)), untrusted=source)


class HostedSearch(ArgumentsTool[SearchArguments]):
    """A search that the model's own provider makes during a reply, where the profile has it."""

    name = WEB_SEARCH
    summary = "search the web, by the model's own provider"
    description = "Search the web."
    takes = SearchArguments

    def __init__(self, providers: frozenset[str]) -> None:
        self._providers = providers

    def completed(self, spec: ToolSpec) -> ToolSpec:
        return replace(spec, hosted=self._providers)

    async def perform(self, arguments: SearchArguments, place: Place, seen: Seen) -> ToolOutput:
        raise ToolFailure("this model's provider has no search; use what is known, or web_fetch")


class SwitchOnArguments(Arguments):
    pass


class SwitchOnSearch(ArgumentsTool[SwitchOnArguments]):
    """Asks an owner, once, to switch on the search of a provider; the card keeps the answer."""

    summary = "ask you to switch the search of the web on"
    effect = Effect.DANGER
    takes = SwitchOnArguments

    def __init__(self, price: str) -> None:
        self._provider = SEARCH_ASKERS[self.name]
        self._who = OWN_SEARCHES[self._provider]
        self._price = price
        self.description = (
            "The search of the web is off. Call this when the answer needs the web: news, prices, "
            "opening times, whatever may have changed. An owner is asked once, with the price; "
            "after a yes you search at once. After a no, answer with what you know, and say so."
        )

    def completed(self, spec: ToolSpec) -> ToolSpec:
        return replace(spec, switches=self._provider)

    async def foresee(
        self, arguments: SwitchOnArguments, place: Place, exact: ExactRule
    ) -> Preview:
        title = f"Search the web with {self._who}?"
        price = f"{self._price}, on top of the tokens. It stays on for everybody here"
        return Preview(
            title,
            f"Search the web with {self._who}",
            Effect.DANGER,
            (Plain(f"{price}; /tools search off switches it off."),),
            reach=Reach.BEYOND,
            done=f"Web search with {self._who} is on",
            at_once=True,
        )

    async def perform(
        self, arguments: SwitchOnArguments, place: Place, seen: str | None
    ) -> ToolOutput:
        return ToolOutput("The search is on from now on. Search, then answer the person.")


class SearchWithClaude(SwitchOnSearch):
    name = "search_with_claude"


class SearchWithOpenAI(SwitchOnSearch):
    name = "search_with_openai"


def _is_page(page: WebPage) -> bool:
    """Recognises a page or a feed whose server names no kind, or names plain XML."""
    head = page.body[:1000].lstrip().lower()
    if page.kind in ("", "application/octet-stream"):
        return head.startswith((b"<!doctype html", b"<html"))
    return page.kind in ("application/xml", "text/xml") and any(
        mark in head for mark in (b"<rss", b"<feed", b"<html", b"<rdf:rdf")
    )


def _told(hit: WebHit) -> str:
    words = one_line(" ".join(hit.words.split()), _MOST_WORDS)
    first = one_line(" ".join(hit.title.split()) or "Untitled", 200)
    date = f" ({one_line(hit.date, 40)})" if hit.date else ""
    return "\n".join(line for line in (f"{first}{date}", hit.address, words) if line)


def web_tools(
    pages: Pages | None,
    reader: PageReader,
    search: Search | None,
    own: Mapping[str, OwnSearch] = MappingProxyType({}),
) -> tuple[Tool, ...]:
    """Returns the tools that this installation has.

    A service that was set comes before the `own` searches of providers.
    """
    fetch = (WebFetch(pages, reader),) if pages is not None else ()
    if search is not None:
        return (*fetch, WebSearch(search))
    if not own:
        return fetch
    asking = (
        kind(search_of.price)
        for kind in (SearchWithClaude, SearchWithOpenAI)
        if (search_of := own.get(SEARCH_ASKERS[kind.name])) is not None and not search_of.on
    )
    return (*fetch, HostedSearch(frozenset(own)), *asking)
