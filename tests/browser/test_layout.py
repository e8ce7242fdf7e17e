"""The layout holds: nothing scrolls sideways, nothing jumps while an answer grows."""

from typing import Any

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from bot.adapters.web.pages.card_views import card_view
from bot.domain.value import replace
from tests.browser import samples
from tests.browser.chromium import sized
from tests.browser.driving import drawn, waits_for
from tests.browser.looking import sticking_out
from tests.browser.site import Site
from tests.browser.states import STATES

_WATCH = """
window.shifts = [];
// What is drawn beside an element has no node of its own.
const told = ({node, previousRect, currentRect}) => node
  ? (node.outerHTML || node.data).slice(0, 120) : JSON.stringify([previousRect, currentRect]);
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) window.shifts.push([one.value, one.sources.map(told)]);
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


def _more(**values: Any) -> dict[str, Any]:
    """Returns the values of a page with one card more, or with one answer more under way."""
    page, frame = values["page"], replace(values["frame"], waiting=12)
    if "cards" in values:
        new = replace(page.waiting[0], id="c2", title="New one")
        return {**values, "frame": frame, "cards": [*values["cards"], card_view(new)]}
    run = replace(page.runs[0], turn="t2", name="New one")
    return {**values, "frame": frame, "page": replace(page, runs=(*page.runs, run))}


def _shifts(browser: Chrome) -> list[Any]:
    """Returns what has moved by itself since somebody watches."""
    drawn(browser)
    return browser.execute_script("return window.shifts")


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 900)])
def test_nothing_jumps_when_a_card_comes_and_the_list_and_the_side_change(
    browser: Chrome, site: Site, width: int, height: int
) -> None:
    sized(browser, width, height)
    none = replace(samples.FRAME, waiting=0)
    here = samples.CHATS[0]
    values = samples.chat_values(
        frame=none,
        chats=(*samples.CHATS[1:], replace(here, waiting=0)),
        seen=replace(samples.SEEN, waits=()),
        messages=samples.MESSAGES[:3],
    )
    site.pages["chat"] = site.renderer.page("chat.html", **values)
    browser.get(f"{site.address}/chats")
    path = "return document.querySelector('#chats [aria-current]').getAttribute('href')"
    browser.get(f"{site.address}{browser.execute_script(path)}")
    site.listened()
    browser.execute_script(_WATCH)
    lines = tuple(f"Line {n}" for n in range(9))
    seen = replace(samples.SEEN, lines=lines)
    site.parts["side"] = site.renderer.fragment("side.html", **samples.chat_values(seen=seen))
    site.tells(samples.steward(8, samples.CARD, 0, press=True), "8")
    site.says("waiting", "1")
    waits_for(browser, "return document.querySelector('#card-o8.open')")
    # The conversation moves to the top of the list, and the side has more lines.
    first = "return document.querySelector('#chats .title').textContent === arguments[0]"
    waits_for(browser, first, here.title)
    if width == 1280:
        waits_for(browser, "return document.getElementById('side').innerText.includes('Line 8')")
    assert _shifts(browser) == []


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 900)])
def test_the_field_stays_where_it_is_while_notes_above_it_come_and_go(
    browser: Chrome, site: Site, width: int, height: int
) -> None:
    sized(browser, width, height)
    browser.get(f"{site.address}/long")
    site.listened()
    browser.execute_script(_WATCH)
    place = (
        "const r = document.getElementById('say').getBoundingClientRect(); return [r.top, r.left]"
    )
    before = browser.execute_script(place)
    shown = "return !document.getElementById(arguments[0]).hidden"

    def stays() -> bool:
        # The box around the field grows upwards, as the words above it do with an answer.
        others = [one for _, sources in _shifts(browser) for one in sources]
        assert all(one.startswith('<div class="write">') for one in others), others
        return browser.execute_script(place) == before

    site.says("told", "This card does not wait any more. Nothing was done. " * 3)
    waits_for(browser, shown, "told")
    assert stays()
    site.down = True
    site.cut()
    waits_for(browser, shown, "lost")
    assert stays()
    site.down = False
    browser.find_element(By.ID, "again").click()
    waits_for(browser, "return document.getElementById('lost').hidden")
    assert stays()


@pytest.mark.parametrize("name", ["cards", "now"])
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 900)])
def test_nothing_jumps_when_a_page_has_looked_again(
    browser: Chrome, site: Site, width: int, height: int, name: str
) -> None:
    sized(browser, width, height)
    browser.get(f"{site.address}/{name}")
    browser.execute_script(_WATCH)
    template, values = STATES[name]
    site.parts[name] = site.renderer.fragment(template.replace(".", "_part."), **_more(**values))
    browser.execute_script("document.dispatchEvent(new Event('visibilitychange'))")
    waits_for(browser, "return document.querySelector('[data-part]').innerText.includes('New one')")
    assert _shifts(browser) == []


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
