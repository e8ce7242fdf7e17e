"""The layout holds: nothing scrolls sideways, nothing jumps while an answer grows."""

import pytest
from selenium.webdriver import Chrome

from tests.browser import samples
from tests.browser.chromium import sized
from tests.browser.driving import drawn, waits_for
from tests.browser.looking import sticking_out
from tests.browser.site import Site
from tests.browser.states import STATES

_WATCH = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) window.shifts.push(
    [one.value, one.sources.map((s) => s.node && (s.node.outerHTML || s.node.data).slice(0, 120))]);
}).observe({type: "layout-shift", buffered: false});
"""


@pytest.mark.parametrize("state", STATES)
def test_nothing_scrolls_sideways(browser: Chrome, site: Site, state: str) -> None:
    browser.get(f"{site.address}/{state}")
    assert sticking_out(browser) == {}


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_jumps_while_an_answer_grows(browser: Chrome, site: Site, width: int) -> None:
    sized(browser, width, 800)
    browser.get(f"{site.address}/long")
    site.listened()
    browser.execute_script(_WATCH)
    text = ""
    for n in range(40):
        text += f"Word{n} and others word{n}. " + ("" if n % 8 else "\n\n")
        site.drafts(text)
        drawn(browser, f"word{n}.")
    site.tells(samples.answer(50, text, turn="t-9"))
    waits_for(browser, "return document.getElementById('m-o50') !== null")
    drawn(browser)
    assert browser.execute_script("return window.shifts") == []
    bottom = "const e = document.querySelector('.log'); return e.scrollTop"
    assert browser.execute_script(bottom) == 0


def test_a_reader_of_old_messages_stays_where_they_are(browser: Chrome, site: Site) -> None:
    sized(browser, 1280, 800)
    browser.get(f"{site.address}/long")
    site.listened()
    browser.execute_script("document.querySelector('.log').scrollTop = -700")
    place = "return document.querySelectorAll('.text p')[20].getBoundingClientRect().top"
    before = browser.execute_script(place)
    site.drafts("One.\n\nTwo.\n\nThree.\n\nFour.")
    drawn(browser, "Four.")
    assert abs(browser.execute_script(place) - before) < 2


@pytest.mark.parametrize("height", [400, 900])
def test_a_chat_opens_at_its_newest_message(browser: Chrome, site: Site, height: int) -> None:
    sized(browser, 800, height)
    browser.get(f"{site.address}/long")
    seen = browser.execute_script(
        "const r = document.getElementById('m-i1').getBoundingClientRect();"
        "return r.top >= 0 && r.bottom <= innerHeight"
    )
    assert seen


def test_targets_are_large_enough(browser: Chrome, site: Site) -> None:
    """At least 24 px on a desk; what decides has 44 px on a phone."""
    for width, least in ((390, 24), (1280, 24)):
        sized(browser, width, 844)
        browser.get(f"{site.address}/chat")
        small = browser.execute_script(
            "return [...document.querySelectorAll('button, summary, nav a, .key')]"
            ".filter((e) => e.checkVisibility() && !e.closest('[popover], .off'))"
            ".map((e) => [e.getBoundingClientRect().height, e.outerHTML.slice(0, 120)])"
            ".filter(([height]) => height < arguments[0])",
            least,
        )
        assert small == []
    sized(browser, 390, 844)
    keys = browser.execute_script(
        "return [...document.querySelectorAll('.card.open .key')]"
        ".filter((e) => e.checkVisibility())"
        ".map((e) => e.getBoundingClientRect().height)"
    )
    assert len(keys) >= 8
    assert min(keys) >= 44
