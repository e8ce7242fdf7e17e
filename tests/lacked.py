"""Running each test once on two machines: `--lacked` runs what the runs before had to skip.

A bare machine skips each test that wants a server or a program. The cache of pytest keeps their
names until they have passed, so that a second run, where all is there, takes these alone. Tests
marked `commands` pass on both, and mean something else on each: they run on both.
"""

from pathlib import Path

import pytest

from tests.lacking import is_lack

_KEPT = "steward/lacked"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--lacked",
        action="store_true",
        help="run the tests that were skipped for want of something, and those marked `commands`",
    )


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput") and config.cache is not None:
        config.pluginmanager.register(_Lacks(config.cache))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Passes over the files without a test to run: reading them all takes longer than some runs."""
    if not config.getoption("--lacked") or collection_path.suffix != ".py":
        return None
    assert config.cache is not None
    files = {name.partition("::")[0] for name in config.cache.get(_KEPT, [])}
    if collection_path.relative_to(config.rootpath).as_posix() in files:
        return None
    return "mark.commands" not in collection_path.read_text(encoding="utf-8") or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--lacked"):
        return
    assert config.cache is not None
    lacked = set(config.cache.get(_KEPT, []))
    wanted = [one for one in items if one.nodeid in lacked or one.get_closest_marker("commands")]
    config.hook.pytest_deselected(items=[one for one in items if one not in set(wanted)])
    items[:] = wanted


class _Lacks:
    """Keeps the names of the tests that lack something, from one run to the next."""

    def __init__(self, cache: pytest.Cache) -> None:
        self._cache = cache
        self._names: set[str] = set(cache.get(_KEPT, []))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and isinstance(report.longrepr, tuple) and is_lack(report.longrepr[2]):
            self._names.add(report.nodeid)
        elif report.when == "call" and report.passed:
            self._names.discard(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self._cache.set(_KEPT, sorted(self._names))
