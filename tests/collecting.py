"""Collecting the tests cheaply, which every worker does.

In a new checkout, whoever loads a module first has to compile it, and that takes longer than all
the rest. There one worker goes ahead, and the others find what it has compiled.
"""

import gc
import os
import time
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

_AHEAD = "one_is_ahead"
"""In the input of a worker: the file that the first one makes when it has collected."""

_LONGEST_WAIT = 300.0
"""Seconds after which a worker collects all the same: the first one may have been killed."""

_WAITING = "e2e"
"""The folder of tests that mostly wait for whole processes."""

_MORE_THAN_PROCESSORS = 2
"""Workers beside one for each processor: a test of whole processes mostly waits for them."""


class _OneAhead:
    """Names the file to the workers of a new checkout."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput[_AHEAD] = str(self._file)


def pytest_configure(config: pytest.Config) -> None:
    """Stops the collector while modules are imported: next to nothing of it could be freed."""
    gc.disable()
    if hasattr(config, "workerinput") or config.cache is None:
        return
    if config.cache.get(_AHEAD, None) is None:
        config.pluginmanager.register(_OneAhead(config.cache.mkdir(_AHEAD) / "done"))
        config.cache.set(_AHEAD, True)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    return (os.cpu_count() or 1) + _MORE_THAN_PROCESSORS


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Waits in all workers but the first of a new checkout, until that one has collected."""
    given: dict[str, Any] = getattr(session.config, "workerinput", {})
    if _AHEAD not in given:
        return (yield)
    done = Path(given[_AHEAD])
    if given["workerid"] == "gw0":
        try:
            return (yield)
        finally:
            done.touch()
    until = time.monotonic() + _LONGEST_WAIT
    while not done.exists() and time.monotonic() < until:
        time.sleep(0.1)
    return (yield)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deals the tests out to workers, each of which first takes one stretch of the list.

    Each begins with some of those that may take long: at the end, they would keep it busy alone.
    Then come whole files of both kinds in turn: what mostly waits, and what mostly calculates.
    """
    workers: int = getattr(config, "workerinput", {}).get("workercount", 1)
    if workers == 1:
        return
    places: dict[Path, float] = {}
    for waiting in (True, False):
        files = Counter(item.path for item in items if (_WAITING in item.path.parts) is waiting)
        before = 0
        for file, count in files.items():
            places[file] = before / files.total()
            before += count
    long = [item for item in items if item.get_closest_marker("timeout") is not None]
    begins = {item: number % workers / workers for number, item in enumerate(long)}
    items.sort(key=lambda item: (begins.get(item, places[item.path]), item not in begins))


def pytest_collection_finish() -> None:
    """Starts the collector again; from now on it passes over all that is there already."""
    gc.freeze()
    gc.enable()
