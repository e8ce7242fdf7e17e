"""Chromium without a window, as the tests drive it: it fetches nothing, and leaves nothing."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium.webdriver import Chrome
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

from tests.lacking import missing

_REMEDY = "apt-get install chromium chromium-driver"
_ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    # A name that is not of this machine is not looked up.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)
_PATIENCE = 60
"""Seconds for one order of the driver."""


def programs() -> tuple[str, str]:
    """Returns the browser and its driver; skips the test where one is missing."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or driver is None or not _runs(browser) or not _runs(driver):
        missing("no Chromium with its driver", _REMEDY)
    return browser, driver


def _runs(program: str) -> bool:
    """Tells if a program is more than a name: a hidden one is an empty device."""
    return Path(program).resolve().is_file()


@contextmanager
def chromium(*, script: bool = True) -> Iterator[Chrome]:
    """Yields a new browser with an empty folder of its own, and ends it."""
    browser, driver = programs()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        options = Options()
        options.binary_location = browser
        for argument in (*_ARGUMENTS, f"--user-data-dir={folder}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        if not script:
            options.add_experimental_option(
                "prefs", {"profile.managed_default_content_settings.javascript": 2}
            )
        made = Chrome(options, Service(driver))
        try:
            made.set_page_load_timeout(_PATIENCE)
            made.set_script_timeout(_PATIENCE)
            yield made
        finally:
            made.quit()


def sized(browser: Chrome, width: int, height: int, *, dark: bool = False) -> None:
    """Gives the page a size and a scheme of colours."""
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
    )
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})


def faults(browser: Chrome) -> list[str]:
    """Returns the complaints of the browser since the last time: policy, scripts, missing files."""
    told = (str(one["message"]) for one in browser.get_log("browser") if one["level"] == "SEVERE")
    # A browser asks for this by itself before it has read which sign a page has.
    return [one for one in told if "/favicon.ico" not in one]
