"""What every page is looked at for: by axe-core, and for what sticks out at its side."""

from pathlib import Path
from typing import Any

from selenium.webdriver import Chrome

from tests.browser.chromium import sized
from tests.lacking import missing

WIDTHS = {320: 640, 360: 740, 768: 1024, 1024: 768, 1280: 900}
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


_AXE = Path(__file__).parents[1] / "servers" / "node_modules" / "axe-core" / "axe.min.js"

_SIDEWAYS = """
const held = (e) => e.closest(
  ".wide, pre:not(.card > pre), .list .title, .fold-up thead, .fall, [popover], svg, .off");
const wide = (e) => e.getBoundingClientRect().right > innerWidth + 1;
// Words that run out of their own place lie over what stands beside it.
const runs = (e) => e.clientWidth && e.scrollWidth > e.clientWidth + 1
  && getComputedStyle(e).overflowX === "visible";
return [...document.querySelectorAll("body *")].filter((e) =>
  (wide(e) || runs(e)) && !held(e) && e.checkVisibility()
  && getComputedStyle(e).position !== "absolute").map((e) => e.outerHTML.slice(0, 200));
"""


def axe_core() -> str:
    """Returns the checks of axe-core, which the lock in tests/servers pins; skips without them."""
    if not _AXE.exists():
        missing("axe-core is not installed", "make servers, with Node.js 20")
    return _AXE.read_text(encoding="utf-8")


def seen_by_axe(browser: Chrome, axe: str) -> dict[str, list[Any]]:
    """Returns what axe-core finds on the page that is shown, at each width and in both schemes."""
    told: dict[str, list[Any]] = {}
    for width, height in WIDTHS.items():
        for dark in (False, True):
            sized(browser, width, height, dark=dark)
            if seen := found(browser, axe):
                told[f"{width} {'dark' if dark else 'light'}"] = seen
    return told


def sticking_out(browser: Chrome) -> dict[int, list[str]]:
    """Returns what sticks out at the side of the page that is shown, at each width."""
    told: dict[int, list[str]] = {}
    for width, height in WIDTHS.items():
        sized(browser, width, height)
        wide = browser.execute_script("return document.documentElement.scrollWidth")
        if seen := browser.execute_script(_SIDEWAYS) + (["the page"] if wide > width else []):
            told[width] = seen
    return told
