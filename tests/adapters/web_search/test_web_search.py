"""Searching by each service, against stand-ins that refuse what the real ones refuse."""

from collections.abc import Callable

import pytest

from bot.adapters.web_search.brave import Brave
from bot.adapters.web_search.searxng import SearXNG
from bot.adapters.web_search.tavily import Tavily
from bot.domain.talk.errors import ToolFailure
from bot.ports.web import Search, WebHit
from tests.standins.searching import KEY, SearchServices
from tests.standins.serving import serving

FOUND = (
    {"title": "Ships", "url": "https://ships.example/1", "words": "All about ships."},
    {"title": "Bad", "url": "javascript:alert(1)", "words": "no"},
)
MAKERS: list[Callable[[str], Search]] = [
    lambda url: Brave(KEY, url),
    lambda url: Tavily(KEY, url),
    SearXNG,
]


@pytest.mark.parametrize("maker", MAKERS)
async def test_a_search_returns_hits_with_an_address_of_the_web(
    maker: Callable[[str], Search],
) -> None:
    services = SearchServices(FOUND)
    async with serving(services.app) as url:
        assert list(await maker(url).search("ships")) == [
            WebHit("Ships", "https://ships.example/1", "All about ships.")
        ]
        services.limited = True
        with pytest.raises(ToolFailure, match="too many searches"):
            await maker(url).search("ships")
    assert services.queries == ["ships"]


@pytest.mark.parametrize("maker", MAKERS)
async def test_a_service_that_is_down_is_one_sentence(maker: Callable[[str], Search]) -> None:
    with pytest.raises(ToolFailure, match="is not reached: nothing answers there"):
        await maker("http://127.0.0.1:1").search("ships")


@pytest.mark.parametrize(
    "maker", [lambda url: Brave("wrong", url), lambda url: Tavily("wrong", url)]
)
async def test_a_wrong_key_names_the_setting_and_not_the_key(
    maker: Callable[[str], Search],
) -> None:
    async with serving(SearchServices().app) as url:
        with pytest.raises(ToolFailure, match="STEWARD_SEARCH_KEY") as fault:
            await maker(url).search("ships")
    assert "wrong" not in str(fault.value)


async def test_a_searxng_that_gives_no_json_says_what_to_change() -> None:
    async with serving(SearchServices(json_allowed=False).app) as url:
        with pytest.raises(ToolFailure, match="must allow the format json"):
            await SearXNG(url).search("ships")


async def test_a_query_of_many_words_is_cut_for_brave() -> None:
    services = SearchServices(FOUND)
    async with serving(services.app) as url:
        await Brave(KEY, url).search("a " * 150)
    assert len(services.queries[0].split()) == 50
