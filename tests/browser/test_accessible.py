"""Anyone can use the page: axe-core finds nothing on any page, in any state, at any width."""

import pytest
from selenium.webdriver import Chrome

from tests.browser.chromium import faults, sized
from tests.browser.looking import found, seen_by_axe
from tests.browser.site import Site
from tests.browser.states import STATES


@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing(browser: Chrome, site: Site, axe: str, state: str) -> None:
    browser.get(f"{site.address}/{state}")
    assert seen_by_axe(browser, axe) == {}
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
