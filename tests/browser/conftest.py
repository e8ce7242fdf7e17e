"""A site and browsers for the tests of the page."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

from tests.browser.chromium import chromium, programs
from tests.browser.looking import axe_core
from tests.browser.site import Site, serving


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks each test of this folder that takes a browser."""
    for item in items:
        if Path(__file__).parent in item.path.parents and {"browser", "scriptless"} & set(
            getattr(item, "fixturenames", ())
        ):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def _browser() -> Iterator[Chrome]:
    with chromium() as made:
        yield made


@pytest.fixture(scope="session")
def scriptless() -> Iterator[Chrome]:
    """A browser in which no page may run a script."""
    with chromium(script=False) as made:
        yield made


@pytest.fixture
def browser(_browser: Chrome, site: Site) -> Iterator[Chrome]:
    """The browser, with nothing kept from the test before."""
    _browser.get(f"{site.address}/none")
    _browser.execute_script("localStorage.clear()")
    _browser.get_log("browser")
    yield _browser
    _browser.get("about:blank")


@pytest.fixture
def site() -> Iterator[Site]:
    """The samples, served on this machine."""
    programs()
    with serving(Site()) as made:
        yield made


@pytest.fixture(scope="session")
def axe() -> str:
    """The checks of axe-core."""
    return axe_core()
