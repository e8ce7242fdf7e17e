"""Earlier messages of a conversation are read without a script, too."""

import asyncio

import pytest
from selenium.webdriver.common.by import By

from tests.browser.chromium import chromium
from tests.e2e.browser import LINK, Browser, browser
from tests.e2e.steward import Steward
from tests.e2e.test_page import door
from tests.ports import free_port

pytestmark = pytest.mark.flows_own("the page is served beside any platform")

_SAID = 45
"""Own messages, each with an answer: three parts of a conversation."""


async def talked(page: Browser) -> str:
    """Says that many words, and returns the address of the conversation."""
    home = await page.home()
    form = next(one for one in await page.forms(home) if one.action.endswith("/say"))
    for n in range(_SAID):
        await page.send(form, text=f"/nothing-{n:02}", id=f"number-{n:03}")
    await page.sees(f"/nothing-{_SAID - 1:02}", home)
    return home


@pytest.mark.browser
async def test_earlier_messages_are_whole_pages_in_a_browser_without_a_script(
    steward: Steward,
) -> None:
    await steward.start(STEWARD_WEB_PORT=free_port())
    origin = await door(steward)
    link = LINK.search(steward.output)
    assert link is not None
    with chromium(script=False) as driver:
        async with browser(origin) as page:
            assert (await page.enter(link[2])).status_code == 303
            home = await talked(page)
            kept = [(one.name, one.value or "") for one in page.client.cookies.jar]

        def read() -> tuple[list[str], list[str]]:
            driver.get(f"{origin}/enter")
            for name, value in kept:
                driver.add_cookie({"name": name, "value": value})
            driver.get(f"{origin}{home}")
            ids, styles = list[str](), list[str]()
            while True:
                shown = driver.find_elements(By.CSS_SELECTOR, "li[id^=m-]")
                ids[:0] = [str(one.get_attribute("id")) for one in shown]
                styles.append(shown[0].value_of_css_property("list-style-type"))
                earlier = driver.find_elements(By.LINK_TEXT, "Earlier messages")
                if not earlier:
                    return ids, styles
                assert len(styles) < _SAID
                earlier[0].click()
                assert driver.find_element(By.LINK_TEXT, "To the newest message").is_displayed()

        ids, styles = await asyncio.to_thread(read)
    assert len([one for one in ids if one.startswith("m-i")]) == _SAID
    assert len(ids) == len(set(ids)) == 2 * _SAID
    # Every part is drawn with the style of the page.
    assert len(styles) > 2
    assert set(styles) == {"none"}


async def test_the_script_of_a_page_gets_earlier_messages_alone(steward: Steward) -> None:
    await steward.start(STEWARD_WEB_PORT=free_port())
    origin = await door(steward)
    link = LINK.search(steward.output)
    assert link is not None
    async with browser(origin) as page:
        assert (await page.enter(link[2])).status_code == 303
        home = await talked(page)
        older = (await page.page(home)).select_one("#older a")
        assert older is not None
        part = await page.get(str(older["href"]), accept="*/*")
        assert part.text.lstrip().startswith('<li class="day" id="older">')
        assert "<html" not in part.text
        whole = await page.get(str(older["href"]))
        assert whole.text.startswith("<!doctype html>")
