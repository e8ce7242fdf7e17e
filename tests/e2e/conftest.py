"""A Steward for each test: its stand-ins served, its process judged when the test has passed."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Coroutine, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.sql.store import open_store
from tests.e2e.launching import Command, ForkServer, Launch, anew, fork_server, launch_anew
from tests.e2e.platforms import ON_PLATFORMS
from tests.e2e.rehearsal import rehearsed
from tests.e2e.stalls import Stalls
from tests.e2e.steward import KEY, Steward
from tests.e2e.terminals import Terminal
from tests.e2e.times import Times
from tests.e2e.visitors import Visitors
from tests.lacking import THOROUGH, working_sandbox
from tests.standins.messages_api import MessagesApi
from tests.standins.serving import serving
from tests.words import EVENT_LOOP

_PLATFORMS = tuple(ON_PLATFORMS)
_COMPANY = "three processes"
"""Where people meet three processes that share PostgreSQL by roles, over Telegram."""

_ON_EACH = "on_each_platform"
_SERVED: dict[str, tuple[str, ...]] = {
    _ON_EACH: _PLATFORMS,
    "flows_own": _PLATFORMS if THOROUGH else ("telegram",),
    "telegrams_own": (),
    "discords_own": (),
}
"""The platforms of a scenario by its mark; the mark of a test counts more than that of its file."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show what the process printed beside a failure."""
    report = yield
    steward = getattr(item, "funcargs", {}).get("steward")
    if report.failed and isinstance(steward, Steward):
        steward.failed = True
        report.sections.append(("output of the process", steward.output))
    return report


@pytest.fixture(scope="session")
def forks(empty_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    """The program, loaded once for all tests of the session that do not ask how it starts."""
    with fork_server() as server:
        _in_a_loop_of_its_own(rehearsed(server, empty_database, tmp_path_factory.mktemp("stage")))
        yield server


def _in_a_loop_of_its_own(work: Coroutine[Any, Any, None]) -> None:
    """Runs it for a fixture of the session: the test that asks for it runs in a loop already."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


@pytest.fixture
def launch(request: pytest.FixtureRequest) -> Launch:
    """How the test's program starts: forked, or anew where the test is marked so."""
    if request.node.get_closest_marker("starts_anew") is not None:
        return launch_anew
    return request.getfixturevalue("forks").launch


@pytest.fixture
def command(request: pytest.FixtureRequest) -> Command:
    """The command of the test's program: a forked one, or anew where the test is marked so."""
    if request.node.get_closest_marker("starts_anew") is not None:
        return anew
    return request.getfixturevalue("forks").command


@pytest.fixture(scope="session")
def stalls() -> Iterator[Stalls]:
    """What the machine itself does to everybody while tests run."""
    watch = Stalls()
    yield watch
    watch.stop()


@pytest.fixture(autouse=True)
def never_held_in_the_terminal(tmp_path: Path, stalls: Stalls) -> Iterator[None]:
    """Fail a test whose chat in the terminal was kept waiting: its log is a file."""
    yield
    logs = [file.read_text() for file in tmp_path.rglob("chat.log")]
    held = [line for log in logs for line in log.splitlines() if EVENT_LOOP in line]
    assert [line for line in held if not stalls.excuse(line)] == []


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of the present shape without a row, as the first start leaves it."""
    file = tmp_path_factory.mktemp("empty") / "steward.db"

    async def make() -> None:
        async with open_store(f"sqlite:///{file}"):
            pass

    _in_a_loop_of_its_own(make())
    return file


@pytest.fixture
async def sandboxed() -> None:
    """Skips the test where commands run without a sandbox: there each of them asks."""
    await working_sandbox()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a scenario on every platform that it may be about."""
    mark = next((m for m in metafunc.definition.iter_markers() if m.name in _SERVED), None)
    if mark is not None and mark.name != _ON_EACH and not mark.args:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: {mark.name} needs its reason")
    platforms = _SERVED[mark.name] if mark is not None else _PLATFORMS
    shared = next(metafunc.definition.iter_markers("shared"), None)
    if shared is not None and (THOROUGH or not shared.args):
        company = pytest.param(_COMPANY, marks=pytest.mark.postgres)
        platforms = (*(platforms or ("telegram",)), company)
    if "steward" in metafunc.fixturenames and platforms:
        metafunc.parametrize("platform", platforms, indirect=True)


@pytest.fixture
def platform(request: pytest.FixtureRequest) -> str:
    """The platform on which people meet the program."""
    return getattr(request, "param", "telegram")


@pytest.fixture
def model() -> MessagesApi:
    """A model whose replies the test scripts, for a program in a terminal."""
    return MessagesApi(api_key=KEY)


@pytest.fixture
async def access(model: MessagesApi) -> AsyncIterator[dict[str, str]]:
    """The settings that lead to the model."""
    async with serving(model.app) as url:
        yield {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url}


@pytest.fixture
def opened(tmp_path: Path, command: Command) -> Iterator[Callable[..., Terminal]]:
    """Opens terminals in the folder of the test, and closes them at its end."""
    terminals: list[Terminal] = []

    def one(*arguments: str, columns: int = 100, rows: int = 40, **environ: str) -> Terminal:
        words = arguments or ("chat",)
        shape = {"columns": columns, "rows": rows}
        terminals.append(Terminal(tmp_path, *words, **shape, command=command, environ=environ))
        return terminals[-1]

    yield one
    for terminal in terminals:
        terminal.close()


@pytest.fixture
async def steward(
    tmp_path: Path, request: pytest.FixtureRequest, launch: Launch, stalls: Stalls, platform: str
) -> AsyncIterator[Steward]:
    """Not started yet, so that a test can choose its settings."""
    served = "telegram" if platform == _COMPANY else platform
    async with ON_PLATFORMS[served](tmp_path, MessagesApi(api_key=KEY), launch) as steward:
        if request.node.get_closest_marker("starts_anew") is None:
            # Migrations cost a third of a start, and only a test of the start is about them.
            shutil.copy(request.getfixturevalue("empty_database"), steward.home)
        steward.excused = stalls.excuse
        if platform == _COMPANY:
            steward.shares(request.getfixturevalue("own_postgres_url"))
        try:
            yield steward
            if not steward.failed:
                await steward.finish()
        finally:
            await steward.abandon()


@pytest.fixture
def times(steward: Steward) -> Times:
    """The clock of the test's steward, from its next start on."""
    return Times(steward)


@pytest.fixture
async def visitors(steward: Steward, command: Command) -> AsyncIterator[Visitors]:
    """Terminals stay until they have confirmed what they show, unless the test has failed."""
    visitors = Visitors(steward, command)
    try:
        yield visitors
        if not steward.failed:
            await steward.settled()
    finally:
        for terminal in visitors.terminals:
            terminal.close()
