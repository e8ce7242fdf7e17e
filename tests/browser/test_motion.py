"""Nothing moves by itself for people who have asked their system for less motion."""

from selenium.webdriver import Chrome

from tests.browser.chromium import sized
from tests.browser.driving import drawn, waits_for
from tests.browser.site import Site
from tests.browser.states import STATES

_MOVING = "return document.getAnimations().map((one) => one.animationName || 'a transition')"
_WOULD_MOVE = """
const parts = ["", "::before", "::after"];
return [...document.querySelectorAll("*")].flatMap((e) => parts.map((part) => {
  const {animationName, transitionProperty, transitionDuration, scrollBehavior} =
    getComputedStyle(e, part || null);
  const turns = transitionProperty !== "none" && /[1-9]/.test(transitionDuration);
  return animationName !== "none" || turns || scrollBehavior === "smooth"
    ? e.outerHTML.slice(0, 100) + part : "";
})).filter(Boolean);
"""


def _less_motion(browser: Chrome, *, wanted: bool) -> None:
    feature = {"name": "prefers-reduced-motion", "value": "reduce" if wanted else ""}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})


def test_no_page_moves_by_itself_where_less_motion_is_wanted(browser: Chrome, site: Site) -> None:
    sized(browser, 1280, 900)
    _less_motion(browser, wanted=True)
    moving: dict[str, list[str]] = {}
    for name in STATES:
        browser.get(f"{site.address}/{name}")
        if found := browser.execute_script(_WOULD_MOVE):
            moving[name] = found
    assert moving == {}


def test_the_sign_of_a_growing_answer_stands_still_where_less_motion_is_wanted(
    browser: Chrome, site: Site
) -> None:
    sized(browser, 1280, 900)
    for wanted in (False, True):
        _less_motion(browser, wanted=wanted)
        browser.get(f"{site.address}/chat")
        site.listened(1 + wanted)
        site.drafts("Half an answer")
        drawn(browser, "Half an answer")
        browser.execute_script("document.querySelectorAll('details').forEach((d) => d.open = true)")
        assert waits_for(browser, "return document.querySelector('.caret')?.checkVisibility()")
        moving = browser.execute_script(_MOVING)
        assert ("breathe" in moving) is not wanted
        assert wanted is (moving == [])
    _less_motion(browser, wanted=False)
