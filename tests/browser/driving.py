"""What the tests do to a page: wait for its state, press keys, read what it says."""

from typing import Any

from selenium.webdriver import ActionChains, Chrome

_WAIT = """
const done = arguments[arguments.length - 1], values = [...arguments].slice(0, -1);
const told = () => (function () { %s }).apply(null, values);
const look = () => told() ? done(told()) : setTimeout(look, 5);
look();
"""


def waits_for(browser: Chrome, told: str, *values: object) -> Any:
    """Waits until a piece of script returns something, and returns it."""
    return browser.execute_async_script(_WAIT % told, *values)


def drawn(browser: Chrome, word: str = "") -> None:
    """Waits until a word of the draft stands on the screen, and two frames are drawn."""
    if word:
        waits_for(
            browser,
            "return document.getElementById('draft').innerText.includes(arguments[0])",
            word,
        )
    browser.execute_async_script(
        "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))"
    )


def spoken(browser: Chrome, words: str) -> None:
    """Waits until the one polite region says some words."""
    waits_for(
        browser, "return document.getElementById('said').textContent.includes(arguments[0])", words
    )


def types(browser: Chrome, *keys: str) -> None:
    """Presses keys, one after another, wherever the focus is."""
    for key in keys:
        ActionChains(browser, duration=0).send_keys(key).perform()


def focused(browser: Chrome) -> str:
    """Returns the id of the element that has the focus."""
    return browser.execute_script("return document.activeElement.id")


def passes(browser: Chrome, seconds: float) -> None:
    """Sets the clock of the page ahead, so that no test waits for a time."""
    browser.execute_script(
        "const now = performance.now.bind(performance), more = arguments[0] * 1000;"
        "performance.now = () => now() + more;",
        seconds,
    )
