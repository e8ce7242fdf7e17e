"""Chromium's own parser reads in a text of a stranger what we meant, and nothing else."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from selenium.webdriver import Chrome

from bot.adapters.web.rendering.markdown import html_of
from tests.adapters.web.rendering.hostile import ATTACKS, texts
from tests.adapters.web.rendering.safe_html import IN_BROWSER, allowed_in_browser

_COMPLETED = {"tbody", "colgroup"}
"""Tags that a parser adds by itself."""


def _read(browser: Chrome, made: list[str]) -> list[list[str]]:
    allowed = allowed_in_browser() | {name: {} for name in _COMPLETED}
    return browser.execute_script(IN_BROWSER, made, allowed)


@given(st.lists(texts, min_size=40, max_size=40))
@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    report_multiple_bugs=False,
)
def test_chromium_finds_no_tag_and_no_attribute_that_is_not_ours(
    browser: Chrome, made: list[str]
) -> None:
    assert _read(browser, [html_of(one) for one in made]) == []


def test_chromium_reads_each_attack_as_a_text(browser: Chrome) -> None:
    assert _read(browser, [html_of(one) for one in ATTACKS]) == []


def test_chromium_would_tell_a_fault(browser: Chrome) -> None:
    told = _read(browser, ["<p>fine</p>", "<p onclick=x>", "<img src=x>", "<a href='/x'>x</a>"])
    assert [one[1:] for one in told] == [["p", "onclick", "x"], ["img"], ["a", "href", "/x"]]
