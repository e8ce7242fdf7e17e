"""A Steward for each test: its stand-ins served, its process judged when the test has passed."""

from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path

import pytest

from tests.e2e.launching import ForkServer, Launch, fork_server, launch_anew
from tests.e2e.steward import KEY, Steward
from tests.standins.bot_api import BotApi
from tests.standins.messages_api import MessagesApi
from tests.standins.serving import serving

_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show what the process printed beside a failure."""
    report = yield
    steward = getattr(item, "funcargs", {}).get("steward")
    if report.failed and isinstance(steward, Steward):
        item.stash[_FAILED] = True
        report.sections.append(("output of the process", steward.output))
    return report


@pytest.fixture(scope="session")
def forks() -> Iterator[ForkServer]:
    """The program, loaded once for all tests of the session that do not ask how it starts."""
    with fork_server() as server:
        yield server


@pytest.fixture
def launch(request: pytest.FixtureRequest) -> Launch:
    """How the test's program starts: forked, or anew where the test is marked so."""
    if request.node.get_closest_marker("starts_anew") is not None:
        return launch_anew
    return request.getfixturevalue("forks").launch


@pytest.fixture
async def steward(
    tmp_path: Path, request: pytest.FixtureRequest, launch: Launch
) -> AsyncIterator[Steward]:
    """Not started yet, so that a test can choose its settings."""
    telegram, model = BotApi(), MessagesApi(api_key=KEY)
    steward = Steward(tmp_path, telegram, model, launch)
    async with serving(telegram.app) as telegram_url, serving(model.app) as model_url:
        steward.reached_at(telegram_url, model_url)
        try:
            yield steward
            if not request.node.stash.get(_FAILED, False):
                await steward.finish()
        finally:
            await steward.abandon()
