"""Anyone can use the page: axe-core finds nothing on any page, in any state, at any width."""

from typing import Any

import pytest
from selenium.webdriver import Chrome

from tests.browser.chromium import faults, sized
from tests.browser.site import Site
from tests.browser.states import STATES

WIDTHS = {320: 640, 360: 740, 768: 1024, 1280: 900}
"""The widths that are looked at, each with a height."""

_RUN = """
const done = arguments[arguments.length - 1];
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
axe.run(document, {runOnly: tags, resultTypes: ["violations"]}).then(
  (found) => done(found.violations.map((v) => [v.id, v.help, v.nodes.map((n) => n.html)])),
  (fault) => done([["fault", String(fault), []]]));
"""


def found(browser: Chrome, axe: str) -> list[Any]:
    """Returns what axe-core finds on the page that is shown."""
    if not browser.execute_script("return 'axe' in window"):
        browser.execute_script(axe)
    return browser.execute_async_script(_RUN)


@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing(browser: Chrome, site: Site, axe: str, state: str) -> None:
    browser.get(f"{site.address}/{state}")
    told = {}
    for width, height in WIDTHS.items():
        for dark in (False, True):
            sized(browser, width, height, dark=dark)
            if seen := found(browser, axe):
                told[width, "dark" if dark else "light"] = seen
    assert told == {}
    assert faults(browser) == []


def test_axe_finds_nothing_in_what_opens(browser: Chrome, site: Site, axe: str) -> None:
    sized(browser, 1280, 900)
    browser.get(f"{site.address}/chat")
    browser.execute_script(
        "document.querySelectorAll('details').forEach((d) => { d.open = true; })"
    )
    browser.execute_script("document.getElementById('palette').showPopover()")
    assert found(browser, axe) == []


def test_axe_would_find_a_fault(browser: Chrome, site: Site, axe: str) -> None:
    browser.get(f"{site.address}/chat")
    browser.execute_script("document.querySelector('label[for=words]').remove();")
    browser.execute_script("document.getElementById('words').placeholder = '';")
    assert [one[0] for one in found(browser, axe)] == ["label"]
