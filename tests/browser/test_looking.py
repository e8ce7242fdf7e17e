"""A page that looks again by itself: a new card is said, and the focus stays where it is."""

from collections.abc import Sequence
from typing import Any

import pytest
from selenium.webdriver import Chrome

from bot.adapters.web.pages.card_views import card_view
from bot.domain.value import replace
from tests.browser.chromium import sized
from tests.browser.driving import focused, spoken, waits_for
from tests.browser.site import Site
from tests.browser.states import STATES

_TEMPLATE, _VALUES = STATES["cards"]
_CARD = _VALUES["page"].waiting[0]


def cards(*ids: str) -> dict[str, Any]:
    """Returns the values of the page with these open cards."""
    frame = replace(_VALUES["frame"], waiting=len(ids))
    views = [card_view(replace(_CARD, id=id, title=f"Write {id}.md")) for id in ids]
    return {**_VALUES, "cards": views, "frame": frame}


@pytest.fixture
def page(browser: Chrome, site: Site) -> Chrome:
    sized(browser, 1280, 900)
    browser.get(site.show("cards", _TEMPLATE, **cards("one", "two")))
    return browser


def looks(browser: Chrome, site: Site, ids: Sequence[str]) -> None:
    """Has the page look again, and waits until it shows these cards."""
    site.parts["cards"] = site.renderer.fragment("cards_part.html", **cards(*ids))
    browser.execute_script("document.dispatchEvent(new Event('visibilitychange'))")
    shown = "return [...document.querySelectorAll('.card.open')].map((e) => e.id).join() === '{}'"
    waits_for(browser, shown.format(",".join(f"card-{id}" for id in ids)))


def test_a_new_card_is_said_without_stealing_the_focus(page: Chrome, site: Site) -> None:
    page.execute_script("document.getElementById('card-two').focus()")
    looks(page, site, ("one", "two", "new"))
    spoken(page, "A card waits: Write new.md. Press j.")
    assert focused(page) == "card-two"
    waits_for(page, "return document.querySelector('.waits').textContent.startsWith('3')")
    # Within a card it stays at its very place.
    key = page.execute_script("const e = document.querySelector('#card-two [id]'); return e.id")
    page.execute_script("document.getElementById(arguments[0]).focus()", key)
    looks(page, site, ("two", "new"))
    assert focused(page) == key
    # A card that was there is not said again.
    spoken(page, "Write new.md.")
    # Its place is gone: the focus stands at the content, not at the top of the page.
    looks(page, site, ("new",))
    assert focused(page) == "main"


def test_whoever_is_elsewhere_on_the_page_stays_there(page: Chrome, site: Site) -> None:
    page.execute_script("document.querySelector('nav a[href=\"/now\"]').focus()")
    looks(page, site, ("one", "two", "new"))
    spoken(page, "A card waits: Write new.md.")
    assert page.execute_script("return document.activeElement.getAttribute('href')") == "/now"
